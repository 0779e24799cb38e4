"""One of several servers: started, started again when it ends, and written to without anybody waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

from terse.proxy.connection import Connection, Upstream

if TYPE_CHECKING:
    from terse.proxy.many.pending import All
    from terse.proxy.message import Message

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""What may wait for a server that does not read; beyond it, what is meant for it is refused."""
BACK_OFF_SECONDS = (0.5, 2.0, 5.0, 15.0, 60.0)
"""Between the end of a server and its next start, each time it ends early; then as the last one."""
STEADY_SECONDS = 60.0
"""A server that ran so long has not ended early: the next start follows soon."""


class Member:
    """A server and what stands between it and the client.

    Attributes:
        connection: the running one; None while the server does not run.
        is_introduced: the server has answered `initialize`.
        was_discovered: the server has answered `server/discover`, and may take no `initialize` any more.
        absence: why it does not run, for people; empty while it does.
        next_start: when it is to be started, by `time.monotonic`; None while it runs, or is not to be.
        introduction: its answer to `initialize`.
        introducing: the `initialize` that it was last given.
        upstream: the server that runs now.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], Upstream],
        connect: Callable[[Member, Upstream], Connection],
    ) -> None:
        self.name = name
        self.connection: Connection | None = None
        self.is_introduced = False
        self.was_discovered = False
        self.absence = "it is being started"
        self.next_start: float | None = 0.0
        self.introduction: Message | None = None
        self.introducing: All | None = None
        self._start = start
        self._connect = connect
        self.upstream: Upstream | None = None
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._unsent = 0
        self._lock = Lock()
        self._early_ends = 0
        self._started = 0.0

    def start(self) -> bool:
        """Start the server. False: it could not be, and `next_start` says when to try again.

        To be called by a thread that lives as long as the process: see `Child.spawn`.
        """
        self.next_start = None
        self._started = time.monotonic()
        try:
            upstream = self._start()
        except OSError as error:
            self.note_end(f"it cannot be started: {error.strerror or error}")
            return False
        self.upstream = upstream
        outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._outbox = outbox
        self._unsent = 0
        connection = self._connect(self, upstream)
        self.absence = ""
        self.connection = connection
        connection.start()
        Thread(target=self._write, args=(connection, outbox), daemon=True).start()
        return True

    def send(self, block: bytes) -> bool:
        """Give whole messages to the server; a thread of its own writes them. False: it has no room."""
        with self._lock:
            if self.connection is None or (self._unsent and self._unsent + len(block) > MAX_UNSENT_BYTES):
                return False
            self._unsent += len(block)
        self._outbox.put(block)
        return True

    def note_end(self, why: str) -> None:
        """The server does not run: plan its next start."""
        ran = time.monotonic() - self._started
        self._early_ends = 0 if ran > STEADY_SECONDS else self._early_ends + 1
        wait = BACK_OFF_SECONDS[min(self._early_ends, len(BACK_OFF_SECONDS)) - 1] if self._early_ends else 0.1
        self.absence = why
        self.is_introduced = self.was_discovered = False
        self.introduction = self.introducing = None
        with self._lock:
            self.connection = None
            # INVARIANT: nothing touches the descriptors of an upstream that may have been released.
            self.upstream = None
        self._outbox.put(None)
        self.next_start = time.monotonic() + wait

    def close_input(self) -> None:
        """Let the server see the end of the client's messages, once it was given all of them."""
        self._outbox.put(None)
        self.next_start = None

    def _write(self, connection: Connection, outbox: SimpleQueue[bytes | None]) -> None:
        while (block := outbox.get()) is not None:
            with self._lock:
                self._unsent -= len(block)
            try:
                connection.from_client(block)
            except OSError:
                # Its end is noticed where its output is read.
                break
            del block
        with self._lock:
            if self.connection is connection and self.upstream is not None:
                self.upstream.close_input()
