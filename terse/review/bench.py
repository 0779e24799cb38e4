"""Measuring saved results under a plan: tokens, time, and whether every promise was kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time, thread_time

from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.plan import gate
from terse.plan.chain import DEFAULT_BUDGET_MS
from terse.plan.model import Plan
from terse.plan.run import run
from terse.plan.trace import Outcome
from terse.report.benched import Exactness, Measured
from terse.tiers.expand import expand
from terse.tokens import Vocabulary


@dataclass(frozen=True, slots=True)
class Bencher:
    """Measures texts, each as the first call of a session.

    Attributes:
        runs: how often each is run; the time is the median. 0: once, without a time.
        budget: keep the rules' budgets of time. Without, figures do not depend on the machine.
        clock: seconds of the processor.
    """

    plan: Plan
    vocabulary: Vocabulary
    runs: int = 3
    budget: bool = False
    clock: Callable[[], float] = process_time

    def measure(self, file: str, part: str, call: Call, text: str) -> Measured:
        """The figures of one text. What goes wrong stands in them and is not raised."""
        times = []
        for _ in range(max(1, self.runs)):
            start = self.clock()
            outcome = run(
                self.plan,
                Payload.of(text),
                call,
                Session(),
                self.vocabulary,
                clock=thread_time if self.budget else _still,
            )
            times.append(1000 * (self.clock() - start))
        payload = Payload.of(text)
        is_json = payload.json is not None
        raw = self.vocabulary.count(text)
        exactness, fault = _exactness(payload, outcome)
        return Measured(
            file=file,
            part=part,
            family="json" if is_json else "text",
            kind=payload.kind.value,
            raw=raw,
            minified=self.vocabulary.count(_minified(payload)) if is_json else raw,
            emitted=self.vocabulary.count(outcome.text),
            milliseconds=median(times) if self.runs else 0.0,
            exactness=exactness,
            rule=outcome.trace.rule.name if outcome.trace.rule else None,
            fault=fault,
        )

    def budget_ms(self, measured: Measured) -> int:
        """The budget of time of the rule that a text was run under."""
        rules = (rule.spend_ms for rule in self.plan.rules if rule.name == measured.rule)
        spend = next(rules, None)
        return DEFAULT_BUDGET_MS if spend is None else spend


def _exactness(payload: Payload, outcome: Outcome) -> tuple[Exactness, str]:
    """Whether the emitted text decodes to the original, found out apart from the run's own gate."""
    verdict = outcome.trace.gate
    fault = verdict.verdict if verdict.failed else ""
    if outcome.guarantee < Guarantee.LOSSLESS:
        return Exactness.BY_RULE, fault
    if outcome.text == payload.text:
        return Exactness.EXACT, fault
    try:
        if payload.json is not None:
            gate.check_document(outcome.text, payload.json, expand)
        else:
            gate.check_text(outcome.text, payload.text, expand)
    except gate.Refused as refused:
        return Exactness.WRONG, str(refused)
    return Exactness.EXACT, fault


def _minified(payload: Payload) -> str:
    return payload.text if payload.json is None else dump(payload.json)


def _still() -> float:
    return 0.0
