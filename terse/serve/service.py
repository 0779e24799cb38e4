"""The service: each HTTP request to the session it belongs to, and what comes back as JSON or as events."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read
from terse.proxy.spans import MALFORMED
from terse.serve.access import Access
from terse.serve.limits import Limits
from terse.serve.session import Open, Session
from terse.serve.stateless import REMOVED, Stateless
from terse.serve.stream import Stream, event

PATH = "/mcp"
SESSION, VERSION, LAST_EVENT = "mcp-session-id", "mcp-protocol-version", "last-event-id"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with `initialize`; without a header it is the second (its rule)."""
PRIMED_SINCE = "2025-11-25"
"""Since this version a stream begins with an empty event, so that it can be taken up from the start on."""
STARTS_AFTER = 2.0
"""Seconds after which a stream of events begins though nothing was said: until then, one answer is JSON."""
SWEEP_SECONDS = 5.0
_JSON, _EVENTS = "application/json", "text/event-stream"
_PARSE, _INVALID, _UNKNOWN_METHOD, _AWAY = -32700, -32600, -32601, -32603


class Service:
    """MCP over HTTP.

    Args:
        opens: starts a server for a session.
        opens_shared: the same for clients without sessions, which share what it starts.
    """

    def __init__(self, opens: Open, opens_shared: Open, access: Access, limits: Limits) -> None:
        self._opens = opens
        self._opens_shared = opens_shared
        self._access = access
        self._limits = limits
        self._sessions: dict[str, Session] = {}
        self._shared: Stateless | None = None
        self._sharing = asyncio.Lock()
        # One thread that lives as long as the process: the servers are its children.
        self._starter = ThreadPoolExecutor(1, "starter")
        self._closer = ThreadPoolExecutor(8, "closer")
        self._tasks: set[asyncio.Task[None]] = set()

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route(PATH, self._endpoint, methods=["GET", "POST", "DELETE"]),
                Route("/healthz", self._health, methods=["GET"]),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, application: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self._sweep())
        yield
        sweeping.cancel()
        for session in list(self._sessions.values()):
            self._close(session)
        if self._shared is not None:
            self._closer.submit(self._shared.close)
        await asyncio.get_running_loop().run_in_executor(None, self._closer.shutdown)
        self._starter.shutdown(wait=False)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._limits.idle))
            now = time.monotonic()
            for session in [each for each in self._sessions.values() if each.is_idle(now)]:
                self._close(session)

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok", "sessions": len(self._sessions)})

    async def _endpoint(self, request: Request) -> Response:
        refusal = self._access.refusal(request.headers)
        if refusal is not None:
            challenge = {"WWW-Authenticate": refusal.challenge} if refusal.challenge else None
            return JSONResponse({"error": refusal.text}, refusal.status, challenge)
        version = request.headers.get(VERSION)
        if request.method == "POST":
            return await self._post(request, version)
        if version is not None and version not in HANDSHAKE:
            return Response(status_code=405, headers={"Allow": "POST"})
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None:
            return self._no_session(request)
        if request.method == "DELETE":
            self._close(session)
            return Response(status_code=200)
        return self._listen(request, session)

    # ---- POST ------------------------------------------------------------------------------------------

    async def _post(self, request: Request, version: str | None) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            return _refused(415, _INVALID, f"the body has to be {_JSON}")
        try:
            body = await self._body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if body is None:
            return _refused(413, _INVALID, f"a request may have {self._limits.body_bytes} bytes")
        found = _messages(body)
        if not found:
            return _refused(400, _PARSE, "the body is no message of JSON-RPC")
        if (version is not None and version not in HANDSHAKE) or _is_modern(found):
            return await self._stateless(request, body, found)
        accepted = request.headers.get("accept", "")
        if not (_accepts(accepted, _JSON) and _accepts(accepted, _EVENTS)):
            return _refused(406, _INVALID, f"accept both {_JSON} and {_EVENTS}")
        name = request.headers.get(SESSION)
        if name is None and any(each.method == "initialize" for each in found):
            return await self._begin(request, body, found)
        session = self._sessions.get(name or "")
        if session is None:
            return self._no_session(request)
        return await self._ask(request, session, body, found)

    async def _body(self, request: Request) -> bytes | None:
        """The body; None if it is longer than it may be."""
        pieces, size = [], 0
        async for piece in request.stream():
            size += len(piece)
            if size > self._limits.body_bytes:
                return None
            pieces.append(piece)
        return b"".join(pieces)

    def _no_session(self, request: Request) -> Response:
        if SESSION in request.headers:
            return _refused(404, _INVALID, "there is no such session: begin a new one with initialize")
        return _refused(400, _INVALID, f"{SESSION} is missing: begin a session with initialize")

    async def _begin(self, request: Request, body: bytes, found: list[Message]) -> Response:
        if len(self._sessions) >= self._limits.sessions:
            return _refused(503, _AWAY, "there are too many sessions: try again later")
        loop = asyncio.get_running_loop()
        session = Session(loop, self._limits, self._ended)
        name = secrets.token_urlsafe(24)
        # Before it is open: what comes meanwhile is counted, too.
        self._sessions[name] = session
        try:
            await loop.run_in_executor(self._starter, session.open, self._opens)
        except OSError as error:
            del self._sessions[name]
            reason = f"the server cannot be started: {error.strerror or error}"
            return _refused(502, _AWAY, reason)
        response = await self._ask(request, session, body, found)
        response.headers[SESSION] = name
        return response

    async def _ask(self, request: Request, session: Session, body: bytes, found: list[Message]) -> Response:
        requests = [each for each in found if each.method is not None and each.id is not None]
        if not requests:
            return Response(status_code=202) if session.tell(body) else _busy()
        stream = session.ask(body, requests)
        if stream is None:
            return _busy()
        await stream.wait(STARTS_AFTER)
        only = stream.only()
        if only is not None and len(requests) == 1:
            if requests[0].method == "initialize":
                session.version = _version_in(only)
            async for _ in stream.read(None, self._limits.silence):
                session.note_read()
            return Response(only, media_type=_JSON)
        return self._events(session, stream, None, is_new=True)

    def _listen(self, request: Request, session: Session) -> Response:
        if not _accepts(request.headers.get("accept", ""), _EVENTS):
            return _refused(406, _INVALID, f"accept {_EVENTS}")
        last = request.headers.get(LAST_EVENT)
        if last is None:
            stream = session.general()
            if stream.readers:
                return _refused(409, _INVALID, "the session has such a stream already")
            return self._events(session, stream, None, is_new=True)
        number, _, position = last.partition("-")
        is_known = number.isascii() and number.isdigit() and position.isascii() and position.isdigit()
        taken_up = session.stream(int(number)) if is_known else None
        if taken_up is None:
            return _refused(404, _INVALID, "there is no such event any more")
        return self._events(session, taken_up, int(position), is_new=False)

    def _events(self, session: Session, stream: Stream, after: int | None, *, is_new: bool) -> Response:
        primed = is_new and session.version >= PRIMED_SINCE

        async def events() -> AsyncIterator[bytes]:
            if primed:
                yield b"id: %d-0\ndata:\n\n" % stream.number
            async for found in stream.read(after, self._limits.silence):
                if found is None:
                    yield b": still here\n\n"
                    continue
                number, message = found
                yield event(message, f"{stream.number}-{number}")
                session.note_read()
            session.used = time.monotonic()

        return StreamingResponse(events(), media_type=_EVENTS, headers=_STREAM_HEADERS)

    # ---- without sessions --------------------------------------------------------------------------------

    async def _stateless(self, request: Request, body: bytes, found: list[Message]) -> Response:
        from mcp.shared.inbound import (
            ERROR_CODE_HTTP_STATUS,
            InboundLadderRejection,
            classify_inbound_request,
            find_duplicated_routing_header,
            validate_mcp_param_headers,
        )

        message = found[0]
        if len(found) > 1 or body.lstrip()[:1] != b"{" or message.method is None:
            return _refused(400, _INVALID, "a request of this version is one message")
        if "id" not in message.members:
            return Response(status_code=202)
        if message.id is None:
            return _refused(400, _INVALID, "the id has to be a string or a number")
        raw_id = message.raw_id
        if message.method in REMOVED:
            return _answered(404, failure(raw_id, _UNKNOWN_METHOD, "Method not found"))
        twice = find_duplicated_routing_header(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw
        )
        if twice is not None:
            return _answered(400, failure(raw_id, -32020, f"the header {twice} stands twice"))
        decoded = json.loads(body)
        rejected: Any = classify_inbound_request(decoded, headers=request.headers)
        shared = await self._shared_server()
        if shared is None:
            return _answered(502, failure(raw_id, _AWAY, "the server cannot be started"))
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
            return _answered(ERROR_CODE_HTTP_STATUS.get(rejected.code, 400), refusal)
        asked = shared.ask(message)
        if asked is None:
            return _busy()
        ident, stream = asked
        if not await _unless_gone(request, stream.wait(STARTS_AFTER)):
            shared.cancel(ident)
            return Response(status_code=499)
        only = stream.only()
        if only is not None:
            code = _error_code(only)
            return _answered(200 if code is None else ERROR_CODE_HTTP_STATUS.get(code, 200), only)
        return StreamingResponse(
            self._shared_events(shared, ident, stream), media_type=_EVENTS, headers=_STREAM_HEADERS
        )

    async def _shared_events(self, shared: Stateless, ident: str, stream: Stream) -> AsyncIterator[bytes]:
        try:
            async for found in stream.read(None, self._limits.silence):
                yield b": still here\n\n" if found is None else event(found[1], None)
        finally:
            shared.cancel(ident)

    async def _shared_server(self) -> Stateless | None:
        async with self._sharing:
            if self._shared is None or self._shared.is_over:
                loop = asyncio.get_running_loop()
                shared = Stateless(loop, self._shared_ended)
                try:
                    await loop.run_in_executor(self._starter, shared.open, self._opens_shared)
                except OSError:
                    return None
                self._shared = shared
            return self._shared

    # ---- ends --------------------------------------------------------------------------------------------

    def _ended(self, session: Session) -> None:
        """The session's server has ended by itself."""
        self._close(session)

    def _shared_ended(self, shared: Stateless) -> None:
        if self._shared is shared:
            self._shared = None
        self._closer.submit(shared.close)

    def _close(self, session: Session) -> None:
        self._sessions = {name: each for name, each in self._sessions.items() if each is not session}
        session.general().end()
        self._closer.submit(session.close)


