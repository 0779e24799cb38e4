"""A server behind a URL, as the `Upstream` of a connection, at work in the event loop of the process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from terse.proxy.complaints import Complaints
from terse.proxy.framing import messages
from terse.proxy.servers import Remote

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx2

    from terse.proxy.remote.transport import Transport
    from terse.proxy.remote.web import Web

MAX_QUEUED_BYTES = 32 * 1024 * 1024
"""Bytes for a client that does not read; beyond them the servers' streams are not read on."""
STOP_SECONDS = 0.45
LEAVE_SECONDS = 2.0
LEAVE_QUICKLY_SECONDS = 0.3
"""How long the server may take to end its session: after the client's own end, and when we are stopped."""

_loop: asyncio.AbstractEventLoop | None = None
_starting = Lock()


def event_loop() -> asyncio.AbstractEventLoop:
    """The one event loop for all remote servers of this process, running in a thread of its own."""
    global _loop
    with _starting:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            Thread(target=_loop.run_forever, daemon=True).start()
        return _loop


class RemoteServer:
    """See `terse.proxy.connection.Upstream`. Where the server cannot be reached, each request is told so: a
    session outlives the server.

    Args:
        server: where it is, with variables expanded.
        complaints: gets what the client cannot be told.
        timeout: seconds for a connection, and without a sign of life of an answer; None: no limit for these.
        auth: makes what logs in where the server wants it; called in the event loop.
    """

    def __init__(
        self,
        server: Remote,
        complaints: Complaints,
        *,
        timeout: float | None = None,
        auth: Callable[[], httpx2.Auth] | None = None,
    ) -> None:
        # Here, before anybody begins to load rules: the first message goes out as soon as these are there,
        # and the rules have until its answer.
        from terse.proxy.remote import old_sse, streamable, web  # noqa: F401

        self._server = server
        self._complaints = complaints
        self._timeout = timeout
        self._auth = auth
        self._said: SimpleQueue[bytes | None] = SimpleQueue()
        self._queued = 0
        self._counting = Lock()
        self._is_open = True
        self._ended = Event()
        self._loop = event_loop()
        # What the loop alone touches.
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._has_room = asyncio.Event()
        self._main: asyncio.Task[None] | None = None
        self._loop.call_soon_threadsafe(self._begin)

    def send(self, block: bytes) -> None:
        """Take messages for the server.

        Raises:
            OSError: it was stopped.
        """
        if not self._is_open:
            raise BrokenPipeError("the session with the server is over")
        self._loop.call_soon_threadsafe(self._inbox.put_nowait, block)

    def blocks(self) -> Iterator[bytes]:
        """What the server says, message by message."""
        while (line := self._said.get()) is not None:
            if self._count(-len(line)) <= MAX_QUEUED_BYTES:
                self._loop.call_soon_threadsafe(self._has_room.set)
            yield line

    def has_output(self) -> bool:
        """Whether something waits for `blocks`."""
        return not self._said.empty()

    def close_input(self) -> None:
        """End the session once all is answered."""
        if self._is_open:
            self._is_open = False
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, None)

    def close_output(self) -> None:
        """End the session: nobody reads."""
        self._loop.call_soon_threadsafe(self._cancel)

    def wait(self) -> int:
        """Wait for the end of the session."""
        self._ended.wait()
        return 0

    def stop(self) -> int:
        """End the session."""
        self._is_open = False
        self._loop.call_soon_threadsafe(self._cancel)
        self._ended.wait(STOP_SECONDS)
        return 0

    def release(self) -> None:
        """Forget what was not read."""
        while True:
            try:
                self._said.get_nowait()
            except Empty:
                return

    # ---- in the event loop -----------------------------------------------------------------------

    def _begin(self) -> None:
        self._main = self._loop.create_task(self._run())
        # Not at the end of the task itself: one that is cancelled before it began never gets there.
        self._main.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._is_open = False
        self._said.put(None)
        self._ended.set()

    def _cancel(self) -> None:
        if self._main is not None:
            self._main.cancel()

    async def _emit(self, line: bytes) -> None:
        while self._queued > MAX_QUEUED_BYTES:
            self._has_room.clear()
            await self._has_room.wait()
        self._count(len(line))
        self._said.put(line)

    def _count(self, more: int) -> int:
        with self._counting:
            self._queued += more
            return self._queued

    async def _run(self) -> None:
        from terse.proxy.remote.messages import read_client_message
        from terse.proxy.remote.web import CONNECT_SECONDS, Web

        try:
            auth = None if self._auth is None else self._auth()
            web = Web(self._server.url, self._server.headers, auth, self._timeout or CONNECT_SECONDS)
            try:
                transport = self._transport(web)
                seconds = LEAVE_QUICKLY_SECONDS
                try:
                    while (block := await self._inbox.get()) is not None:
                        for message in messages(block):
                            if message.strip():
                                transport.handle(read_client_message(message))
                    await transport.finish()
                    seconds = LEAVE_SECONDS
                finally:
                    await transport.end(seconds)
            finally:
                await web.close()
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self._complaints.say_fault("the connection to the server", error, "it was ended")

    def _transport(self, web: Web) -> Transport:
        from terse.proxy.remote.flight import Flight
        from terse.proxy.remote.old_sse import OldSse
        from terse.proxy.remote.streamable import Streamable

        flight = Flight(self._emit)
        server, complaints = self._server, self._complaints
        old = OldSse(server.url, web, flight, complaints, self._timeout)
        if server.transport == "sse":
            return old
        older = old if server.transport == "auto" else None
        return Streamable(server.url, web, flight, complaints, self._timeout, older)
