"""One of several servers: started, started again when it ends, and written to without anybody waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from terse.proxy.connection import Connection, Upstream
from terse.proxy.outbox import Outbox
from terse.proxy.servers import Unusable

if TYPE_CHECKING:
    from terse.proxy.many.pending import All
    from terse.proxy.message import Message

BACK_OFF_SECONDS = (0.5, 2.0, 5.0, 15.0, 60.0)
"""Between the end of a server and its next start, each time it ends early; then as the last one."""
STEADY_SECONDS = 60.0
"""A server that ran so long has not ended early: the next start follows soon."""


class Member:
    """A server and what stands between it and the client.

    Attributes:
        connection: the running one; None while the server does not run.
        is_introduced: the server has answered `initialize`.
        was_discovered: the server was asked `server/discover`, and may take no `initialize` any more.
        is_late: it has let a limit pass, and has said nothing since: nobody waits for it alone.
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
        self.is_late = False
        self.absence = "it is being started"
        self.next_start: float | None = 0.0
        self.introduction: Message | None = None
        self.introducing: All | None = None
        self._start = start
        self._connect = connect
        self.upstream: Upstream | None = None
        self._outbox: Outbox | None = None
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
        except Unusable as reason:
            # Starting it again would not help.
            self.note_end(str(reason))
            self.next_start = None
            return False
        except OSError as error:
            self.note_end(f"it cannot be started: {error.strerror or error}")
            return False
        self.upstream = upstream
        connection = self._connect(self, upstream)
        self.absence = ""
        self._outbox = Outbox(connection, upstream)
        self.connection = connection
        connection.start()
        return True

    def send(self, block: bytes) -> bool:
        """Give whole messages to the server; nobody waits for it. False: it has no room, or does not run."""
        return self._outbox is not None and self._outbox.send(block)

    def note_end(self, why: str) -> None:
        """The server does not run: plan its next start."""
        ran = time.monotonic() - self._started
        self._early_ends = 0 if ran > STEADY_SECONDS else self._early_ends + 1
        wait = BACK_OFF_SECONDS[min(self._early_ends, len(BACK_OFF_SECONDS)) - 1] if self._early_ends else 0.1
        self.absence = why
        self.is_introduced = self.was_discovered = self.is_late = False
        self.introduction = self.introducing = None
        self.connection = self.upstream = None
        if self._outbox is not None:
            self._outbox.abandon()
            self._outbox = None
        self.next_start = time.monotonic() + wait

    def why_away(self) -> str:
        """Why it answers nothing now, and when that may change, for a model."""
        why = self.absence
        if not why:
            why = "it reads nothing" if self.is_introduced else "it has not answered `initialize` yet"
        if self.next_start is None:
            return f"The server {self.name} is not available: {why}."
        seconds = max(self.next_start - time.monotonic(), 0)
        return (
            f"The server {self.name} is not available: {why}. It is started again in {seconds:.0f} s: "
            "call again then."
        )

    def close_input(self) -> None:
        """Let the server see the end of the client's messages, once it was given all of them."""
        if self._outbox is not None:
            self._outbox.close()
        self.next_start = None
