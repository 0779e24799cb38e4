"""What a proxy calls with each result that was sent: where calls are to be captured, a thread writes them.

Where they are not, this is one comparison of times, and once a second a look at one file, in that thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from terse.capture.asked import Asked
    from terse.capture.writing import Writing

LOOK_SECONDS = 1.0
"""How long it takes at most until a result is captured after that was asked for."""
MAX_WAITING_BYTES = 32 << 20
"""Messages that wait to be written; beyond that they are not captured."""
QUIET_SECONDS = 0.05
"""Without a result for so long nobody waits for one: then calls are written."""
LONGEST_WAIT = 10.0
"""Seconds after which they are written all the same."""
YIELD_SECONDS = 0.0005
"""A pause between two stretches of work: whoever has a result to send gets on."""


class Answered(Protocol):
    """The answer to a call: `terse.proxy.answer.Answer`."""

    message: bytes
    tool: str
    arguments: bytes
    client: str | None

    def whole_result(self) -> bytes | None:
        """The whole MCP result, as it came from the server; None where it is not complete."""


class Sent(NamedTuple):
    """A call whose result was sent.

    Attributes:
        at: seconds since 1970.
        queued: by the monotonic clock.
        session: equal of calls of one session, or its name; None where nobody knows which it is of.
    """

    at: float
    queued: float
    answer: Answered
    server: str
    session: object | None


class Recorder:
    """Captures what is sent. Safe to use from any thread; nothing it does holds up a result.

    INVARIANT: whatever fails in here loses the captured line alone, and is said once.

    Args:
        asked: what is to be captured, by an option of this process; or
        asked_path: the file in which that is said for all proxies of the user, now or later.
        tell: says a line on stderr, each time.
        complain: says it unless something of this kind was said before.
    """

    def __init__(
        self,
        asked: Asked | None,
        asked_path: str,
        tell: Callable[[str], None],
        complain: Callable[[str, str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = asked_path
        self._is_fixed = asked is not None
        self._tell = tell
        self._complain = complain
        self._clock = clock
        self._is_on = asked is not None
        self._next_look = 0.0
        self._last_sent = 0.0
        self._is_closing = False
        self._waiting: SimpleQueue[Sent | None] = SimpleQueue()
        self._waiting_bytes = 0
        self._started = False
        self._lock = Lock()
        self._done = Event()
        # Of the working thread alone:
        self._seen: tuple[int, int, int] | None = None
        self._looked = 0.0
        self._asked: Asked | None = asked
        self._writing: Writing | None = None
        if asked is not None:
            tell(said(asked))

    def sent(self, answer: Answered, server: str, session: object | None) -> None:
        """A result was sent. Returns at once."""
        now = time.monotonic()
        if not self._is_on:
            if now < self._next_look:
                return
            self._next_look = now + LOOK_SECONDS
        self._last_sent = now
        with self._lock:
            if self._waiting_bytes + len(answer.message) > MAX_WAITING_BYTES:
                self._complain("capture too much", "results come faster than they are captured: some are not")
                return
            self._waiting_bytes += len(answer.message)
            if not self._started:
                self._started = True
                Thread(target=self._work, daemon=True).start()
        self._waiting.put(Sent(self._clock(), now, answer, server, session))

    def close(self, seconds: float) -> None:
        """Write what waits, for so long at most."""
        with self._lock:
            is_running = self._started
        if is_running:
            self._is_closing = True
            self._waiting.put(None)
            self._done.wait(seconds)

    def _work(self) -> None:
        try:
            while (sent := self._waiting.get()) is not None:
                if self._is_on:
                    self._wait_for_quiet(sent.queued)
                try:
                    self._one(sent)
                # Not only Exception: whatever it is, the next one may be written.
                except BaseException as error:
                    # An error's own words may quote the result.
                    name = type(error).__name__
                    self._complain(f"capture {name}", f"a call was not captured: {name}")
                with self._lock:
                    self._waiting_bytes -= len(sent.answer.message)
                # Not kept while the next one is waited for: it may be large.
                del sent
            if self._writing is not None:
                self._writing.close()
        finally:
            self._done.set()

    def _wait_for_quiet(self, queued: float) -> None:
        """Let results go first: what is done here takes as long as making one smaller."""
        until = queued + LONGEST_WAIT
        while not self._is_closing and self._waiting_bytes < MAX_WAITING_BYTES // 2:
            now = time.monotonic()
            quiet = self._last_sent + QUIET_SECONDS
            if now >= quiet or now >= until:
                return
            time.sleep(min(quiet - now, 0.05))

    def _one(self, sent: Sent) -> None:
        self._look()
        asked = self._asked
        if asked is None or not asked.names_server(sent.server):
            return
        if self._writing is None:
            from terse.capture.writing import Writing

            self._writing = Writing(asked, lambda: time.sleep(YIELD_SECONDS))
        try:
            why = self._writing.write(sent)
        except OSError as error:
            self._complain("capture", f"a call was not captured: {asked.folder}: {error.strerror}")
            return
        if why is not None:
            self._complain(f"capture {why}", f"a call was not captured: {why}")

    def _look(self) -> None:
        """See whether anything else was asked for, or the time is over."""
        if self._is_fixed:
            return
        now = time.monotonic()
        # Whoever put it in the queue has seen that it is time.
        if now - self._looked >= LOOK_SECONDS / 2 or self._looked == 0.0:
            self._looked = now
            self._read()
        if self._asked is not None and self._asked.is_over(self._clock()):
            self._follow(None)

    def _read(self) -> None:
        try:
            found = os.stat(self._path, follow_symlinks=False)
            seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        except OSError:
            # There is none: what almost always is so.
            self._seen = None
            if self._asked is not None:
                self._follow(None)
            return
        if seen == self._seen:
            return
        self._seen = seen
        from terse.capture.asked import Unusable, read

        try:
            asked = read(self._path)
        except FileNotFoundError:
            self._follow(None)
            return
        except Unusable as reason:
            self._complain("capture asked", f"nothing is captured: {self._path}: {reason}")
            self._follow(None)
            return
        self._follow(None if asked.is_over(self._clock()) else asked)

    def _follow(self, asked: Asked | None) -> None:
        before, self._asked = self._asked, asked
        if self._writing is not None:
            self._writing.close()
            self._writing = None
        self._is_on = asked is not None
        if asked is not None:
            self._tell(said(asked))
        elif before is not None:
            self._tell("calls are not captured any more")


def said(asked: Asked) -> str:
    """The line that says that calls are captured."""
    until = "" if asked.until is None else time.strftime(" until %H:%M", time.localtime(asked.until))
    what = "calls and results" if asked.arguments else "results"
    stop = "" if asked.until is None else "; `terse capture stop` ends it"
    return f"{what} are captured in {asked.folder}{until}, redacted{stop}"
