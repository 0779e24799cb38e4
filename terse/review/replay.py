"""Recorded sessions run through a policy: what each call would have cost, with what came before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terse.capture.recorded import Notes, RecordedCall, numbered_calls
from terse.guarantee import Guarantee, lowest
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
    servers: dict[str, _Server] = {}
    before: dict[tuple[str, str, str], Sequence[str]] = {}
    for each in calls:
        if each.server not in servers:
            servers[each.server] = _Server(plan, each.server, calls, shows, counted)
        made = servers[each.server].call(each)
        key = (each.server, each.tool, each.arguments)
        had, before[key] = before.get(key), made.received
        is_repeat = None if had is None or each.sample.is_error else had == made.received
        yield _figures(each, made, is_repeat, counted)


class _Server(Complaints):
    """The connection of a session with one server, and what is said of its results."""

    def __init__(
        self, plan: Plan, name: str, calls: Sequence[RecordedCall], shows: Shown, counted: Vocabulary
    ) -> None:
        super().__init__()
        self._shows = shows
        self._problems: list[str] = []
        self._outcomes: list[tuple[Payload, Outcome]] = []
        typed: dict[str, bool] = {}
        for each in calls:
            if each.server == name:
                has = each.sample.has_structured
                typed[each.tool] = typed.get(each.tool, False) or has
        session = ProxySession(plan, name, counted, self, client=shows, clock=_still, tell=self._note)
        self._recorded = Recorded(session, typed.items())

    def call(self, call: RecordedCall) -> _Made:
        """What became of the next call."""
        self._problems, self._outcomes = [], []
        message = self._recorded.call(call.tool, call.arguments, call.result)
        sent = parse(message.decode())
        assert isinstance(sent, dict), "INVARIANT: what is sent is a message still"
        results = [parse(call.result), sent["result"]]
        received, given = (shown_texts(each, self._shows) for each in results if isinstance(each, dict))
        return _Made(received, given, tuple(self._outcomes), tuple(self._problems))

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


class _Made(NamedTuple):
    """What the client shows of a result as it came, and as it was sent."""

    received: Sequence[str]
    sent: Sequence[str]
    outcomes: Sequence[tuple[Payload, Outcome]]
    problems: tuple[str, ...]


def _figures(call: RecordedCall, made: _Made, is_repeat: bool | None, counted: Vocabulary) -> Replayed:
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
