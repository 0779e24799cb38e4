"""What is said to a client on one stream of events, kept for a while so that a broken one can be taken up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

KEPT_BYTES = 256 * 1024
"""Of what a client was sent on a stream, for one that lost it on the way; and of what nobody listens to."""


class Stream:
    """Messages in their order. To be used in the event loop.

    Attributes:
        number: which stream of its session it is; part of the ids of its events.
        is_ended: no more messages come.
        unread_bytes: of messages that no reader has taken.
        readers: how many read it now.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_ended = False
        self.unread_bytes = 0
        self.readers = 0
        self._messages: deque[tuple[int, bytes]] = deque()
        self._last = 0
        self._taken = 0
        self._read_bytes = 0
        self._news = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Say one more message, without its line end."""
        self._last += 1
        self._messages.append((self._last, message))
        self.unread_bytes += len(message)
        self._news.set()

    def drop_unheard(self) -> None:
        """Forget the oldest of what nobody listens to: there may never be a listener."""
        while not self.readers and self.unread_bytes > KEPT_BYTES:
            number, message = self._messages.popleft()
            if number > self._taken:
                self._taken = number
                self.unread_bytes -= len(message)
            else:
                self._read_bytes -= len(message)

    def end(self) -> None:
        """Nothing more is said."""
        self.is_ended = True
        self._news.set()

    def can_go_on_after(self, number: int) -> bool:
        """Whether nothing that came after this message is forgotten."""
        first = self._messages[0][0] if self._messages else self._last + 1
        return first - 1 <= number <= self._last

    async def wait(self, seconds: float) -> bool:
        """Wait until there is something to read, or the end; False: not in this time."""
        if self._last > self._taken or self.is_ended:
            return True
        self._news.clear()
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def only(self) -> bytes | None:
        """The message, if the stream is one message and its end that nobody has read."""
        if self.is_ended and self._taken == 0 and len(self._messages) == 1:
            return self._messages[0][1]
        return None

    def take_all(self) -> None:
        """Note that a reader has what was said so far."""
        for number, message in list(self._messages):
            self._take(number, message)

    async def read(self, after: int | None, silence: float) -> AsyncIterator[tuple[int, bytes] | None]:
        """The messages with their numbers, until the end.

        Args:
            after: the number of the last message that the client has; None for one that reads on.
            silence: seconds after which None says that nothing was said.
        """
        position = self._taken if after is None else after
        self.readers += 1
        try:
            while True:
                for number, message in list(self._messages):
                    if number > position:
                        position = number
                        self._take(number, message)
                        yield number, message
                if self._last > position:
                    continue
                if self.is_ended:
                    return
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), silence)
                except TimeoutError:
                    yield None
        finally:
            self.readers -= 1

    def _take(self, number: int, message: bytes) -> None:
        if number <= self._taken:
            return
        self._taken = number
        self.unread_bytes -= len(message)
        self._read_bytes += len(message)
        while self._read_bytes > KEPT_BYTES and self._messages[0][0] < number:
            self._read_bytes -= len(self._messages.popleft()[1])


def event(message: bytes, ident: str | None) -> bytes:
    """A message as an event. JSON may have a carriage return between its values, which would end a line."""
    lines = b"".join(b"data: %b\n" % line for line in message.replace(b"\n", b"\r").split(b"\r"))
    return (b"id: %b\n" % ident.encode() if ident is not None else b"") + lines + b"\n"
