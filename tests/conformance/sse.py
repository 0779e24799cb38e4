"""What both halves of the bridge answer with: JSON, and streams of server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

PING_SECONDS = 15.0

Stream = asyncio.Queue[bytes | None]
"""Messages on their way to one client; None ends it."""


def streamed(messages: AsyncIterator[bytes], **headers: str) -> Response:
    """A response that sends each message as an event."""
    headers = {"cache-control": "no-cache, no-transform", **headers}
    return StreamingResponse(_events(messages), media_type="text/event-stream", headers=headers)


async def _events(messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for message in messages:
        yield b": ping\n\n" if not message else b"event: message\ndata: " + message + b"\n\n"


async def until_ended(stream: Stream) -> AsyncIterator[bytes]:
    """The messages of a stream; an empty one each time nothing came for a while."""
    while True:
        try:
            message = await asyncio.wait_for(stream.get(), PING_SECONDS)
        except TimeoutError:
            yield b""
            continue
        if message is None:
            return
        yield message


def refused(
    status: int, code: int, message: str, ident: Any = None, data: Any = None, **headers: str
) -> Response:
    """A JSON-RPC error as a response of its own."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return as_json({"jsonrpc": "2.0", "id": ident, "error": error}, status)


def as_json(message: Any, status: int = 200) -> Response:
    return Response(json.dumps(message), status, media_type="application/json")
