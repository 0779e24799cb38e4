"""What the client is told, in the order in which it is said."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event, Semaphore

MAX_WAITING = 256
"""Blocks of servers that wait to be read by the client; then the servers wait, too."""


class Outlet:
    """Messages for the client.

    Attributes:
        is_over: set once nothing more is taken, or wanted.
    """

    def __init__(self) -> None:
        self.is_over = Event()
        self._waiting: SimpleQueue[tuple[bytes, bool] | None] = SimpleQueue()
        self._room = Semaphore(MAX_WAITING)

    def put(self, message: bytes, *, is_counted: bool = False) -> None:
        """Say something of our own, however much waits: whoever says it must not be held up."""
        if not self.is_over.is_set():
            self._waiting.put((message, is_counted))

    def put_in_turn(self, block: bytes) -> None:
        """Pass on what a server says, once there is room: servers wait for a client that reads slowly."""
        while not self._room.acquire(timeout=0.5):
            if self.is_over.is_set():
                return
        self.put(block, is_counted=True)

    def drop(self) -> None:
        """Nobody reads any more: take nothing more in."""
        self.is_over.set()

    def end(self) -> None:
        """Nothing more will be said."""
        self.is_over.set()
        self._waiting.put(None)

    def blocks(self) -> Iterator[bytes]:
        """What was put, until the end."""
        while (found := self._waiting.get()) is not None:
            block, is_counted = found
            del found
            if is_counted:
                self._room.release()
            yield block
            del block

    def has_output(self) -> bool:
        """Whether something waits to be read."""
        return not self._waiting.empty()
