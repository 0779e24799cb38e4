"""Whether an answer has left this process: what it has not, dies with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

TRANSPORT = "terse.transport"
"""Where the scope of a request has the `asyncio.Transport` that its answer is written to."""
STEP_SECONDS, PATIENCE_SECONDS = 0.002, 30.0


async def has_left(scope: Scope) -> bool:
    """Whether all that was sent is with the system, which sends it whatever becomes of this process.

    Waits until it is; False where it never will be, or where nobody can say.
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
        await self._answer(scope, receive, send)
        if await has_left(scope):
            await self._left()
