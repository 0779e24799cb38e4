"""Running a chain: each step is kept only if the whole result has fewer tokens than before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from terse.guarantee import Guarantee
from terse.layout.document import cells, tables
from terse.plan import describe
from terse.plan.limits import Limits
from terse.plan.model import Step
from terse.plan.scale import Scale
from terse.plan.trace import NOT_COUNTED, StepStatus, StepTrace
from terse.tiers.spec import PLAIN_GAIN, SMALL, Context, Draft, Memory, Skip, State, Tier

DEFAULT_BUDGET_MS = 150
"""What a chain may take when the rule does not say `spend at most`."""

FAR_SMALLER = 10
"""A delta with a tenth of the result's tokens is taken at once: no form of the whole is likely to be smaller,
and the time to look for one is better left to other results."""

LEAST_TOLD_MS = 0.05
"""A step that took less took no time: reports tell tenths, and its trace is like that of any other run."""

_HANDLE = re.compile(r"\bh[0-9]{9}\b")


@dataclass(frozen=True, slots=True)
class Chained:
    """What a chain came to: its draft, and what each step did."""

    draft: Draft
    steps: tuple[StepTrace, ...]
    scale: Scale

    @property
    def tokens(self) -> int:
        """Of the draft, counted when first asked for: what came through as it was need not be.

        Raises:
            TokenizerError: the tokenizer gave up on it.
        """
        return self.scale.count(self.draft.text)


class _Ended(NamedTuple):
    """How a step ended: with the draft it made if it was applied, else with the one it was given."""

    status: StepStatus
    note: str
    draft: Draft
    milliseconds: float


class Chain:
    """A rule's chain, ready to run on the drafts of one call."""

    def __init__(
        self,
        steps: Sequence[Step],
        tiers: Mapping[str, Tier],
        limits: Limits,
        scale: Scale,
        clock: Callable[[], float],
        budget_ms: int,
    ) -> None:
        """
        Args:
            clock: seconds, never going back.
        """
        self._steps = steps
        self._tiers = tiers
        self._limits = limits
        self._scale = scale
        self._clock = clock
        self._seconds = budget_ms / 1000
        self._large_enough: tuple[Draft | None, int] = (None, 0)
        self._forbidden: dict[str, str] = {}
        self._now = self._began = 0.0

    def idle(self, size_bytes: int) -> tuple[StepTrace, ...] | None:
        """The traces of a chain none of whose steps will run on a text of this size; None when one may.

        A text of n bytes has at most n tokens, so nothing is counted for this.
        """
        traces = []
        for step in self._steps:
            tier = self._tiers[step.tier]
            status, why = StepStatus.FORBIDDEN, self._limits.on_tier(tier)
            if not why:
                if size_bytes >= tier.least_tokens:
                    return None
                status, why = StepStatus.SKIPPED, _left_alone(tier)
            label = describe.step(step, tier.options)
            given = (label, step.at, status, NOT_COUNTED, NOT_COUNTED, tier.guarantee, why)
            traces.append(StepTrace(*given, tier=tier.name))
        return tuple(traces)

    @property
    def remembers(self) -> bool:
        """Whether a step that may run speaks of earlier results: then this one is worth remembering."""
        return any(
            self._tiers[step.tier].needs_memory and not self._limits.on_tier(self._tiers[step.tier])
            for step in self._steps
        )

    def run(
        self,
        draft: Draft,
        handles: Mapping[str, str],
        memory: Memory | None = None,
        let_go: Callable[[], None] | None = None,
    ) -> Chained:
        """Run the steps left to right.

        Args:
            handles: the handles that stand in the draft: they must stay readable.
            memory: of the draft, for the steps that speak of earlier results.
            let_go: forgets the document that the draft is of, which is parsed anew if asked for; called
                once a step has laid it out.

        Raises:
            TokenizerError: the tokenizer gave up on the draft itself.
        """
        chained = self._run(draft, handles, memory, let_go, counted=False)
        if chained.draft is draft or self._scale.reaches(draft.text, chained.tokens + 1):
            return chained
        # INVARIANT: estimates save time and cost no token: where they were wrong, every step is counted.
        return self._run(draft, handles, memory, let_go, counted=True)

    def _run(
        self,
        draft: Draft,
        handles: Mapping[str, str],
        memory: Memory | None,
        let_go: Callable[[], None] | None,
        *,
        counted: bool,
    ) -> Chained:
        present = _HANDLE.findall(draft.text) if handles else ()
        wanted = {handle for handle in present if handle in handles}
        # Counted before the budget begins: the first count of a process builds the vocabulary.
        self._scale.reaches(draft.text, SMALL)
        start = self._now = self._began = self._clock()
        context = Context(
            self._scale.count, lambda: self._clock() - start > self._seconds, memory, self._scale.reaches
        )
        traces: list[StepTrace] = []
        done: list[tuple[Step, _Ended, Draft]] = []
        received, at_once = draft, None
        tried: dict[int, _Ended] = {}
        if memory is not None and memory.earlier:
            # A delta need not repeat a handle that the client was sent before.
            wanted -= set(_HANDLE.findall(memory.earlier[0].text))
            # Half of the time at most: where it is not enough, the other steps still have theirs.
            half = replace(context, expired=lambda: self._clock() - start > self._seconds / 2)
            at_once, tried = self._at_once(draft, half, wanted)
        for place, step in enumerate(self._steps):
            before = draft
            if at_once is None:
                idle = None if self._scale.tells_all else self._not_for(step, draft)
                if idle is not None:
                    traces.append(idle)
                    continue
                ended = self._one(step, draft, context, wanted, counted)
            elif place in tried:
                ended, before = tried[place], received
            else:
                ended = self._not_needed(step, draft)
            if ended.status is StepStatus.APPLIED:
                draft = ended.draft
                if let_go is not None and draft.state is State.LAYOUT:
                    let_go()
                    let_go = None
            if self._scale.tells_all:
                done.append((step, ended, before))
            else:
                # At once, and of what is known: what a step replaced need not stay in memory.
                traces.append(self._trace(step, ended, before))
        # Only now, out of the budget: what is counted for the trace must not cost a step.
        traces += [self._trace(step, ended, before) for step, ended, before in done]
        return Chained(draft, tuple(traces), self._scale)

    def _at_once(
        self, draft: Draft, context: Context, handles: set[str]
    ) -> tuple[int | None, dict[int, _Ended]]:
        """The first step that makes something far smaller of the draft by speaking of an earlier result: the
        others need not run then. By its place, with how those ended that were tried.
        """
        tried: dict[int, _Ended] = {}
        for place, step in enumerate(self._steps):
            if not self._tiers[step.tier].needs_memory:
                continue
            ended = tried[place] = self._one(step, draft, context, handles, True)
            if (
                ended.status is StepStatus.APPLIED
                and FAR_SMALLER * len(ended.draft.text) <= len(draft.text)
                and FAR_SMALLER * self._scale.count(ended.draft.text) <= self._scale.count(draft.text)
            ):
                return place, tried
        return None, {}

    def _not_needed(self, step: Step, draft: Draft) -> _Ended:
        status, why = StepStatus.FORBIDDEN, self._why_not(self._tiers[step.tier])
        if not why:
            status, why = StepStatus.SKIPPED, "not needed: what changed is far smaller"
        return _Ended(status, why, draft, 0.0)

    def _trace(self, step: Step, ended: _Ended, before: Draft) -> StepTrace:
        tier = self._tiers[step.tier]
        made = ended.draft
        known = self._known(before)
        if made is before and not ended.milliseconds and not tier.options:
            return _idle(tier.name, step.at, ended.status, known, tier.guarantee, ended.note)
        return StepTrace(
            describe.step(step, tier.options) if tier.options else step.tier,
            step.at,
            ended.status,
            known,
            known if made is before else self._known(made),
            tier.guarantee,
            ended.note,
            ended.milliseconds,
            after=made.text if self._scale.tells_all and ended.status is StepStatus.APPLIED else None,
            tier=tier.name,
        )

    def _known(self, draft: Draft) -> int:
        if draft.is_written or self._scale.tells_all:
            return self._scale.known(draft.text)
        return NOT_COUNTED

    def _is_under(self, draft: Draft, tokens: int) -> bool:
        """Whether the draft has fewer tokens than so many: of one with plainly more, nothing is written."""
        known, has = self._large_enough
        if known is draft and has >= tokens:
            # Asked before every step, and mostly of the draft that was asked of before.
            return False
        is_under = False
        document = None if draft.is_written else draft.document
        # No cell has less than a token, about: most documents need not be written for this.
        if document is None or sum(map(cells, tables(document.root))) < tokens:
            is_under = self._scale.is_under(draft.text, tokens)
        if not is_under:
            self._large_enough = (draft, tokens)
        self._now = self._clock()
        return is_under

    def _not_for(self, step: Step, draft: Draft) -> StepTrace | None:
        """The trace of a step for other drafts than this one: most steps of a long chain are.

        None where more has to be asked, the draft's size first of all.
        """
        known, has = self._large_enough
        tier = self._tiers[step.tier]
        if known is not draft or has < tier.least_tokens or draft.state in tier.takes or tier.options:
            return None
        if self._why_not(tier):
            return None
        note = _not_taken(tier.takes, draft.state)
        return _idle(tier.name, step.at, StepStatus.SKIPPED, self._known(draft), tier.guarantee, note)

    def _why_not(self, tier: Tier) -> str:
        why = self._forbidden.get(tier.name)
        if why is None:
            why = self._forbidden[tier.name] = self._limits.on_tier(tier)
        return why

    def _one(self, step: Step, draft: Draft, context: Context, handles: set[str], counted: bool) -> _Ended:
        tier = self._tiers[step.tier]
        if why := self._why_not(tier):
            return _Ended(StepStatus.FORBIDDEN, why, draft, 0.0)
        if self._is_under(draft, tier.least_tokens):
            return _Ended(StepStatus.SKIPPED, _left_alone(tier), draft, 0.0)
        if draft.state not in tier.takes:
            return _Ended(StepStatus.SKIPPED, _not_taken(tier.takes, draft.state), draft, 0.0)
        # One step begins when the one before it ended: the clock is not read twice for that.
        start = self._now
        if not tier.needs_memory and start - self._began > self._seconds:
            # What speaks of earlier results looks at the clock itself, and has mostly been done at the start.
            return _Ended(StepStatus.OUT_OF_TIME, f"after {1000 * self._seconds:g} ms", draft, 0.0)
        status, note, made = self._tried(tier, step, draft, context, handles, counted)
        self._now = self._clock()
        took = 1000 * (self._now - start)
        return _Ended(status, note, made, took if took >= LEAST_TOLD_MS else 0.0)

    def _tried(
        self, tier: Tier, step: Step, draft: Draft, context: Context, handles: set[str], counted: bool
    ) -> tuple[StepStatus, str, Draft]:
        try:
            result = tier.run(draft, step.options, context)
            if isinstance(result, Skip):
                return StepStatus.SKIPPED, result.reason, draft
            made = result.draft
            plainly = result.gain >= PLAIN_GAIN and not counted
            smaller = plainly or self._scale.is_smaller(made.text, draft.text)
        except Exception as error:
            return StepStatus.FAILED, f"{type(error).__name__}: {error}"[:200], draft
        if not smaller:
            return StepStatus.NO_GAIN, "not smaller", draft
        if handles and not handles <= set(_HANDLE.findall(made.text)):
            # INVARIANT: a handle in a result can be read and quoted as it stands.
            return StepStatus.SKIPPED, "it would take a handle apart", draft
        return StepStatus.APPLIED, result.note, made


@lru_cache(512)
def _idle(name: str, at: str, status: StepStatus, tokens: int, guarantee: Guarantee, note: str) -> StepTrace:
    """The trace of a step that did nothing in no time: most of a chain are for other kinds of payload."""
    return StepTrace(name, at, status, tokens, tokens, guarantee, note, tier=name)


@lru_cache(64)
def _not_taken(takes: frozenset[State], state: State) -> str:
    return f"it takes {' or '.join(sorted(each.value for each in takes))}, this is {state.value}"


def _left_alone(tier: Tier) -> str:
    return f"under {tier.least_tokens} tokens: left alone"
