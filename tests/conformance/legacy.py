"""The bridge for the versions with a handshake: one server process for each session."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from tests.conformance.child import Child, Message
from tests.conformance.sse import Stream, refused, streamed, until_ended

SESSION = "mcp-session-id"
MAX_SESSIONS = 6
"""Clients that say no goodbye leave their server running: the oldest one is ended then."""


class _Session:
    """A client and its server: which stream carries what the server says.

    A response goes to the stream of its request, progress to that of the request with its token. Nothing on
    stdio says what another message belongs to: the newest open request has it, or else the client's own
    stream (GET), now or when it opens.
    """

    def __init__(self) -> None:
        self.child = Child(self._received, self._ended)
        self._requests: dict[str, Stream] = {}
        self._progress: dict[str, Stream] = {}
        self._own: Stream | None = None
        self._held: deque[bytes] = deque(maxlen=1000)

    async def ask(self, request: Message, body: bytes) -> AsyncIterator[bytes]:
        """Send a request; the messages that come for it, its response last."""
        stream: Stream = asyncio.Queue()
        ident = json.dumps(request["id"])
        self._requests[ident] = stream
        token = _token(request)
        if token is not None:
            self._progress[token] = stream
        await self.child.send(body)
        return self._answers(stream, ident, token)

    async def listen(self) -> AsyncIterator[bytes]:
        """What the server says of its own accord."""
        stream: Stream = asyncio.Queue()
        self._own = stream
        while self._held:
            stream.put_nowait(self._held.popleft())
        return self._listening(stream)

    async def _answers(self, stream: Stream, ident: str, token: str | None) -> AsyncIterator[bytes]:
        try:
            async for message in until_ended(stream):
                yield message
        finally:
            self._requests.pop(ident, None)
            if token is not None:
                self._progress.pop(token, None)

    async def _listening(self, stream: Stream) -> AsyncIterator[bytes]:
        try:
            async for message in until_ended(stream):
                yield message
        finally:
            if self._own is stream:
                self._own = None

    def _received(self, message: Message, line: bytes) -> None:
        if "method" not in message and "id" in message:
            stream = self._requests.pop(json.dumps(message["id"]), None)
            if stream is not None:
                stream.put_nowait(line)
                stream.put_nowait(None)
            return
        stream = None
        if message.get("method") == "notifications/progress":
            stream = self._progress.get(json.dumps(message.get("params", {}).get("progressToken")))
        if stream is None:
            stream = next(reversed(self._requests.values()), self._own)
        if stream is None:
            self._held.append(line)
        else:
            stream.put_nowait(line)

    def _ended(self) -> None:
        for stream in (*self._requests.values(), self._own):
            if stream is not None:
                stream.put_nowait(None)


class Legacy:
    """The sessions of a bridge.

    Args:
        command: starts the server of a session.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._sessions: dict[str, _Session] = {}

    async def answer(self, request: Request, body: bytes, message: Message) -> Response:
        """Answer a POST."""
        if message.get("method") == "initialize" and SESSION not in request.headers:
            if len(self._sessions) == MAX_SESSIONS:
                await self._sessions.pop(next(iter(self._sessions))).child.stop()
            session, ident = _Session(), uuid4().hex
            self._sessions[ident] = session
            await session.child.start(self._command)
            return streamed(await session.ask(message, body), **{SESSION: ident})
        found = self._session(request)
        if isinstance(found, Response):
            return found
        if "method" not in message or "id" not in message:
            await found.child.send(body)
            return Response(status_code=202)
        return streamed(await found.ask(message, body))

    async def listen(self, request: Request) -> Response:
        """Answer a GET."""
        found = self._session(request)
        return found if isinstance(found, Response) else streamed(await found.listen())

    async def delete(self, request: Request) -> Response:
        """Answer a DELETE: the session ends, and its server."""
        found = self._session(request)
        if isinstance(found, Response):
            return found
        del self._sessions[request.headers[SESSION]]
        await found.child.stop()
        return Response(status_code=204)

    async def stop(self) -> None:
        """End all servers."""
        await asyncio.gather(*(session.child.stop() for session in self._sessions.values()))

    def _session(self, request: Request) -> _Session | Response:
        ident = request.headers.get(SESSION)
        if ident is None:
            return refused(400, -32600, "Bad Request: no session id")
        session = self._sessions.get(ident)
        return session or refused(404, -32600, "Session not found")


def _token(request: Message) -> str | None:
    params = request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return None if token is None else json.dumps(token)
