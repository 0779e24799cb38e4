"""What the client is told, in the order in which it is said."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import Condition

MAX_WAITING_BYTES = 4 * 1024 * 1024
"""Bytes of one server that wait to be read by the client, or one block; then this server waits, too."""


class Outlet:
    """Messages for the client.

    INVARIANT: however much a server says, what another one says waits for no more than the bound of each.
    """

    def __init__(self) -> None:
        self._blocks: deque[tuple[bytes, str | None]] = deque()
        self._waiting: dict[str, int] = {}
        self._changed = Condition()
        self._is_over = False

    def put(self, message: bytes) -> None:
        """Say something of our own, however much waits: whoever says it must not be held up."""
        with self._changed:
            self._append(message, None)

    def put_in_turn(self, server: str, block: bytes) -> None:
        """Pass on what a server says, once there is room for it: it waits for a client that reads slowly."""
        with self._changed:
            while not self._is_over and self._has_no_room(server, len(block)):
                self._changed.wait()
            self._append(block, server)

    def drop(self) -> None:
        """Nobody reads any more: take nothing more in."""
        with self._changed:
            self._is_over = True
            self._blocks.clear()
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing more will be said."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def blocks(self) -> Iterator[bytes]:
        """What was put, until the end."""
        while (block := self._next()) is not None:
            yield block
            # Not kept while the next one is waited for: it may be large.
            del block

    def has_output(self) -> bool:
        """Whether something waits to be read."""
        return bool(self._blocks)

    def _append(self, block: bytes, server: str | None) -> None:
        if self._is_over:
            return
        self._blocks.append((block, server))
        if server is not None:
            self._waiting[server] = self._waiting.get(server, 0) + len(block)
        self._changed.notify_all()

    def _has_no_room(self, server: str, size: int) -> bool:
        waiting = self._waiting.get(server, 0)
        return waiting > 0 and waiting + size > MAX_WAITING_BYTES

    def _next(self) -> bytes | None:
        with self._changed:
            while not self._blocks:
                if self._is_over:
                    return None
                self._changed.wait()
            block, server = self._blocks.popleft()
            if server is not None:
                self._waiting[server] -= len(block)
                self._changed.notify_all()
            return block
