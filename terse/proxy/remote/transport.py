"""What both HTTP transports share: the order of messages, cancellation, and how a session is begun anew."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress

from terse.proxy.complaints import Complaints
from terse.proxy.remote.flight import Flight, Problem, Request, TimedOut
from terse.proxy.remote.messages import ClientMessage, members, read_client_message, text

TELL_SECONDS = 30.0
"""How long the server may take to accept a message that has no answer: later messages wait for that."""
_CANCELLED = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"timeout"}}'
)
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Opening:
    """What the client said to begin its session, so that it can be said again to a server that forgot it.

    Attributes:
        initialize: the client's request; None before it made one, or where it needs none (2026-07-28).
        version: the protocol version that the server chose.
    """

    def __init__(self) -> None:
        self.initialize: ClientMessage | None = None
        self.version: str | None = None
        self._initialized: ClientMessage | None = None
        self._level: ClientMessage | None = None
        self._subscriptions: dict[str, ClientMessage] = {}

    def note(self, message: ClientMessage) -> None:
        """See a message of the client's."""
        uri = message.text("uri")
        if message.method == "initialize":
            self.initialize = message
            self.version = self._initialized = self._level = None
            self._subscriptions.clear()
        elif message.method == "notifications/initialized":
            self._initialized = message
        elif message.method == "logging/setLevel":
            self._level = message
        elif message.method == "resources/subscribe" and uri is not None:
            self._subscriptions[uri] = message
        elif message.method == "resources/unsubscribe" and uri is not None:
            self._subscriptions.pop(uri, None)

    async def replay(
        self,
        ask: Callable[[ClientMessage], Awaitable[bytes]],
        tell: Callable[[ClientMessage], Awaitable[None]],
    ) -> None:
        """Begin a session as the client did.

        Raises:
            Problem: the server is not the one that the client began with, as far as can be seen, or says no.
        """
        if self.initialize is None:
            raise Problem("the server has forgotten the session, and none was begun")
        found = members(await ask(self.initialize))
        result = members(bytes(found["result"])) if "result" in found else {}
        if "result" not in found or text(result.get("protocolVersion")) != self.version:
            raise Problem("the server has forgotten the session, and takes no new one like it: start again")
        await tell(self._initialized or read_client_message(_INITIALIZED))
        for message in (self._level, *self._subscriptions.values()):
            if message is not None:
                await ask(message)


class Transport(ABC):
    """One session with one server, in the event loop.

    Messages are taken in the client's order: what follows a notification, or `initialize`, is sent once the
    server has accepted that; requests do not wait for each other.
    """

    def __init__(self, flight: Flight, complaints: Complaints, timeout: float | None) -> None:
        self.flight = flight
        self.opening = Opening()
        self.complaints = complaints
        self._timeout = timeout
        self._before: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._successor: Transport | None = None

    def handle(self, message: ClientMessage) -> None:
        """Take a message of the client's."""
        if message.method == "notifications/cancelled" and self._cancels(message):
            return
        self.opening.note(message)
        if message.is_request:
            request = self.flight.begin(message)
            request.task = self._start(self._answer(request, self._before))
            if message.method == "initialize":
                self._before = request.task
        else:
            self._before = self._start(self._tell_in_turn(message, self._before))

    async def finish(self) -> None:
        """Wait until all that was taken is answered."""
        while tasks := {task for task in self._tasks if not task.done()}:
            await asyncio.wait(tasks)
        if self._successor is not None:
            await self._successor.finish()

    async def end(self, seconds: float) -> None:
        """Leave the session, whatever is still in flight, and take so long to tell the server."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._successor is not None:
            await self._successor.end(seconds)
        else:
            # Where it cannot be told, the server will notice by itself.
            with suppress(Problem, TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._leave()

    @abstractmethod
    async def _exchange(self, request: Request) -> None:
        """Send a request, and see to it that it is answered.

        Raises:
            Problem: it will not be.
        """

    @abstractmethod
    async def _tell(self, message: ClientMessage) -> None:
        """Send what has no answer.

        Raises:
            Problem: the server did not take it.
        """

    @abstractmethod
    async def _leave(self) -> None:
        """Tell the server that the session is over.

        Raises:
            Problem: it could not be told.
        """

    def hand_over(self, successor: Transport) -> None:
        """Let another transport send all that was not yet sent."""
        self._successor = successor
        successor.opening = self.opening

    def _start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _cancels(self, message: ClientMessage) -> bool:
        """Cancel a request; whether that is done, and there is nothing to send.

        Since 2026-07-28 it is done by closing the request's stream.
        """
        identifier = message.params.get("requestId")
        request = None if identifier is None else self.flight.of(bytes(identifier))
        if request is None:
            # Too late, or for nothing. Without `initialize` there is no session that such a message could be
            # sent in, and a server refuses one that is of no version.
            return self.opening.initialize is None
        self.flight.drop(request)
        if request.message.version is None:
            return False
        if request.task is not None:
            request.task.cancel()
        return True

    async def _answer(self, request: Request, before: asyncio.Task[None] | None) -> None:
        try:
            if before is not None:
                await asyncio.wait({before})
            transport = self._successor or self
            async with request.limited(self._timeout):
                await transport._exchange(request)
            if not request.is_done:
                raise Problem("the server answered something else")
        except Problem as problem:
            await self.flight.fail(request, str(problem), problem.code)
            if isinstance(problem, TimedOut) and request.message.method != "initialize":
                self._tell_of_cancellation(request)
        except Exception as error:
            self.complaints.say_fault("a request to the server", error, "an error was sent")
            await self.flight.fail(request, f"terse failed ({type(error).__name__})")

    def _tell_of_cancellation(self, request: Request) -> None:
        """Where closing the stream does not say it, tell the server that nobody waits any more."""
        if request.message.version is None:
            for identifier in request.message.ids:
                self._before = self._start(
                    self._tell_in_turn(read_client_message(_CANCELLED % identifier), self._before)
                )

    async def _tell_in_turn(self, message: ClientMessage, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        transport = self._successor or self
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(TELL_SECONDS):
                    await transport._tell(message)
        except Problem as problem:
            self.complaints.say(f"untold {message.method}", f"{message.method or 'a message'}: {problem}")
        except Exception as error:
            self.complaints.say_fault("a message to the server", error, "it was not sent")
