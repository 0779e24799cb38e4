"""Sessions of clients that any replica serves: one that another replica began is gone on with here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from terse.memory.redis_link import Away
from terse.proxy.message import Message, read, replaced
from terse.proxy.replicated import JointReceipts, Receipts
from terse.proxy.spans import encode_string
from terse.proxy.wire import request_id
from terse.serve.attached import Open, Opened
from terse.serve.handshake import SESSION, Handshake
from terse.serve.limits import Limits
from terse.serve.replicas import Ended, Known, Replicas
from terse.serve.replies import AWAY, refused
from terse.serve.session import Session
from terse.serve.stream import Stream
from terse.serve.threads import Threads

REPEATED = ("notifications/initialized", "logging/setLevel")
"""What a client says once, and every server of its session has to hear."""
INTRODUCED_WITHIN = 30.0
"""Seconds that a server may take to answer the `initialize` that it is told anew."""
TOUCH_SECONDS = 60.0
THREADS = 16

_Result = TypeVar("_Result")


class _Here:
    """What of a session is of this replica alone.

    Attributes:
        introduction: the client's `initialize`, where it was begun here.
        heard: what the server was told of that was `REPEATED`.
        has_listed: all were told that the client asks for the tools.
    """

    def __init__(self, introduction: bytes | None = None) -> None:
        self.introduction = introduction
        self.heard = 0
        self.has_listed = False
        self.lock = asyncio.Lock()


class ReplicatedHandshake(Handshake):
    """See `Handshake`.

    INVARIANT: a session is only ever gone on with for its caller.
    """

    def __init__(self, replicas: Replicas, limits: Limits, threads: Threads) -> None:
        super().__init__(_never, limits, threads)
        self._replicas = replicas
        self._here: dict[Session, _Here] = {}
        self._adopting: dict[tuple[str, str], asyncio.Task[Session | Response]] = {}
        self._waiting = ThreadPoolExecutor(THREADS, "redis")
        self._touched = time.monotonic()
        self._repeats = 0
        self._dropping: set[asyncio.Task[None]] = set()

    async def delete(self, request: Request, caller: str) -> Response:
        """See `Handshake.delete`; the session is over on all replicas."""
        name = request.headers.get(SESSION, "")
        session = self._sessions.get(name)
        if session is not None and session.caller == caller:
            self._replicas.link.owe(f"end {name}", partial(self._replicas.end, name))
            return await super().delete(request, caller)
        try:
            known = await self._wait(self._replicas.get, name) if name else None
        except Away as reason:
            return _away(reason)
        if known is None or known.caller != caller:
            return self._no_session(request)
        await self._quietly(self._replicas.end, name)
        return Response(status_code=200)

    def sweep(self, now: float) -> None:
        """See `Handshake.sweep`."""
        super().sweep(now)
        if now - self._touched > TOUCH_SECONDS:
            # A client that only listens uses its session, too.
            self._touched = now
            for name, session in self._sessions.items():
                here = self._here.get(session)
                if here is not None and session.used > now - TOUCH_SECONDS:
                    self._waiting.submit(self._touch, name, here.heard)

    # ---- sessions --------------------------------------------------------------------------------------

    def _opener(self, name: str) -> Open:
        return self._replicas.opens(name, True)

    async def _begun(self, name: str, session: Session, introduction: Message) -> None:
        here = self._here[session] = _Here(introduction.raw)
        await self._put(name, session, here)

    async def _put(self, name: str, session: Session, here: _Here) -> None:
        if here.introduction is not None and session.version:
            known = Known(session.caller, session.version, here.introduction)
            await self._quietly(self._replicas.put, name, known)

    async def _find(self, request: Request, caller: str) -> Session | Response:
        name = request.headers.get(SESSION, "")
        found: Session | Response | None = self._sessions.get(name)
        if found is None and name:
            # Of each caller: what one is refused, another one is not.
            adopting = self._adopting.get((name, caller))
            if adopting is None:
                adopting = asyncio.create_task(self._adopt(name, caller))
                self._adopting[name, caller] = adopting
                adopting.add_done_callback(lambda _: self._adopting.pop((name, caller), None))
            # It goes on for the next request where this one is given up.
            found = await asyncio.shield(adopting)
        if found is None or (isinstance(found, Session) and found.caller != caller):
            return self._no_session(request)
        if isinstance(found, Response) and found.status_code == 404:
            return self._no_session(request)
        return found

    async def _adopt(self, name: str, caller: str) -> Session | Response:
        """A session that was begun on another replica, with a server of its own here."""
        try:
            known = await self._wait(self._replicas.get, name)
        except Away as reason:
            return _away(reason)
        if known is None or known.caller != caller:
            return Response(status_code=404)
        if len(self._sessions) + len(self._adopting) > self._limits.sessions:
            return refused(503, AWAY, "there are too many sessions: try again later")
        if sum(each.caller == caller for each in self._sessions.values()) >= self._limits.sessions_each:
            return refused(429, AWAY, "you have too many sessions here: end one of them")
        # Ids of events are of one replica: those of another are not mistaken for ours.
        first = secrets.randbelow(10**9) * 10**5
        session = Session(caller, asyncio.get_running_loop(), self._limits, self._close, first)
        try:
            await self._threads.start(session.open, self._replicas.opens(name, False))
            problem = await self._introduce(session, known)
        except OSError as error:
            problem = f"the server cannot be started: {error.strerror or error}"
        if problem is not None:
            self._threads.end(session.close)
            return refused(502, AWAY, problem)
        session.version = known.version
        self._here[session] = _Here()
        self._sessions[name] = session
        return session

    async def _introduce(self, session: Session, known: Known) -> str | None:
        """Tell the server what the client said when it began; what is wrong with its answer, if anything."""
        stream = session.ask([self._again(known.introduction)])
        if stream is None:
            return "the server does not read"
        with suppress(TimeoutError):
            async with asyncio.timeout(INTRODUCED_WITHIN):
                await self._drop(stream)
        session.note_read()
        if session.is_over:
            return "the server has ended at once"
        return None if stream.is_ended else f"the server did not answer in {INTRODUCED_WITHIN:g} s"

    def _again(self, raw: bytes) -> Message:
        """A message of the client once more, under an id that it did not choose."""
        message = read(raw)
        if "id" not in message.members:
            return message
        self._repeats += 1
        return read(replaced(raw, {message.members["id"]: encode_string(f"terse-again-{self._repeats}")}))

    def _close(self, session: Session) -> None:
        self._here.pop(session, None)
        super()._close(session)

    # ---- requests --------------------------------------------------------------------------------------

    async def _before(self, request: Request, session: Session, found: Sequence[Message]) -> Response | None:
        name = request.headers[SESSION]
        here = self._here.setdefault(session, _Here())
        for message in found:
            if message.method == "notifications/cancelled" and "requestId" in message.params:
                ident = request_id(message.raw, message.params["requestId"])
                if ident is not None and isinstance(session.receipts, (Receipts, JointReceipts)):
                    await self._wait(session.receipts.cancelled, ident)
        async with here.lock:
            for raw in [each.raw for each in found if self._is_for_all(each, here)] or [b""]:
                try:
                    said = await self._wait(self._replicas.use, name, here.heard, raw)
                except Ended:
                    session.refuse_all("the session was ended by its client")
                    self._close(session)
                    return self._no_session(request)
                except Away:
                    # This replica goes on alone.
                    continue
                if said is None:
                    await self._put(name, session, here)
                    continue
                others = said.messages[:-1] if raw else said.messages
                for each in others:
                    self._repeat(session, each)
                here.heard = said.position
        return None

    def _is_for_all(self, message: Message, here: _Here) -> bool:
        if message.method in REPEATED:
            return True
        if not self._replicas.asks_for_tools or message.method != "tools/list" or here.has_listed:
            return False
        here.has_listed = True
        return True

    def _repeat(self, session: Session, raw: bytes) -> None:
        """Tell the server what its client said to another one."""
        message = self._again(raw)
        if message.id is None:
            session.tell([message])
            return
        stream = session.ask([message])
        if stream is not None:
            # Nobody reads the answer, which the client has from the other one.
            reading = asyncio.create_task(self._drop(stream))
            self._dropping.add(reading)
            reading.add_done_callback(self._dropping.discard)

    async def _drop(self, stream: Stream) -> None:
        async for _ in stream.read(None, self._limits.silence):
            continue

    def _later(self, work: Callable[[], None]) -> None:
        self._waiting.submit(work)

    # ---- Redis -----------------------------------------------------------------------------------------

    async def _wait(self, work: Callable[..., _Result], *arguments: object) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._waiting, partial(work, *arguments))

    async def _quietly(self, work: Callable[..., object], *arguments: object) -> None:
        try:
            await self._wait(work, *arguments)
        except Away:
            # It is done at the next request, when Redis is asked and does not know of it.
            return

    def _touch(self, name: str, heard: int) -> None:
        try:
            self._replicas.use(name, heard)
        except (Away, Ended):
            # Found out again with the next request.
            return


def _away(reason: Away) -> Response:
    return refused(503, AWAY, f"where sessions are kept cannot be asked now: try again later ({reason})")


def _never(caller: str, send: object, ended: object) -> Opened:
    raise AssertionError("INVARIANT: a session of replicas has an opener of its own")
