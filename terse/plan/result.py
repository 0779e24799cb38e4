"""A whole result through a plan: each of its texts for itself, or one text in place of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import thread_time

from terse.fields.marks import RETRIEVE
from terse.guarantee import Guarantee
from terse.memory import delta
from terse.memory.history import Base
from terse.memory.session import Session
from terse.payload.blocks import Joined
from terse.payload.call import Call
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.plan.choose import choose
from terse.plan.conditions import Facts
from terse.plan.model import Keep, Plan, Rule
from terse.plan.run import run
from terse.plan.trace import NOT_COUNTED, GateTrace, Outcome
from terse.plan.whole import whole_repeat
from terse.tokens import Vocabulary


@dataclass(frozen=True)
class Answered:
    """What is to be sent in place of a result.

    Attributes:
        received: its texts as they came.
        payloads, outcomes: what rules were run on, and what came of it: for each text, or for the one text
            that stands for all of them. These are what `terse.plan.run.sent` notes.
        one: the only text that is sent, where one stands for all; else each outcome has its own.
        untaken: what came of forms that were tried and not sent, such as each text for itself where one
            sentence speaks of all of them: what failed in one is worth a word.
    """

    received: tuple[Payload, ...]
    payloads: tuple[Payload, ...]
    outcomes: tuple[Outcome, ...]
    one: str | None = None
    untaken: tuple[Outcome, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What is sent: as many texts as came, or one."""
        return tuple(outcome.text for outcome in self.outcomes) if self.one is None else (self.one,)

    @cached_property
    def as_they_came(self) -> tuple[Outcome, ...]:
        """What came of it if the result is sent as it came after all."""
        joined = len(self.outcomes) < len(self.received)
        return tuple(
            _as_it_came(payload, self.outcomes[0 if joined else part], joined)
            for part, payload in enumerate(self.received)
        )


def run_result(
    plan: Plan,
    texts: Sequence[str],
    call: Call,
    session: Session,
    vocabulary: Vocabulary,
    *,
    joined: Joined | None = None,
    number: int | None = None,
    can_retrieve: bool = False,
    retrieve_tool: str = RETRIEVE,
    detail: bool = False,
    sizes: bool = True,
    clock: Callable[[], float] = thread_time,
) -> Answered:
    """What is to be sent in place of a result, by its texts.

    Rules see each text; where all are JSON documents, the list of them. Texts that rules see each for itself
    are joined only where one rule is for all of them and takes nothing away: then it does not matter. In
    either case the texts stay apart where that has fewer tokens.

    Args:
        joined: one text that stands for all of them; None where blocks of the result are more than texts.
        number, can_retrieve, retrieve_tool, detail, sizes, clock: as for `terse.plan.run.run`.
    """
    received = tuple(map(Payload.of, texts))

    def of(payload: Payload, part: int = 0) -> Outcome:
        return run(
            plan,
            payload,
            call,
            session,
            vocabulary,
            part=part,
            number=number,
            can_retrieve=can_retrieve,
            retrieve_tool=retrieve_tool,
            detail=detail,
            sizes=sizes,
            clock=clock,
        )

    def each() -> Answered:
        outcomes = tuple(of(payload, part) for part, payload in enumerate(received))
        if joined is not None:
            tool = retrieve_tool if can_retrieve else None
            repeat = whole_repeat(outcomes, call, session, number, tool)
            if repeat is not None:
                return Answered(received, received, repeat, repeat[0].text, outcomes)
        return Answered(received, received, outcomes)

    if joined is None or len(received) < 2:
        return each()
    if not joined.is_list:
        rule = _rule_of_all(plan, received, call, session, vocabulary)
        if rule is None or _takes_away(rule):
            return each()
    payload = Payload.of(joined.text)
    outcome = of(payload)
    as_one = Answered(received, (payload,), (outcome,), outcome.text)
    if joined.is_list:
        rule = _rule_named(plan, outcome)
        if rule is None or _takes_away(rule):
            return as_one if outcome.changed else _unchanged(as_one)
    elif _rule_named(plan, outcome) is not rule:
        return each()
    if outcome.changed and delta.identical_to(outcome.text) is not None:
        return as_one
    apart = each()
    if any(_rule_named(plan, each) is not rule for each in apart.outcomes):
        apart = _unchanged(as_one)
    if outcome.changed and _tokens(as_one, vocabulary) < _tokens(apart, vocabulary):
        return as_one
    return replace(apart, untaken=(*apart.untaken, outcome))


def _rule_of_all(
    plan: Plan, payloads: Sequence[Payload], call: Call, session: Session, vocabulary: Vocabulary
) -> Rule | None:
    """The rule that is for all of the texts; None where there are several, or none."""
    found: Rule | None = None
    for payload in payloads:
        try:
            rule = choose(plan, call, Facts(payload, call, session, vocabulary)).rule
        except Exception:
            # Running the text will say what is wrong with it.
            return None
        if rule is None or (found is not None and rule is not found):
            return None
        found = rule
    return found


def _rule_named(plan: Plan, outcome: Outcome) -> Rule | None:
    chosen = outcome.trace.rule
    if chosen is None:
        return None
    return next((rule for rule in plan.rules if (rule.name, rule.at) == (chosen.name, chosen.at)), None)


def _takes_away(rule: Rule) -> bool:
    return not all(isinstance(line, Keep) for line in rule.fields)


def _unchanged(tried: Answered) -> Answered:
    """The result as it came, where the rules were run on one text in place of all."""
    received = tried.received
    return Answered(received, received, tried.as_they_came, untaken=tried.outcomes)


def _as_it_came(payload: Payload, outcome: Outcome, joined: bool) -> Outcome:
    base = None
    if outcome.base is not None:
        document = payload.json
        base = Base(payload.text if document is None else dump(document), document is not None, whole=True)
    was = outcome.trace
    tokens = NOT_COUNTED if joined else was.tokens_in
    gate = was.gate if was.gate.sent == "original" else GateTrace("original", "sent as it came")
    trace = replace(
        was,
        bytes_in=payload.size_bytes,
        tokens_in=tokens,
        tokens_out=tokens,
        gate=gate,
        guarantee=Guarantee.EXACT,
        lost=(),
        lost_percent=0.0,
        aside=(),
        handles=(),
        whole=None,
    )
    return Outcome(payload.text, Guarantee.EXACT, trace, base)


def _tokens(answered: Answered, vocabulary: Vocabulary) -> int:
    if answered.one is not None:
        return vocabulary.count(answered.one)
    return sum(
        vocabulary.count(outcome.text)
        if outcome.trace.tokens_out == NOT_COUNTED
        else outcome.trace.tokens_out
        for outcome in answered.outcomes
    )
