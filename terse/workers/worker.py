"""The process that runs plans for another one. It ends with it.

It has no state but the plan and the vocabulary: what a run asks about the session, or sets aside, goes back
over the socket.
"""

from __future__ import annotations

import gc
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from terse.memory.history import Earlier
from terse.memory.session import Session
from terse.memory.store import Store
from terse.payload.call import Call
from terse.plan.model import Plan
from terse.plan.result import run_result
from terse.plan.stored import decode
from terse.plan.trace import Outcome, StepStatus
from terse.tokens import vocabulary
from terse.workers.frames import Done, Failed, Order, Question, Ready, receive, send

COLLECT_EVERY = 64
"""Orders after which what refers to itself is freed: between two of them, when nobody waits."""
_TOLD = (StepStatus.APPLIED, StepStatus.FAILED, StepStatus.OUT_OF_TIME)


class Unanswered(RuntimeError):  # noqa: N818 — says what happened to a question
    """What was asked of the session could not be said there."""


class _Asking:
    """Questions to the process that sent the order."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def __call__(self, name: str, *arguments: Any) -> Any:
        send(self._end, Question(name, arguments))
        answer = receive(self._end)
        if isinstance(answer, Failed):
            raise Unanswered(answer.what)
        return answer.value


class _Store(Store):
    """The values set aside in a session that is elsewhere."""

    def __init__(self, ask: _Asking) -> None:
        super().__init__()
        self._ask = ask

    @property
    def free_bytes(self) -> int:
        return int(self._ask("free_bytes"))

    def keep(self, texts: Mapping[str, str]) -> bool:
        return not texts or bool(self._ask("keep", dict(texts)))

    def get(self, handle: str) -> str | None:
        found: str | None = self._ask("get", handle)
        return found


class _Session(Session):
    """A session that is elsewhere, as far as a run reads it.

    Args:
        earlier: what is known already of the call's first text.
    """

    def __init__(self, ask: _Asking, order: Order) -> None:
        super().__init__()
        self._ask = ask
        self._order = order
        self.store = _Store(ask)

    @property
    def tokens_sent(self) -> int:
        return int(self._ask("tokens_sent"))

    def calls_since(self, call: Call) -> int | None:
        found: int | None = self._ask("calls_since", call)
        return found

    def earlier(self, call: Call, part: int = 0, number: int | None = None) -> tuple[Earlier, ...]:
        if part == 0 and number == self._order.number:
            return tuple(self._order.earlier)
        return tuple(self._ask("earlier", call, part, number))


def main(descriptor: int) -> None:
    """Take orders until the other process is gone.

    Args:
        descriptor: our end of the socket.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # They are sent to all of a group, and what is under way is still to be answered.
        signal.signal(number, signal.SIG_IGN)
    end = socket.socket(fileno=descriptor)
    vocabulary().warm()
    gc.collect()
    # What is there now stays. What comes is freed by itself, or between orders.
    gc.freeze()
    gc.disable()
    plan: Plan | None = None
    orders = 0
    try:
        send(end, Ready())
        while True:
            order: Order = receive(end)
            plan = plan if order.plan is None else decode(order.plan)
            assert plan is not None, "INVARIANT: the first order has a plan"
            send(end, _done(plan, order, _Asking(end)))
            del order
            orders += 1
            if orders % COLLECT_EVERY == 0:
                gc.collect()
    except (EOFError, OSError):
        return


def _done(plan: Plan, order: Order, ask: _Asking) -> Done | Failed:
    try:
        answered = run_result(
            plan,
            order.texts,
            order.call,
            _Session(ask, order),
            vocabulary(order.vocabulary),
            joined=order.joined,
            number=order.number,
            can_retrieve=order.can_retrieve,
            retrieve_tool=order.retrieve_tool,
            sizes=order.sizes,
        )
    except (OSError, EOFError):
        raise
    # Not only Exception: a panic in a tokenizer's native code arrives as a BaseException.
    except BaseException as error:
        return Failed(type(error).__name__)
    is_joined = len(answered.payloads) < len(answered.received)
    outcomes, untaken = (tuple(map(_brief, each)) for each in (answered.outcomes, answered.untaken))
    return Done(is_joined, outcomes, answered.one, untaken)


def _brief(outcome: Outcome) -> Outcome:
    """Without the steps that neither did anything nor failed: there are many, and nobody asks there."""
    steps = tuple(step for step in outcome.trace.steps if step.status in _TOLD or step.bound)
    return replace(outcome, trace=replace(outcome.trace, steps=steps))


if __name__ == "__main__":
    main(int(sys.argv[1]))
