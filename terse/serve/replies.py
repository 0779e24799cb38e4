"""What is answered that no server said, and what the headers of a request ask for."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read
from terse.proxy.spans import MALFORMED

JSON, EVENTS = "application/json", "text/event-stream"
PARSE, INVALID, UNKNOWN_METHOD, AWAY = -32700, -32600, -32601, -32603
EVENT_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
RETRY_SECONDS = "5"


def answered(status: int, message: bytes) -> Response:
    """A message as the whole answer."""
    return Response(message.strip(), status, media_type=JSON)


def refused(status: int, code: int, text: str) -> Response:
    """An error that belongs to no request that could be read."""
    response = answered(status, failure(b"null", code, text))
    if status in (429, 503):
        response.headers["Retry-After"] = RETRY_SECONDS
    return response


def busy() -> Response:
    """The server has no room for one message more."""
    return refused(503, AWAY, "the server does not read: try again later")


def messages_in(body: bytes) -> list[Message]:
    """The messages of a body: one, or those of a batch (2025-03-26); none if it is something else."""
    try:
        if not is_batch(body):
            return [read(body)]
        return [read(bytes(each)) for each in msgspec.json.decode(body, type=list[msgspec.Raw])]
    except MALFORMED:
        return []


def is_batch(body: bytes) -> bool:
    """Whether the body is an array."""
    return body.lstrip()[:1] == b"["


def accepts(header: str, media_type: str) -> bool:
    """Whether `Accept` names the type, or a range with it."""
    wanted = {part.partition(";")[0].strip().lower() for part in header.split(",")}
    return not wanted.isdisjoint({media_type, f"{media_type.partition('/')[0]}/*", "*/*"})
