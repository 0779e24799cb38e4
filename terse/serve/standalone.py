"""Requests since 2026-07-28: each stands alone, says itself who asks and how, and belongs to no session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read
from terse.proxy.spans import MALFORMED
from terse.serve.attached import Open
from terse.serve.limits import Limits
from terse.serve.replies import (
    AWAY,
    EVENT_HEADERS,
    EVENTS,
    INVALID,
    PARSE,
    UNKNOWN_METHOD,
    answered,
    busy,
    is_batch,
    refused,
)
from terse.serve.shared import Shared
from terse.serve.stream import Stream, event
from terse.serve.threads import Threads

META = "io.modelcontextprotocol/"
REMOVED = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")
"""Methods of earlier versions: the transport says that they are gone, whatever the server would."""
STARTS_AFTER = 2.0
"""Seconds after which a stream of events begins though nothing was said: until then, one answer is JSON."""


class Standalone:
    """The servers that such requests share: one for each user, and for clients that are alike.

    Args:
        opens: starts a server to be shared.
        kind: what clients of a name have in common, by `clientInfo.name`: only those of one kind share a
            server, as what it says is made for them.
    """

    def __init__(
        self, opens: Open, kind: Callable[[str | None], str], limits: Limits, threads: Threads
    ) -> None:
        self._opens = opens
        self._kind = kind
        self._limits = limits
        self._threads = threads
        self._shared: dict[tuple[str, str], Shared] = {}
        self._starting = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._shared)

    async def post(self, request: Request, caller: str, body: bytes, found: Sequence[Message]) -> Response:
        """Answer a POST."""
        from mcp.shared.inbound import (
            ERROR_CODE_HTTP_STATUS,
            InboundLadderRejection,
            classify_inbound_request,
            find_duplicated_routing_header,
            validate_mcp_param_headers,
        )

        message = found[0]
        if is_batch(body) or message.method is None:
            return refused(400, INVALID, "a request of this version is one message")
        if "id" not in message.members:
            return Response(status_code=202)
        if message.id is None:
            return refused(400, INVALID, "the id has to be a string or a number")
        raw_id = message.raw_id
        if message.method in REMOVED:
            return answered(404, failure(raw_id, UNKNOWN_METHOD, "Method not found"))
        twice = find_duplicated_routing_header(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw
        )
        if twice is not None:
            return answered(400, failure(raw_id, -32020, f"the header {twice} stands twice"))
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError):
            # What a server that is near might read, and we do not: no UTF-8, or nested very deep.
            return answered(400, failure(raw_id, PARSE, "the body cannot be read"))
        rejected: Any = classify_inbound_request(decoded, headers=request.headers)
        try:
            shared = await self._server(caller, self._kind(_client(message)))
        except OSError as failed:
            reason = f"the server cannot be started: {failed.strerror or failed}"
            return answered(502, failure(raw_id, AWAY, reason))
        if shared is None:
            return answered(503, failure(raw_id, AWAY, "there are too many sessions: try again later"))
        if not isinstance(rejected, InboundLadderRejection) and message.method == "tools/call":
            meta = message.raw[slice(*message.params["_meta"])] if "_meta" in message.params else None
            schema = await shared.schema(message.param("name") or "", meta)
            arguments = decoded["params"].get("arguments") or {}
            if schema is not None and isinstance(arguments, dict):
                rejected = validate_mcp_param_headers(schema, arguments, request.headers)
        if isinstance(rejected, InboundLadderRejection):
            error: dict[str, Any] = {"code": rejected.code, "message": rejected.message}
            if rejected.data is not None:
                error["data"] = rejected.data
            refusal = b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (raw_id, json.dumps(error).encode())
            return answered(ERROR_CODE_HTTP_STATUS.get(rejected.code, 400), refusal)
        asked = shared.ask(message)
        if asked is None:
            return busy()
        ident, stream = asked
        if not await _unless_gone(request, stream.wait(STARTS_AFTER)):
            shared.cancel(ident)
            return Response(status_code=499)
        only = stream.only()
        if only is not None:
            code = _error_code(only)
            return answered(200 if code is None else ERROR_CODE_HTTP_STATUS.get(code, 200), only)
        return StreamingResponse(
            self._events(shared, ident, stream), media_type=EVENTS, headers=EVENT_HEADERS
        )

    def sweep(self, now: float) -> None:
        """Give up what takes too long."""
        for shared in list(self._shared.values()):
            shared.give_up_late(now)
            if shared.is_idle(now):
                self._ended(shared)

    def end_streams(self) -> None:
        """Nothing is said any more."""
        for shared in self._shared.values():
            shared.refuse_all("the service is stopping: ask again")

    def close(self) -> None:
        """End all servers."""
        for shared in list(self._shared.values()):
            self._ended(shared)

    async def _events(self, shared: Shared, ident: str, stream: Stream) -> AsyncIterator[bytes]:
        try:
            async for found in stream.read(None, self._limits.silence):
                yield b": still here\n\n" if found is None else event(found[1], None)
        finally:
            shared.cancel(ident)

    async def _server(self, caller: str, kind: str) -> Shared | None:
        """
        Raises:
            OSError: it cannot be started.
        """
        async with self._starting:
            shared = self._shared.get((caller, kind))
            if shared is not None:
                return shared
            if len(self._shared) >= self._limits.sessions:
                return None
            shared = Shared(caller, asyncio.get_running_loop(), self._limits, self._ended)
            await self._threads.start(shared.open, self._opens)
            if not shared.is_over:
                self._shared[caller, kind] = shared
            return shared

    def _ended(self, shared: Shared) -> None:
        self._shared = {key: each for key, each in self._shared.items() if each is not shared}
        self._threads.end(shared.close)


def _client(message: Message) -> str | None:
    """How the client that asks calls itself."""
    info = message.meta(f"{META}clientInfo")
    name = None if info is None else message.inside(info).get("name")
    return None if name is None else message.text(name)


def _error_code(answer: bytes) -> int | None:
    try:
        message = read(answer)
        error = message.inside(message.members["error"]) if "error" in message.members else {}
        return int(message.raw[slice(*error["code"])]) if "code" in error else None
    except MALFORMED:
        return None


async def _unless_gone(request: Request, waiting: Awaitable[object]) -> bool:
    """Wait for something; False: the client has gone away before."""
    waited = asyncio.ensure_future(waiting)
    gone = asyncio.ensure_future(request.receive())
    done, _ = await asyncio.wait((waited, gone), return_when=asyncio.FIRST_COMPLETED)
    if waited in done:
        gone.cancel()
        return True
    waited.cancel()
    return False