_STREAM_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


def _messages(body: bytes) -> list[Message]:
    """The messages of a body: one, or those of a batch (2025-03-26); none if it is something else."""
    try:
        if body.lstrip()[:1] != b"[":
            return [read(body)]
        return [read(bytes(each)) for each in msgspec.json.decode(body, type=list[msgspec.Raw])]
    except MALFORMED:
        return []


def _is_modern(found: list[Message]) -> bool:
    """Whether a request says itself that it stands alone, though no header does."""
    return any(each.meta("io.modelcontextprotocol/protocolVersion") is not None for each in found)


def _accepts(header: str, media_type: str) -> bool:
    """Whether `Accept` names the type, or a range with it."""
    wanted = {part.partition(";")[0].strip().lower() for part in header.split(",")}
    return not wanted.isdisjoint({media_type, f"{media_type.partition('/')[0]}/*", "*/*"})


def _version_in(answer: bytes) -> str:
    """The version that the answer to `initialize` says."""
    try:
        result = read(answer)
        version = result.inside(result.members["result"])["protocolVersion"]
    except (*MALFORMED, KeyError):
        return ""
    return result.text(version) or ""


def _error_code(answer: bytes) -> int | None:
    try:
        message = read(answer)
        error = message.inside(message.members["error"]) if "error" in message.members else {}
        return int(message.raw[slice(*error["code"])]) if "code" in error else None
    except MALFORMED:
        return None


def _refused(status: int, code: int, text: str) -> Response:
    return _answered(status, failure(b"null", code, text))


def _answered(status: int, message: bytes) -> Response:
    return Response(message.strip(), status, media_type=_JSON)


def _busy() -> Response:
    return _refused(503, _AWAY, "the server does not read: try again later")


async def _unless_gone(request: Request, waiting: Any) -> bool:
    """Wait for something; False: the client has gone away before."""
    waited = asyncio.ensure_future(waiting)
    gone = asyncio.ensure_future(request.receive())
    done, _ = await asyncio.wait((waited, gone), return_when=asyncio.FIRST_COMPLETED)
    if waited in done:
        gone.cancel()
        return True
    waited.cancel()
    return False
