"""Whether an answer has left this process: what it has not, dies with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

TRANSPORT = "terse.transport"
"""Where the scope of a request has the `asyncio.Transport` that its answer is written to."""
READS = 2
"""Turns of the event loop in which it is told of an end of the connection that has come already."""
STEP_SECONDS, PATIENCE_SECONDS = 0.002, 30.0


async def is_there(scope: Scope) -> bool:
    """Whether the client is still connected; False where nobody can say. To be asked before it is answered:
    afterwards nobody could tell whether it went because it has what it wanted.
    """
    for _ in range(READS):
        await asyncio.sleep(0)
    transport: Any = scope.get(TRANSPORT)
    return transport is not None and not transport.is_closing()


async def has_left(scope: Scope) -> bool:
    """Whether all that was sent is with the system, which sends it whatever becomes of this process.

    To be asked of what was sent to a client that `is_there`. Waits until it is; False where it never will be,
    or where nobody can say.
    """
    transport: Any = scope.get(TRANSPORT)
    if transport is None:
        return False
    for _ in range(int(PATIENCE_SECONDS / STEP_SECONDS)):
        if transport.is_closing():
            return False
        if transport.get_write_buffer_size() == 0:
            return True
        await asyncio.sleep(STEP_SECONDS)
    return False


class Noted(Response):
    """An answer of which is noted that it has left.

    Args:
        left: called once it has.
    """

    def __init__(self, answer: Response, left: Callable[[], Awaitable[None]]) -> None:
        self._answer = answer
        self._left = left
        self.status_code = answer.status_code
        self.background = None
        self.body = answer.body
        self.raw_headers = answer.raw_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See `Response`."""
        was_there = await is_there(scope)
        turned: list[bool] = []
        asyncio.get_running_loop().call_soon(turned.append, True)
        await self._answer(scope, receive, send)
        if not was_there:
            return
        # Where the loop has not turned meanwhile, a connection that is closed was closed by us, as the client
        # wanted no other answer on it.
        is_with_system = not turned and scope[TRANSPORT].get_write_buffer_size() == 0
        if is_with_system or await has_left(scope):
            await self._left()
