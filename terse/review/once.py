"""One result under a plan, as tests, comparisons and first rule files want it: the same every time."""

from __future__ import annotations

from dataclasses import dataclass

from terse.guarantee import Guarantee, lowest
from terse.memory.session import Session
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.payload.sample import Sample
from terse.plan.model import Plan
from terse.plan.result import run_result
from terse.plan.run import run
from terse.plan.trace import Outcome
from terse.tokens import Vocabulary


@dataclass(frozen=True, slots=True)
class Result:
    """A whole result, and what is sent in its place.

    Attributes:
        payloads, outcomes: what rules were run on, and what came of each: the texts of the result, or one
            text that stands for all of them.
        texts: what is sent: a text for each of the result's, or one.
        tokens_in: of the texts as they came.
        tokens_out: of the texts that are sent.
    """

    payloads: tuple[Payload, ...]
    outcomes: tuple[Outcome, ...]
    texts: tuple[str, ...]
    tokens_in: int
    tokens_out: int

    @property
    def guarantee(self) -> Guarantee:
        """The lowest of its parts."""
        return lowest(outcome.guarantee for outcome in self.outcomes)


def result_of(plan: Plan, sample: Sample, call: Call, session: Session, vocabulary: Vocabulary) -> Result:
    """What is sent of a result whose texts may be joined, to a client as in `outcome_of`."""
    may_join = sample.is_texts_alone and not sample.is_error and len(sample.texts) > 1
    answered = run_result(
        plan,
        sample.texts,
        call,
        session,
        vocabulary,
        joined=join(sample.texts) if may_join else None,
        can_retrieve=True,
        detail=True,
        clock=_still,
    )
    is_one = answered.one is not None
    received, outcomes = answered.payloads, answered.outcomes
    if is_one and len(outcomes) == len(sample.texts):
        # One sentence speaks of all texts; which rule each is under shows in what it would be for itself.
        tokens_in = sum(outcome.trace.tokens_in for outcome in answered.untaken)
    elif is_one:
        tokens_in = sum(map(vocabulary.count, sample.texts))
    else:
        tokens_in = sum(outcome.trace.tokens_in for outcome in outcomes)
    tokens_out = (
        vocabulary.count(answered.texts[0])
        if is_one
        else sum(outcome.trace.tokens_out for outcome in outcomes)
    )
    return Result(received, outcomes, answered.texts, tokens_in, tokens_out)


def outcome_of(
    plan: Plan, payload: Payload, call: Call, session: Session, vocabulary: Vocabulary, part: int = 0
) -> Outcome:
    """What is sent to a client that can fetch what is set aside, with all detail.

    `part` is which text of the result it is, from 0.

    No budget of time runs out: a busy machine must not make a test fail or a comparison differ.
    """
    return run(
        plan, payload, call, session, vocabulary, part=part, can_retrieve=True, detail=True, clock=_still
    )


def _still() -> float:
    return 0.0
