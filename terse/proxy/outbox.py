"""Messages on their way to a server that may not read: nobody who sends one waits."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Lock, Thread

from terse.proxy.connection import Connection, Upstream

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""What may wait for a server that does not read; beyond it, what is meant for it is refused."""


class Outbox:
    """What a connection is to be given, and the thread that gives it."""

    def __init__(self, connection: Connection, upstream: Upstream) -> None:
        self._connection = connection
        self._upstream: Upstream | None = upstream
        self._blocks: SimpleQueue[bytes | None] = SimpleQueue()
        self._unsent = 0
        self._lock = Lock()
        Thread(target=self._write, daemon=True).start()

    def send(self, block: bytes) -> bool:
        """Give whole messages to the server. False: it has no room, or has ended."""
        with self._lock:
            if self._upstream is None or (self._unsent and self._unsent + len(block) > MAX_UNSENT_BYTES):
                return False
            self._unsent += len(block)
        self._blocks.put(block)
        return True

    def close(self) -> None:
        """Let the server see the end of the messages, once it was given all of them."""
        self._blocks.put(None)

    def abandon(self) -> None:
        """The server has ended: what waits is for nobody."""
        with self._lock:
            # INVARIANT: nothing touches an upstream that may have been released.
            self._upstream = None
        self._blocks.put(None)

    def _write(self) -> None:
        while (block := self._blocks.get()) is not None:
            with self._lock:
                self._unsent -= len(block)
                if self._upstream is None:
                    return
            try:
                self._connection.from_client(block)
            except OSError:
                # Its end is noticed where its output is read.
                break
            del block
        with self._lock:
            if self._upstream is not None:
                self._upstream.close_input()
