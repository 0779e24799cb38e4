"""Measuring saved results under a plan: tokens, time, and whether every promise was kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time, thread_time

from terse.capture.results import Whole
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.blocks import NotJoined, join, split
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.plan import gate
from terse.plan.chain import DEFAULT_BUDGET_MS
from terse.plan.model import Plan
from terse.plan.result import run_result
from terse.plan.trace import Outcome
from terse.report.benched import Exactness, Measured
from terse.tiers.expand import expand
from terse.tokens import Vocabulary


@dataclass(frozen=True, slots=True)
class Bencher:
    """Measures results, each as that of the first call of a session.

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

    def measure(self, result: Whole) -> list[Measured]:
        """The figures of a result, text by text; one, where one text is sent in place of all.

        What goes wrong stands in them and is not raised.
        """
        may_join = result.is_texts_alone and not result.call.is_error and len(result.texts) > 1
        times = []
        for _ in range(max(1, self.runs)):
            start = self.clock()
            answered = run_result(
                self.plan,
                result.texts,
                result.call,
                Session(),
                self.vocabulary,
                joined=join(result.texts) if may_join else None,
                clock=thread_time if self.budget else _still,
            )
            times.append(1000 * (self.clock() - start))
        each = (median(times) if self.runs else 0.0) / max(1, len(answered.outcomes))
        if answered.one is not None:
            payload, outcome = answered.payloads[0], answered.outcomes[0]
            return [self._measured(result.file, result.part, payload, result.texts, outcome, each)]
        return [
            self._measured(result.file, result.name_of(number), Payload.of(text), (text,), outcome, each)
            for number, (text, outcome) in enumerate(zip(result.texts, answered.outcomes, strict=True), 1)
        ]

    def _measured(
        self,
        file: str,
        part: str,
        payload: Payload,
        texts: Sequence[str],
        outcome: Outcome,
        milliseconds: float,
    ) -> Measured:
        """The figures of what came of one text, or of one that stands for several."""
        is_json = payload.json is not None
        raw = sum(map(self.vocabulary.count, texts))
        exactness, fault = _exactness(payload, outcome, texts)
        return Measured(
            file=file,
            part=part,
            family="json" if is_json else "text",
            kind=payload.kind.value,
            raw=raw,
            minified=sum(self.vocabulary.count(_minified(text)) for text in texts) if is_json else raw,
            emitted=self.vocabulary.count(outcome.text),
            milliseconds=milliseconds,
            exactness=exactness,
            rule=outcome.trace.rule.name if outcome.trace.rule else None,
            fault=fault,
        )

    def budget_ms(self, measured: Measured) -> int:
        """The budget of time of the rule that a text was run under."""
        rules = (rule.spend_ms for rule in self.plan.rules if rule.name == measured.rule)
        spend = next(rules, None)
        return DEFAULT_BUDGET_MS if spend is None else spend


def _exactness(payload: Payload, outcome: Outcome, texts: Sequence[str]) -> tuple[Exactness, str]:
    """Whether the emitted text decodes to the original, found out apart from the run's own gate.

    Args:
        texts: those that the payload stands for, as they came.
    """
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
        if len(texts) > 1 and list(map(_minified, split(expand(outcome.text)))) != list(
            map(_minified, texts)
        ):
            return Exactness.WRONG, "the texts that it stands for are others"
    except (gate.Refused, NotJoined) as refused:
        return Exactness.WRONG, str(refused)
    return Exactness.EXACT, fault


def _minified(text: str) -> str:
    document = Payload.of(text).json
    return text if document is None else dump(document)


def _still() -> float:
    return 0.0
