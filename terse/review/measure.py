"""Captured calls under a policy, file by file: each session with its memory, and without.

INVARIANT: what is in memory hangs on the sessions that go on at once and on names, never on the size of a
capture.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from terse.capture.recorded import Notes, RecordedCall, lines_of, numbered_calls, recorded_calls
from terse.payload.exact import NotExact
from terse.payload.payload import Payload
from terse.plan.model import CallRepeats, Plan, SessionSize
from terse.plan.stored import decode
from terse.plan.trace import Outcome, StepStatus
from terse.proxy.clients import Shown
from terse.proxy.session import MAX_MESSAGE_BYTES
from terse.report.measured import Measured, Tally, Why
from terse.review.replay import Made, Repeats, SessionReplay, Typed, figures
from terse.tokens import Vocabulary, vocabulary

MAX_SESSIONS = 16
"""Sessions of one file that go on at once; another one lets the one go on anew that was silent longest."""
MOST_BYTES = 16 << 20
"""What earlier results of one session take, as those of a proxy with `--memory 16MB`."""
SMALL = 200
"""Tokens of a result under which a form of its own would cost more than it saves."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file to measure, as it is handed to another process: the plans are encoded.

    Attributes:
        against: other rules to compare with.
        shows: what the client shows its model.
    """

    path: str
    name: str
    plan: bytes
    against: bytes | None
    vocabulary: str
    shows: Shown


def measure_file(job: Job, read: Callable[[int], None] = lambda size: None) -> tuple[Tally, Notes]:
    """The figures of a file, and what of it was left out.

    Args:
        read: is told of each line how many bytes it has.

    Raises:
        OSError: it cannot be read.
    """
    counted = vocabulary(job.vocabulary)
    notes, tally = Notes(), Tally()
    typed = _typed(job.path)
    plan = decode(job.plan)
    against = None if job.against is None else decode(job.against)
    made = _Sessions(plan, against, job.shows, counted, typed, tally)

    def lines() -> Iterator[bytes]:
        for line in lines_of(job.path):
            yield line
            read(len(line))

    for number, call in numbered_calls(job.name, lines(), notes):
        place = f"{job.name}:{number}"
        try:
            tally.add(made.measured(call, place))
        except NotExact as error:
            notes.add(f"{place}: {error}")
    made.close()
    return tally, notes


def _typed(path: str) -> Typed:
    """All tools of a file, and whether their results have `structuredContent`."""
    found: dict[str, dict[str, bool]] = {}
    for call in recorded_calls(path, path):
        tools = found.setdefault(call.server, {})
        # What is not in the text is no key of it.
        has = '"structuredContent"' in call.result and call.sample.has_structured
        tools[call.tool] = tools.get(call.tool, False) or has
    return found


class _One:
    """A session: with its memory, and under other rules."""

    def __init__(self, session: SessionReplay, against: SessionReplay | None) -> None:
        self.session = session
        self.against = against
        self.repeats = Repeats()


class _Sessions:
    """The sessions of a file."""

    def __init__(
        self,
        plan: Plan,
        against: Plan | None,
        shows: Shown,
        counted: Vocabulary,
        typed: Typed,
        tally: Tally,
    ) -> None:
        self._plan = plan
        self._against = against
        self._shows = shows
        self._counted = counted
        self._typed = typed
        self._tally = tally
        self._open: OrderedDict[str, _One] = OrderedDict()
        self._closed: set[int] = set()
        # Nothing is remembered in it: it is of no session.
        self._alone = self._replay(plan, remembers=False)
        self._asks_history = any(
            isinstance(condition, (CallRepeats, SessionSize))
            for rule in plan.rules
            for condition in rule.when
        )

    def measured(self, call: RecordedCall, place: str) -> Measured:
        """The figures of the next call.

        Raises:
            NotExact: its result nests deeper than is ever read.
        """
        one = self._session(call.session)
        made = one.session.call(call)
        replayed = figures(call, made, one.repeats.seen(call, made.received), self._counted)
        alone = replayed.after
        if self._asks_history or _speaks_of_earlier(made):
            alone = sum(map(self._counted.count, self._alone.call(call).sent))
        against = None
        if one.against is not None:
            against = sum(map(self._counted.count, one.against.call(call).sent))
        why = _why(made, call, replayed.before)
        return Measured(
            replayed=replayed,
            alone=alone,
            against=against,
            kind=_kind(made),
            aside=made.aside,
            milliseconds=made.milliseconds,
            why=why,
            has_rule=made.may_change
            and (not made.outcomes or any(outcome.trace.rule is not None for _, outcome in made.outcomes)),
            place=place,
        )

    def close(self) -> None:
        """Take in what the sessions cost that are still open."""
        for one in self._open.values():
            self._tally.added += one.session.added
        self._open.clear()

    def _session(self, name: str) -> _One:
        one = self._open.get(name)
        if one is None:
            if hash(name) in self._closed:
                self._tally.resumed += 1
            else:
                self._tally.sessions += 1
            against = None if self._against is None else self._replay(self._against)
            one = self._open[name] = _One(self._replay(self._plan), against)
            while len(self._open) > MAX_SESSIONS:
                gone, closed = self._open.popitem(last=False)
                self._tally.added += closed.session.added
                self._closed.add(hash(gone))
        self._open.move_to_end(name)
        return one

    def _replay(self, plan: Plan, *, remembers: bool = True) -> SessionReplay:
        about = plan, self._shows, self._counted, self._typed
        return SessionReplay(*about, remembers=remembers, most_bytes=MOST_BYTES)


def _speaks_of_earlier(made: Made) -> bool:
    return any(
        step.tier in ("dedup", "diff") and step.status is StepStatus.APPLIED
        for _, outcome in made.outcomes
        for step in outcome.trace.steps
    )


def _kind(made: Made) -> str:
    """The kind of the longest text; where rules saw none, of the longest that was received."""
    if made.outcomes:
        return max((payload for payload, _ in made.outcomes), key=lambda each: len(each.text)).kind.value
    if not made.received:
        return "no text"
    return Payload.of(max(made.received, key=len)).kind.value


def _why(made: Made, call: RecordedCall, tokens: int) -> Why | None:
    """Why a result was sent as it came; None where it was not."""
    if list(made.received) != list(made.sent):
        return None
    if not made.received:
        return Why.NO_TEXT
    outcomes = [outcome for _, outcome in made.outcomes]
    if not made.may_change or (outcomes and all(outcome.trace.rule is None for outcome in outcomes)):
        return Why.NO_RULE
    if len(call.result) > MAX_MESSAGE_BYTES:
        return Why.TOO_LARGE
    if made.problems:
        return Why.FAILED
    if any(_is_forbidden(outcome) for outcome in outcomes):
        return Why.GUARD
    return Why.SMALL if tokens < SMALL else Why.NOTHING


def _is_forbidden(outcome: Outcome) -> bool:
    """Whether a guard forbids every step that would have been taken."""
    steps = [step for step in outcome.trace.steps if step.status is not StepStatus.SKIPPED]
    return bool(steps) and all(step.status is StepStatus.FORBIDDEN for step in steps)
