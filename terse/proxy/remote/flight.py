"""Requests in flight: each is answered once, by the server or by an error that says why it was not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from terse.proxy.remote.messages import (
    CONNECTION_FAILED,
    INTERNAL_ERROR,
    ClientMessage,
    Members,
    answered,
    as_line,
    error,
    id_key,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

MAX_FAILED = 256
"""Requests answered with an error of ours that are remembered: an answer that comes late is dropped."""


class Problem(Exception):  # noqa: N818 — says what happened to a request
    """Why a request has no answer, in a sentence for the client. Nothing secret is in it.

    Attributes:
        code: of the error that the client gets.
    """

    code = CONNECTION_FAILED


class TimedOut(Problem):
    """The server said nothing for as long as it was given."""


class NotLoggedIn(Problem):
    """The user, or the server that gives out tokens, did not let us in: to ask again by ourselves would only
    ask the user again."""

    code = INTERNAL_ERROR


class Request:
    """A request of the client's, or a batch of them, until it is answered.

    Attributes:
        message: the request.
        flight: where it is in flight.
        task: what sends it and waits; set once it runs.
        is_cancelled: the client does not wait for the answer any more.
    """

    def __init__(self, message: ClientMessage, flight: Flight) -> None:
        self.message = message
        self.flight = flight
        self.task: asyncio.Task[None] | None = None
        self.is_cancelled = False
        self.waiting = {id_key(each): each for each in message.ids}
        self._done = asyncio.Event()
        self._timer: asyncio.Timeout | None = None
        self._limit: float | None = None

    @property
    def is_done(self) -> bool:
        """Whether nobody waits for an answer any more."""
        return self._done.is_set()

    async def wait(self) -> None:
        """Wait until it is answered."""
        await self._done.wait()

    def answered(self, key: bytes | str) -> None:
        """Note that the server has answered."""
        self.waiting.pop(key, None)
        if not self.waiting:
            self._done.set()

    def give_up(self) -> None:
        """Nobody waits any more."""
        self.waiting.clear()
        self._done.set()

    @asynccontextmanager
    async def limited(self, seconds: float | None) -> AsyncIterator[None]:
        """Raise `TimedOut` if the server says nothing of it for so long; None: it may take its time."""
        self._limit = seconds
        _limited.set(self)
        try:
            async with asyncio.timeout(seconds) as self._timer:
                yield
        except TimeoutError:
            raise TimedOut(f"the server did not answer within {seconds:g} s (--timeout)") from None
        finally:
            self._timer = None

    def let_time_stand(self) -> None:
        """Its time does not run until the next sign of life."""
        if self._timer is not None and not self._timer.expired():
            self._timer.reschedule(None)

    def note_sign_of_life(self) -> None:
        """Something came on its stream: its time starts anew."""
        if self._timer is not None and self._limit is not None and not self._timer.expired():
            self._timer.reschedule(asyncio.get_running_loop().time() + self._limit)


_limited: ContextVar[Request | None] = ContextVar("limited", default=None)
"""The request that the running task is sending."""


@contextmanager
def waiting_for_the_user() -> Iterator[None]:
    """Let the time of the request stand that the running task sends: it is the server's, not the user's."""
    request = _limited.get()
    if request is not None:
        request.let_time_stand()
    try:
        yield
    finally:
        if request is not None:
            request.note_sign_of_life()


class Flight:
    """All requests in flight to one server.

    Args:
        emit: takes a line for the client; waits while the client does not read.
    """

    def __init__(self, emit: Callable[[bytes], Awaitable[None]]) -> None:
        self._emit = emit
        self._requests: dict[bytes | str, Request] = {}
        self._failed: dict[bytes | str, None] = {}

    def begin(self, message: ClientMessage) -> Request:
        """A request is about to be sent."""
        request = Request(message, self)
        for key in request.waiting:
            self._requests[key] = request
            self._failed.pop(key, None)
        return request

    def of(self, identifier: bytes) -> Request | None:
        """The request of this id."""
        return self._requests.get(id_key(identifier))

    def all(self) -> list[Request]:
        """Those that nobody has answered."""
        return list(dict.fromkeys(self._requests.values()))

    async def deliver(self, data: bytes) -> list[tuple[Request, Members]]:
        """Send a message of the server's to the client; the requests that it answers, with its members."""
        ids, found = answered(data)
        keys = [id_key(each) for each in ids]
        popped = [(key, self._requests.pop(key, None)) for key in keys]
        requests = [(key, request) for key, request in popped if request is not None]
        if not requests and keys and all(key in self._failed for key in keys):
            return []
        await self._emit(as_line(data))
        for key, request in requests:
            request.answered(key)
        return [(request, found) for _, request in requests]

    async def fail(self, request: Request, said: str, code: int = CONNECTION_FAILED) -> None:
        """Answer what is left of the request with an error, if anybody still waits for it."""
        await self._answer_all(request, lambda identifier: error(identifier, said, code))

    async def refuse(self, request: Request, answer: Callable[[bytes], bytes]) -> None:
        """Answer what is left of the request with what `answer` makes of its id."""
        await self._answer_all(request, answer)

    def drop(self, request: Request) -> None:
        """The client waits no more: an answer that still comes is its own to ignore."""
        request.is_cancelled = True
        for key in request.waiting:
            self._requests.pop(key, None)
        request.give_up()

    async def _answer_all(self, request: Request, answer: Callable[[bytes], bytes]) -> None:
        waiting = dict(request.waiting)
        request.give_up()
        for key, identifier in waiting.items():
            if self._requests.get(key) is request:
                del self._requests[key]
                self._failed[key] = None
                if not request.is_cancelled:
                    await self._emit(answer(identifier) + b"\n")
        while len(self._failed) > MAX_FAILED:
            del self._failed[next(iter(self._failed))]
