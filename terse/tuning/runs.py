"""Rules really run on the sample: what each result costs under a plan, and what the client then fetches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from terse.guarantee import Guarantee, lowest
from terse.memory.session import Session
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.plan.model import Plan, SessionSize
from terse.plan.result import Answered, run_result
from terse.plan.run import sent
from terse.plan.trace import NOT_COUNTED, Outcome, StepStatus
from terse.tokens import TokenizerError, Vocabulary
from terse.tuning.material import Material, Side, Taken

MAX_GAP = 200
"""No tier looks further back than so many calls."""

_NOBODY = Call("", "")
_Tool = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of one result.

    Attributes:
        rules: the rules that applied, each once.
        lost: tokens that are gone.
        aside, aside_tokens: values that were set aside.
        fetched, fetched_tokens: those of them whose handles were fetched in the captured session.
        failed: something of ours failed on it.
    """

    tool: _Tool
    side: Side
    rules: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    guarantee: Guarantee
    lost: int = 0
    aside: int = 0
    aside_tokens: int = 0
    fetched: int = 0
    fetched_tokens: int = 0
    failed: bool = False


Runs = dict[int, Ran]
"""What became of each result, by its order."""


class Runner:
    """Runs plans on the sample."""

    def __init__(self, material: Material, vocabulary: Vocabulary) -> None:
        self._material = material
        self.vocabulary = vocabulary

    def run(self, plan: Plan, tools: Collection[_Tool] | None = None, side: Side | None = None) -> Runs:
        """What the plan makes of the results of these tools (None: all), of one half or of both."""
        found: Runs = {}
        session, name = Session(), None
        asks_size = any(isinstance(line, SessionSize) for rule in plan.rules for line in rule.when)
        for taken in self._material.calls:
            if taken.session != name:
                session, name = Session(), taken.session
            let_pass(session, taken)
            is_wanted = (tools is None or taken.tool in tools) and side in (None, taken.side)
            if is_wanted or asks_size:
                ran = self._one(plan, taken, session)
                if is_wanted:
                    found[taken.order] = ran
            else:
                # Its group is of one half and one tool: nothing that is run speaks of it.
                session.record(taken.call, 0)
        return found

    def _one(self, plan: Plan, taken: Taken, session: Session) -> Ran:
        texts, count = taken.texts, self.vocabulary.count
        try:
            answered = answer(plan, taken, session, self.vocabulary)
            before, after = (sum(map(count, each)) for each in (texts, answered.texts))
        except TokenizerError:
            session.record(taken.call, 0)
            return Ran(taken.tool, taken.side, (), 0, 0, Guarantee.EXACT, failed=True)
        outcomes = answered.outcomes
        named = (outcome.trace.rule.name for outcome in outcomes if outcome.trace.rule)
        asked = self._material.fetched.get(taken.session, frozenset())
        handles = [handle for outcome in outcomes for handle in outcome.trace.handles]
        sizes = {handle: count(session.store.get(handle) or "") for handle in handles}
        return Ran(
            taken.tool,
            taken.side,
            tuple(dict.fromkeys(named)),
            before,
            after,
            guarantee_of(answered, texts),
            sum(round(_lost(outcome, count(text))) for outcome, text in _with_texts(outcomes, texts)),
            len(sizes),
            sum(sizes.values()),
            sum(handle in asked for handle in sizes),
            sum(size for handle, size in sizes.items() if handle in asked),
            any(map(_failed, (*outcomes, *answered.untaken))),
        )


def let_pass(session: Session, taken: Taken) -> None:
    """Count the calls of the captured session that stand before this one and are not in the sample."""
    for _ in range(min(taken.gap, MAX_GAP)):
        session.record(_NOBODY, 0)


def answer(plan: Plan, taken: Taken, session: Session, vocabulary: Vocabulary) -> Answered:
    """What is sent of a result to a client that can fetch what is set aside; the session then knows of it.

    No budget of time runs out, so that figures do not depend on the machine.

    Raises:
        TokenizerError: the tokenizer gave up on a text.
    """
    call, texts = taken.call, taken.texts
    may_join = taken.is_texts_alone and not call.is_error and len(texts) > 1
    answered = run_result(
        plan,
        texts,
        call,
        session,
        vocabulary,
        joined=join(texts) if may_join else None,
        can_retrieve=True,
        clock=_still,
    )
    sent(plan, answered.outcomes, call, session, vocabulary)
    return answered


def guarantee_of(answered: Answered, texts: tuple[str, ...]) -> Guarantee:
    """The class of the whole result: the lowest of its parts, and exact where it is sent as it came."""
    if answered.texts == texts:
        return Guarantee.EXACT
    return lowest(outcome.guarantee for outcome in answered.outcomes)


def _with_texts(outcomes: Iterable[Outcome], texts: tuple[str, ...]) -> Iterator[tuple[Outcome, str]]:
    found = tuple(outcomes)
    return zip(found, texts if len(found) == len(texts) else ("".join(texts),) * len(found), strict=True)


def _lost(outcome: Outcome, tokens: int) -> float:
    trace = outcome.trace
    return trace.lost_percent * (tokens if trace.tokens_in == NOT_COUNTED else trace.tokens_in) / 100


def _failed(outcome: Outcome) -> bool:
    trace = outcome.trace
    return trace.gate.failed or any(step.status is StepStatus.FAILED for step in trace.steps)


def _still() -> float:
    return 0.0
