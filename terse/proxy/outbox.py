"""Messages on their way to a server that may not read: nobody who sends one waits."""

from __future__ import annotations

from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread

from terse.proxy.connection import Connection, Upstream

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""What may wait for a server that does not read; beyond it, what is meant for it is refused."""


AT_ONCE_BYTES = 64 * 1024
"""More than that is looked through by the thread: whoever sends has other things to do."""


class Outbox:
    """What a connection is to be given, and the thread that gives it.

    Args:
        at_once: the server takes messages without waiting: no thread is needed as long as nothing else is
            waited for. `send` is then to be called by one thread.
    """

    def __init__(self, connection: Connection, upstream: Upstream, *, at_once: bool = False) -> None:
        self._connection = connection
        self._upstream: Upstream | None = upstream
        self._at_once = at_once
        self._blocks: SimpleQueue[bytes | None] = SimpleQueue()
        self._unsent = 0
        self._is_started = False
        self._lock = Lock()

    def send(self, block: bytes) -> bool:
        """Give whole messages to the server. False: it has no room, or has ended."""
        with self._lock:
            if self._upstream is None or (self._unsent and self._unsent + len(block) > MAX_UNSENT_BYTES):
                return False
            is_now = self._at_once and not self._unsent and len(block) <= AT_ONCE_BYTES
            is_now = is_now and not self._connection.waits_for_rules
            self._unsent += len(block)
        if not is_now:
            self._queue(block)
            return True
        # Where it reads no more, its end is noticed where its output is read.
        try:
            with suppress(OSError):
                self._connection.from_client(block)
        finally:
            with self._lock:
                self._unsent -= len(block)
        return True

    def close(self) -> None:
        """Let the server see the end of the messages, once it was given all of them."""
        self._queue(None)

    def abandon(self) -> None:
        """The server has ended: what waits is for nobody."""
        with self._lock:
            # INVARIANT: nothing touches an upstream that may have been released.
            self._upstream = None
        self._blocks.put(None)

    def _queue(self, block: bytes | None) -> None:
        with self._lock:
            is_first, self._is_started = not self._is_started, True
        self._blocks.put(block)
        if is_first:
            Thread(target=self._write, daemon=True).start()

    def _write(self) -> None:
        while (block := self._blocks.get()) is not None:
            with self._lock:
                if self._upstream is None:
                    return
            try:
                self._connection.from_client(block)
            except OSError:
                # Its end is noticed where its output is read.
                break
            with self._lock:
                self._unsent -= len(block)
            del block
        with self._lock:
            if self._upstream is not None:
                self._upstream.close_input()
