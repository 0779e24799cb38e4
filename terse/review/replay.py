"""Recorded sessions run through a policy: what each call would have cost, with what came before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from terse.guarantee import Guarantee, lowest
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import JsonValue, NotExact, dump, parse, parse_unambiguous
from terse.payload.payload import Payload
from terse.payload.sample import Sample
from terse.plan.model import Plan
from terse.plan.run import run, sent
from terse.plan.stored import decode
from terse.plan.trace import NOT_COUNTED, Outcome, StepStatus
from terse.plan.whole import whole_repeat
from terse.report.replayed import Replayed
from terse.tokens import Vocabulary, vocabulary


class NotACapture(ValueError):  # noqa: N818 — says what is wrong with a line
    """A line of a capture is none. The message says which, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call of a recorded session, with the texts of its result that the client shows its model."""

    server: str
    tool: str
    arguments: str
    is_error: bool
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One session to replay, as it is handed to another process: the plans are encoded."""

    calls: tuple[Recorded, ...]
    plans: tuple[bytes, ...]
    vocabulary: str


def sessions(name: str, lines: Iterable[str], *, structured: bool) -> list[tuple[Recorded, ...]]:
    """The sessions of a capture, each with its calls in order.

    A line is an object with `server`, `tool`, `arguments` and `result`, the whole MCP result; lines with
    another `session` are of another session.

    Args:
        name: the capture, for messages.
        structured: as for a client that shows `structuredContent` where there is one, and drops the texts.

    Raises:
        NotACapture: a line is no such object.
    """
    found: dict[str, list[Recorded]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value: Any = parse_unambiguous(line)
        except NotExact as error:
            raise NotACapture(f"{name}:{number}: {error}") from None
        if (
            not isinstance(value, dict)
            or not all(type(value.get(key)) is str for key in ("server", "tool"))
            or not isinstance(value.get("result"), dict)
        ):
            raise NotACapture(f"{name}:{number}: no object with server, tool, arguments and result")
        arguments = value.get("arguments")
        found.setdefault(json.dumps(value.get("session")), []).append(
            Recorded(
                value["server"],
                value["tool"],
                dump(arguments) if isinstance(arguments, dict) else "{}",
                value["result"].get("isError") is True,
                tuple(_texts(value["result"], structured)),
            )
        )
    return [tuple(calls) for calls in found.values()]


def _texts(result: dict[str, JsonValue], structured: bool) -> Sequence[str]:
    content = result.get("structuredContent")
    if structured and isinstance(content, (dict, list)):
        return (dump(content),)
    return Sample.of(dump({"content": result.get("content", [])})).texts


def replay(job: Job) -> list[tuple[Replayed, ...]]:
    """What became of each call of a session, under each of the plans.

    No budget of time runs out, so that figures do not depend on the machine.
    """
    counted = vocabulary(job.vocabulary)
    return list(zip(*(_under(decode(plan), job.calls, counted) for plan in job.plans), strict=True))


def _under(plan: Plan, calls: Sequence[Recorded], counted: Vocabulary) -> Iterator[Replayed]:
    session = Session()
    seen: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for each in calls:
        arguments = parse(each.arguments)
        assert isinstance(arguments, dict), "INVARIANT: arguments were written from an object"
        call = Call(each.server, each.tool, arguments, each.is_error)
        outcomes: Sequence[Outcome] = [
            run(plan, Payload.of(text), call, session, counted, part=part, can_retrieve=True, clock=_still)
            for part, text in enumerate(each.texts)
        ]
        outcomes = whole_repeat(outcomes, call, session) or outcomes
        sent(plan, outcomes, call, session, counted)
        key = (each.server, each.tool, each.arguments)
        yield _figures(each, outcomes, seen.get(key), counted)
        seen[key] = each.texts


def _figures(
    call: Recorded, outcomes: Sequence[Outcome], before: tuple[str, ...] | None, counted: Vocabulary
) -> Replayed:
    shown = sum(map(counted.count, call.texts))
    emitted = 0
    lost = 0.0
    problems: list[str] = []
    for text, outcome in zip(call.texts, outcomes, strict=True):
        trace = outcome.trace
        emitted += counted.count(outcome.text) if trace.tokens_out == NOT_COUNTED else trace.tokens_out
        lost += trace.lost_percent * counted.count(text) / 100
        if trace.gate.failed:
            problems.append(trace.gate.verdict)
        problems += [
            f"{step.label} failed: {step.note}" for step in trace.steps if step.status is StepStatus.FAILED
        ]
    return Replayed(
        server=call.server,
        tool=call.tool,
        before=shown,
        after=emitted,
        guarantee=lowest(outcome.guarantee for outcome in outcomes) if outcomes else Guarantee.EXACT,
        lost=round(lost),
        repeat=None if before is None or call.is_error else before == call.texts,
        characters=sum(map(len, call.texts)),
        problems=tuple(problems),
    )


def _still() -> float:
    return 0.0
