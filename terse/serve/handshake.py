"""Requests of clients that begin with `initialize`: each belongs to a session, and may come again."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from terse.proxy.message import Message, read
from terse.proxy.spans import MALFORMED
from terse.proxy.wire import JsonRpcId
from terse.serve.attached import Open
from terse.serve.delivery import Noted, has_left, is_there
from terse.serve.limits import Limits
from terse.serve.replies import (
    AWAY,
    EVENT_HEADERS,
    EVENTS,
    INVALID,
    JSON,
    accepts,
    answered,
    busy,
    is_batch,
    refused,
)
from terse.serve.session import Session
from terse.serve.stream import Stream, event
from terse.serve.threads import Threads

SESSION, LAST_EVENT = "mcp-session-id", "last-event-id"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WITH_BATCHES = ("2024-11-05", "2025-03-26")
PRIMED_SINCE = "2025-11-25"
"""Since this version a stream begins with an empty event, so that it can be taken up from the start on."""
RETRY_MILLISECONDS = 1000
"""After which a client whose stream broke is to take it up."""
STARTS_AFTER = 2.0
"""Seconds after which a stream of events begins though nothing was said: until then, one answer is JSON."""
STOPPING = "the service is stopping: begin a new session"


class Handshake:
    """The sessions of one service.

    Args:
        opens: starts a server for a session.
    """

    def __init__(self, opens: Open, limits: Limits, threads: Threads) -> None:
        self._opens = opens
        self._limits = limits
        self._threads = threads
        self._sessions: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    async def post(self, request: Request, caller: str, body: bytes, found: Sequence[Message]) -> Response:
        """Answer a POST."""
        accepted = request.headers.get("accept", "")
        if not (accepts(accepted, JSON) and accepts(accepted, EVENTS)):
            return refused(406, INVALID, f"accept both {JSON} and {EVENTS}")
        begins = any(each.method == "initialize" for each in found)
        if SESSION not in request.headers and begins:
            if is_batch(body):
                return refused(400, INVALID, "initialize has to come alone")
            return await self._begin(request, caller, found)
        session = await self._find(request, caller)
        if isinstance(session, Response):
            return session
        if is_batch(body) and session.version not in WITH_BATCHES:
            return refused(400, INVALID, f"a body is one message in {session.version or 'this version'}")
        refusal = await self._before(request, session, found)
        return refusal if refusal is not None else await self._ask(request, session, found)

    async def get(self, request: Request, caller: str) -> Response:
        """Answer a GET: events that nobody asked for, or those of a stream that broke."""
        session = await self._find(request, caller)
        if isinstance(session, Response):
            return session
        if not accepts(request.headers.get("accept", ""), EVENTS):
            return refused(406, INVALID, f"accept {EVENTS}")
        refusal = await self._before(request, session, ())
        if refusal is not None:
            return refusal
        last = request.headers.get(LAST_EVENT)
        if last is None:
            stream = session.general()
            if stream.readers:
                return refused(409, INVALID, "the session has such a stream already")
            return self._events(request, session, stream, None, is_new=True)
        number, _, position = last.partition("-")
        is_known = all(part.isascii() and part.isdigit() and len(part) < 16 for part in (number, position))
        taken_up = session.stream(int(number)) if is_known else None
        if taken_up is None or not taken_up.can_go_on_after(int(position)):
            return refused(404, INVALID, "there is no such event here any more: make the request again")
        return self._events(request, session, taken_up, int(position), is_new=False)

    async def delete(self, request: Request, caller: str) -> Response:
        """Answer a DELETE: the client leaves."""
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None or session.caller != caller:
            return self._no_session(request)
        session.refuse_all("the session was ended by its client")
        self._close(session)
        return Response(status_code=200)

    def sweep(self, now: float) -> None:
        """Give up what takes too long."""
        for session in list(self._sessions.values()):
            session.give_up_late(now)
            if session.is_idle(now):
                self._close(session)

    def end_streams(self) -> None:
        """Nothing is said any more."""
        for session in self._sessions.values():
            session.refuse_all(STOPPING)
            session.general().end()

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._sessions.values()):
            self._close(session)

    # ---- sessions --------------------------------------------------------------------------------------

    async def _find(self, request: Request, caller: str) -> Session | Response:
        """The session that a request belongs to, or what to answer where there is none."""
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None or session.caller != caller:
            return self._no_session(request)
        return session

    async def _before(self, request: Request, session: Session, found: Sequence[Message]) -> Response | None:
        """What is to be done before a request of a session is looked at; an answer, if that is refused."""
        return None

    def _opener(self, name: str) -> Open:
        """What starts the server of a new session."""
        return self._opens

    async def _begun(self, name: str, session: Session, introduction: Message) -> None:
        """A session has begun: its client is about to learn of it."""

    def _later(self, work: Callable[[], None]) -> None:
        """Do what a receipt asks for, which may wait."""
        work()

    def _no_session(self, request: Request) -> Response:
        if SESSION in request.headers:
            return refused(404, INVALID, "there is no such session: begin a new one with initialize")
        return refused(400, INVALID, f"{SESSION} is missing: begin a session with initialize")

    async def _begin(self, request: Request, caller: str, found: Sequence[Message]) -> Response:
        if len(self._sessions) >= self._limits.sessions:
            return refused(503, AWAY, "there are too many sessions: try again later")
        if sum(each.caller == caller for each in self._sessions.values()) >= self._limits.sessions_each:
            return refused(429, AWAY, "you have too many sessions: end one of them")
        session = Session(caller, asyncio.get_running_loop(), self._limits, self._close)
        name = secrets.token_urlsafe(24)
        # Before it is open: what comes meanwhile is counted, too.
        self._sessions[name] = session
        try:
            await self._threads.start(session.open, self._opener(name))
        except OSError as error:
            self._sessions.pop(name, None)
            return refused(502, AWAY, f"the server cannot be started: {error.strerror or error}")
        except BaseException:
            # The client is gone, and never learns of the session.
            self._close(session)
            raise
        response = await self._ask(request, session, found)
        if not session.is_over:
            await self._begun(name, session, found[0])
            response.headers[SESSION] = name
        return response

    def _close(self, session: Session) -> None:
        self._sessions = {name: each for name, each in self._sessions.items() if each is not session}
        session.general().end()
        self._threads.end(session.close)

    # ---- requests --------------------------------------------------------------------------------------

    async def _ask(self, request: Request, session: Session, found: Sequence[Message]) -> Response:
        requests = [each for each in found if each.method is not None and each.id is not None]
        if not requests:
            return Response(status_code=202) if session.tell(found) else busy()
        if session.is_open(requests):
            return refused(400, INVALID, "the id is that of a request that is not answered yet")
        stream = session.ask(found)
        if stream is None:
            return busy()
        await stream.wait(STARTS_AFTER)
        only = stream.only()
        if only is not None and len(requests) == 1:
            if requests[0].method == "initialize":
                session.version = _version_in(only)
            session.drop(stream)
            response = answered(200, only)
            awaited = _awaited(session, only)
            return response if awaited is None else Noted(response, partial(self._deliver, session, awaited))
        return self._events(request, session, stream, None, is_new=True)

    def _events(
        self, request: Request, session: Session, stream: Stream, after: int | None, *, is_new: bool
    ) -> Response:
        primed = is_new and session.version >= PRIMED_SINCE

        async def events() -> AsyncIterator[bytes]:
            if primed:
                yield b"id: %d-0\nretry: %d\ndata:\n\n" % (stream.number, RETRY_MILLISECONDS)
            async for found in stream.read(after, self._limits.silence):
                if found is None:
                    yield b": still here\n\n"
                    continue
                number, message = found
                if session.version == "":
                    session.version = _version_in(message)
                awaited = _awaited(session, message)
                was_there = awaited is not None and await is_there(request.scope)
                yield event(message, f"{stream.number}-{number}")
                # INVARIANT: what the client may not have got is not spoken of later.
                if awaited is not None and was_there and await has_left(request.scope):
                    await self._deliver(session, awaited)
                session.note_read()
            session.used = time.monotonic()

        return StreamingResponse(events(), media_type=EVENTS, headers=EVENT_HEADERS)

    async def _deliver(self, session: Session, ident: JsonRpcId) -> None:
        """The client has the answer to a request."""
        if session.receipts is not None:
            for work in session.receipts.delivered(ident):
                self._later(work)


def _awaited(session: Session, message: bytes) -> JsonRpcId | None:
    """The id of the request that a message answers, if it matters that the client has it."""
    if session.receipts is None:
        return None
    try:
        found = read(message)
    except MALFORMED:
        return None
    is_awaited = found.method is None and found.id is not None and session.receipts.awaits(found.id)
    return found.id if is_awaited else None


def _version_in(answer: bytes) -> str:
    """The version that the answer to `initialize` says; "" if it is none."""
    try:
        result = read(answer)
        version = result.inside(result.members["result"])["protocolVersion"]
    except (*MALFORMED, KeyError):
        return ""
    return result.text(version) or ""
