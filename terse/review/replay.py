"""Recorded sessions run through a policy: what each call would have cost, with what came before it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from time import thread_time
from typing import NamedTuple

from terse.capture.recorded import Notes, RecordedCall, numbered_calls
from terse.guarantee import Guarantee, lowest
from terse.listing.definition import compact
from terse.memory.store import Store
from terse.payload.exact import parse
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.result import Answered
from terse.plan.stored import decode
from terse.plan.trace import Outcome, StepStatus
from terse.proxy.clients import Shown
from terse.proxy.complaints import Complaints
from terse.proxy.recorded import Recorded
from terse.proxy.session import ProxySession
from terse.proxy.structured import shown_texts
from terse.report.replayed import Replayed
from terse.tokens import Vocabulary, vocabulary

MAX_REMEMBERED = 65_536
"""Calls of a session of which it is remembered what they gave."""


@dataclass(frozen=True, slots=True)
class Job:
    """One session to replay, as it is handed to another process: the plans are encoded.

    Attributes:
        shows: what the client shows its model.
    """

    calls: tuple[RecordedCall, ...]
    plans: tuple[bytes, ...]
    vocabulary: str
    shows: Shown


def sessions(name: str, lines: Iterable[bytes], notes: Notes) -> list[tuple[RecordedCall, ...]]:
    """The sessions of a capture, each with its calls in order.

    Args:
        name: the capture, for notes.
        notes: gets a sentence for each line that is no call, and is left out.
    """
    found: dict[str, list[RecordedCall]] = {}
    for _, call in numbered_calls(name, lines, notes):
        found.setdefault(call.session, []).append(call)
    return [tuple(calls) for calls in found.values()]


def replay(job: Job) -> list[tuple[Replayed, ...]]:
    """What became of each call of a session, under each of the plans: its messages go the proxy's own way.

    The client lists the tools first, and those whose results have `structuredContent` have an
    `outputSchema`. No budget of time runs out, so that figures do not depend on the machine.
    """
    counted = vocabulary(job.vocabulary)
    return list(
        zip(*(_under(decode(plan), job.calls, job.shows, counted) for plan in job.plans), strict=True)
    )


def _under(
    plan: Plan, calls: Sequence[RecordedCall], shows: Shown, counted: Vocabulary
) -> Iterator[Replayed]:
    session = SessionReplay(plan, shows, counted, typed_tools(calls))
    repeats = Repeats()
    for each in calls:
        made = session.call(each)
        yield figures(each, made, repeats.seen(each, made.received), counted)


Typed = Mapping[str, Mapping[str, bool]]
"""By server, its tools, and whether results of each have `structuredContent`."""


def typed_tools(calls: Iterable[RecordedCall]) -> Typed:
    """The tools that calls are of."""
    found: dict[str, dict[str, bool]] = {}
    for each in calls:
        tools = found.setdefault(each.server, {})
        tools[each.tool] = tools.get(each.tool, False) or each.sample.has_structured
    return found


class Repeats:
    """Which calls of a session were made before, and whether they gave the same."""

    def __init__(self) -> None:
        self._before: OrderedDict[bytes, bytes] = OrderedDict()

    def seen(self, call: RecordedCall, received: Sequence[str]) -> bool | None:
        """Whether the call gave what it had given; None of a first call, and of an error."""
        key = _digest([call.server, call.tool, call.arguments])
        had, given = self._before.get(key), _digest(received)
        self._before[key] = given
        if len(self._before) > MAX_REMEMBERED:
            self._before.popitem(last=False)
        return None if had is None or call.sample.is_error else had == given


def _digest(texts: Sequence[str]) -> bytes:
    digest = blake2b(digest_size=16)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
    return digest.digest()


class SessionReplay:
    """A recorded session under a plan, call after call.

    Args:
        typed: all tools that it calls.
        remembers: whether results may speak of earlier ones.
        most_bytes: what earlier results, and values that were set aside, may take; None: as much as usual.
    """

    def __init__(
        self,
        plan: Plan,
        shows: Shown,
        counted: Vocabulary,
        typed: Typed,
        *,
        remembers: bool = True,
        most_bytes: int | None = None,
    ) -> None:
        self._about = plan, shows, counted
        self._typed = typed
        self._remembers = remembers
        self._most_bytes = most_bytes
        self._servers: dict[str, _Server] = {}

    def call(self, call: RecordedCall) -> Made:
        """What became of the next call.

        Raises:
            NotExact: its result nests deeper than is ever read.
        """
        server = self._servers.get(call.server)
        if server is None:
            server = self._servers[call.server] = _Server(
                *self._about,
                call.server,
                self._typed.get(call.server, {}),
                remembers=self._remembers,
                most_bytes=self._most_bytes,
            )
        return server.call(call)

    @property
    def added(self) -> int:
        """Tokens of our own tools in the lists that the client was shown so far."""
        return sum(server.added for server in self._servers.values())


class _Server(Complaints):
    """The connection of a session with one server, and what is said of its results."""

    def __init__(
        self,
        plan: Plan,
        shows: Shown,
        counted: Vocabulary,
        name: str,
        typed: Mapping[str, bool],
        *,
        remembers: bool,
        most_bytes: int | None,
    ) -> None:
        super().__init__()
        self._shows = shows
        self._counted = counted
        self._problems: list[str] = []
        self._outcomes: list[tuple[Payload, Outcome]] = []
        self._store = Store() if most_bytes is None else Store(most_bytes)
        self._session = ProxySession(
            plan,
            name,
            counted,
            self,
            client=shows,
            store=self._store,
            memory_bytes=most_bytes,
            remembers=remembers,
            clock=_still,
            tell=self._note,
        )
        self._recorded = Recorded(self._session, typed.items())

    @property
    def added(self) -> int:
        """Tokens that our own tools take in the list that the client was shown."""
        own = self._session.own_tool
        if own is None:
            return 0
        listed = parse(self._recorded.listed.decode())
        result = listed.get("result") if isinstance(listed, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        return sum(
            self._counted.count(compact(tool))
            for tool in (tools if isinstance(tools, list) else ())
            if isinstance(tool, dict) and tool.get("name") == own
        )

    def call(self, call: RecordedCall) -> Made:
        """What became of the next call."""
        self._problems, self._outcomes = [], []
        start = thread_time()
        message = self._recorded.call(call.tool, call.arguments, call.result)
        seconds = thread_time() - start
        sent = parse(message.decode())
        assert isinstance(sent, dict), "INVARIANT: what is sent is a message still"
        results = [parse(call.result), sent["result"]]
        received, given = (shown_texts(each, self._shows) for each in results if isinstance(each, dict))
        handles = {
            handle for _, outcome in self._outcomes if outcome.changed for handle in outcome.trace.handles
        }
        aside = [text for handle in handles if (text := self._store.get(handle)) is not None]
        return Made(
            received,
            given,
            tuple(self._outcomes),
            tuple(self._problems),
            may_change=self._session.touches(call.tool),
            aside=sum(map(self._counted.count, aside)),
            milliseconds=1000 * seconds,
        )

    def say(self, kind: str, message: str) -> None:
        """Nothing goes to stderr: what fails stands in the report."""

    def say_failed(self, what: str, error: BaseException) -> None:
        self._problems.append(f"{what} failed: {type(error).__name__}")

    def _note(self, answered: Answered, outcomes: Sequence[Outcome]) -> None:
        payloads = answered.payloads if len(answered.payloads) == len(outcomes) else answered.received
        self._outcomes += zip(payloads, outcomes, strict=True)
        for outcome in (*answered.outcomes, *answered.untaken):
            trace = outcome.trace
            found = [trace.gate.verdict] if trace.gate.failed else []
            found += [
                f"{step.label} failed: {step.note}"
                for step in trace.steps
                if step.status is StepStatus.FAILED
            ]
            self._problems += [problem for problem in found if problem not in self._problems]


class Made(NamedTuple):
    """What the client shows of a result as it came, and as it was sent.

    Attributes:
        outcomes: of its texts, or of the one that stands for all; empty where no rule was run.
        may_change: rules speak of results of the tool.
        aside: tokens of the values that were set aside.
        milliseconds: of the processor.
    """

    received: Sequence[str]
    sent: Sequence[str]
    outcomes: Sequence[tuple[Payload, Outcome]]
    problems: tuple[str, ...]
    may_change: bool
    aside: int
    milliseconds: float


def figures(call: RecordedCall, made: Made, is_repeat: bool | None, counted: Vocabulary) -> Replayed:
    """The figures of a call.

    Args:
        is_repeat: see `Repeats.seen`.
    """
    lost = sum(
        outcome.trace.lost_percent * counted.count(payload.text) / 100
        for payload, outcome in made.outcomes
        if outcome.trace.lost_percent
    )
    return Replayed(
        server=call.server,
        tool=call.tool,
        before=sum(map(counted.count, made.received)),
        after=sum(map(counted.count, made.sent)),
        guarantee=lowest(outcome.guarantee for _, outcome in made.outcomes)
        if made.outcomes
        else Guarantee.EXACT,
        lost=round(lost),
        repeat=is_repeat,
        characters=sum(map(len, made.received)),
        problems=made.problems,
    )


def _still() -> float:
    return 0.0
