"""Rewriting beside the relay: slow work on one result never holds up another message.

One thread works, so that the memory of the session sees results one after another. A second one, started
with the first result, sends the original of a result that takes too long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from terse.plan.model import Plan
    from terse.proxy.answer import Answer
    from terse.proxy.listing import Request
    from terse.proxy.observing import Observing
    from terse.proxy.retrieval import OwnCall
    from terse.proxy.tool_list import ToolList
    from terse.proxy.wire import ToolCall

TIME_LIMIT = 2.0
"""Seconds from a result's arrival until it is sent, rewritten or not."""
MAX_WAITING = 256
MAX_WAITING_BYTES = 64 * 1024 * 1024
"""Results taken and not yet sent; beyond either bound they are forwarded as they came."""

MAX_COUNTED_BYTES = 128 * 1024
"""A longer message that no rule was run on is noted with its bytes only."""
COUNT_AFTER = 0.01
"""Seconds without a result after which what was sent is counted."""
FINISH_SECONDS = 0.25
"""What counting may take that is still to be done when a connection ends."""
LAST_SECONDS = 2.0
"""How long an end waits for that: on a busy machine the first count, which builds the tokenizer, takes longer
than it is allowed to, and only then are the records given out."""

QUIET_CHECK = 0.05
"""Seconds between two looks for a quiet moment."""


class Held(Protocol):
    """What waits to be sent: the answer to a call of a tool, a page of the tools, a call that we answer."""

    @property
    def message(self) -> bytes:
        """What is sent if it is not rewritten."""

    @property
    def tool(self) -> str:
        """The tool, or the method, that it is about."""

    @property
    def client(self) -> str | None:
        """The client's name as it gives it, where that is known."""

    @property
    def call(self) -> ToolCall | None:
        """The call that it answers, where it does and the call was seen."""

    def touched_by(self, rewriter: Rewriter) -> bool:
        """Whether the rewriter could change it."""

    def rewritten_by(self, rewriter: Rewriter) -> bytes:
        """What the rewriter makes of it. Raises nothing."""


class Rewriter(Protocol):
    """What rewrites answers: `terse.proxy.session.ProxySession`."""

    @property
    def own_tool(self) -> str | None:
        """The name under which the client was shown the proxy's own tool; None before it was."""

    @property
    def observing(self) -> Observing | None:
        """What is noted of messages that were sent; None where nobody wants to know."""

    def sent(self, held: Held, message: bytes, seconds: float, *, is_late: bool) -> None:
        """What was taken was sent as this message, so long after it came. Raises nothing."""

    def record(self, held: Held) -> None:
        """A message was sent, as it came or rewritten. Raises nothing, and returns at once."""

    def touches_lists(self, client: str | None) -> bool:
        """Whether a page of the tools could be changed for the client of this name."""

    def request(self, message: bytes) -> Request:
        """What becomes of a message from the client. Raises nothing."""

    def rewrite_list(self, page: ToolList) -> bytes:
        """The message to send in place of a page of the tools. Raises nothing."""

    def list_passed(self) -> None:
        """A page of the tools was sent as it came, without being looked at."""

    def retrieve(self, call: OwnCall) -> bytes:
        """The answer to a call of the proxy's own tool. Raises nothing."""

    def touches(self, tool: str, size: int) -> bool:
        """Whether a result of the tool could be changed, in a message of so many bytes."""

    def rewrite(self, answer: Answer) -> bytes:
        """The message to send in place of the answer. Raises nothing."""

    def settle(self, *, rewritten: bool) -> None:
        """What was rewritten last is on its way: as it was rewritten, or as it came. Raises nothing."""

    def forget(self, tool: str, arguments: bytes) -> None:
        """The client may not have read the results of the call. Raises nothing."""

    def begin(self) -> None:
        """The client began its session anew, and has no results. Raises nothing."""

    def follow(self, plan: Plan) -> bool:
        """Run another plan from now on. Returns whether the list of tools is another one then. Raises
        nothing."""

    def warm(self) -> None:
        """Do now what the first result would otherwise wait for. Raises nothing."""


class _Job:
    __slots__ = ("answer", "claimed", "deadline", "sent_at")

    def __init__(self, answer: Held, deadline: float) -> None:
        self.answer = answer
        self.deadline = deadline
        self.claimed = False
        """Somebody is sending it: whoever claims it first does, the other one drops its version."""
        self.sent_at: float | None = None


class Rewriting:
    """The queue of answers that are being rewritten, and its threads.

    INVARIANT: an answer that was taken is sent exactly once, whatever happens to its rewriting.

    Args:
        load: makes the rewriter, or None if it cannot be made; called in the working thread.
        send: writes a message to the client.
        say_late: called with an answer that was not rewritten in time.
        is_quiet: whether no message has passed for a while: then the rewriter is warmed up. Building a
            tokenizer stops every thread for a tenth of a second.
    """

    def __init__(
        self,
        load: Callable[[], Rewriter | None],
        send: Callable[[bytes], None],
        say_late: Callable[[Held], None],
        is_quiet: Callable[[], bool],
        time_limit: float = TIME_LIMIT,
    ) -> None:
        self._load = load
        self._send = send
        self._say_late = say_late
        self._is_quiet = is_quiet
        self._time_limit = time_limit
        lock = Lock()
        self._lock = lock
        self._watch_needed = Condition(lock)
        self._progress = Condition(lock)
        # None: there is to be no more.
        self._waiting: SimpleQueue[_Job | Callable[[Rewriter], None] | None] = SimpleQueue()
        self._unclaimed: deque[_Job] = deque()
        self._unsent = 0
        self._unsent_bytes = 0
        self._rewriter: Rewriter | None = None
        self._loaded = False
        # The thread is busy with something that has taken too long: nothing is queued behind it.
        self._stuck = False
        self._watching = False
        self._watch_idle = False
        self._stopped = False
        self._finished = False

    def start(self) -> None:
        """Start loading the rewriter, and working once it is there."""
        Thread(target=self._work, daemon=True).start()

    def stop(self) -> None:
        """End the threads, once what was taken is sent. Nothing is taken any more."""
        with self._lock:
            self._stopped = True
            self._watch_needed.notify_all()
        self._waiting.put(None)

    @property
    def own_tool(self) -> str | None:
        """See `Rewriter.own_tool`."""
        return None if self._rewriter is None else self._rewriter.own_tool

    def request(self, message: bytes) -> Request | None:
        """What becomes of a message from the client; None where there are no rules to say it."""
        return None if self._rewriter is None else self._rewriter.request(message)

    @property
    def observes(self) -> bool:
        """Whether somebody wants to know what was sent."""
        return self._rewriter is not None and self._rewriter.observing is not None

    def finish(self) -> None:
        """Wait until all is noted that was sent: a quarter of a second of counting bounds it."""
        if not self.observes:
            return
        done = Event()

        def finished(rewriter: Rewriter) -> None:
            if rewriter.observing is not None:
                rewriter.observing.finish(FINISH_SECONDS)
            done.set()

        self._waiting.put(finished)
        done.wait(LAST_SECONDS)

    def note_sent(self, answer: Held) -> None:
        """An answer that was not taken was forwarded as it came."""
        call, size = answer.call, len(answer.message)
        if call is not None and (size > MAX_COUNTED_BYTES or self._waiting.qsize() > MAX_WAITING):

            def note(rewriter: Rewriter) -> None:
                if rewriter.observing is not None:
                    is_touched = rewriter.touches(call.tool, size)
                    rewriter.observing.passed(call, size, is_late=is_touched)
        else:

            def note(rewriter: Rewriter) -> None:
                # What is touched and was not taken found the rewriter busy with what took too long.
                rewriter.sent(answer, answer.message, 0.0, is_late=answer.touched_by(rewriter))

        self.note(note)

    def record(self, answer: Held) -> None:
        """An answer that was not taken was forwarded as it came: for whoever captures."""
        if self._rewriter is not None:
            self._rewriter.record(answer)

    def take(self, answer: Held) -> bool:
        """Take over the sending of an answer. False: it is not taken; the caller forwards it as it is."""
        if self._loaded and (self._rewriter is None or not answer.touched_by(self._rewriter)):
            return False
        size = len(answer.message)
        with self._lock:
            if (
                self._stuck
                or self._stopped
                or self._unsent >= MAX_WAITING
                or (self._unsent and self._unsent_bytes + size > MAX_WAITING_BYTES)
            ):
                return False
            job = _Job(answer, monotonic() + self._time_limit)
            self._unclaimed.append(job)
            self._unsent += 1
            self._unsent_bytes += size
            if self._watch_idle:
                self._watch_needed.notify()
            start_watch = not self._watching
            self._watching = True
        self._waiting.put(job)
        if start_watch:
            Thread(target=self._watch, daemon=True).start()
        return True

    def note(self, news: Callable[[Rewriter], None]) -> None:
        """Tell the rewriter something, once it has done the answers taken before."""
        if not self._loaded or self._rewriter is not None:
            self._waiting.put(news)

    @property
    def is_loaded(self) -> bool:
        """Whether the rewriter was made, or could not be."""
        return self._loaded

    def wait_until_loaded(self, seconds: float | None) -> None:
        """Wait until the rewriter was made, or could not be, or the time is over."""
        with self._lock:
            self._progress.wait_for(lambda: self._loaded, seconds)

    def wait_until_sent(self) -> None:
        """Wait until every answer that was taken is sent: the time limit bounds it."""
        with self._lock:
            self._progress.wait_for(lambda: not self._unsent)

    def is_finished(self) -> bool:
        """Whether the working thread has ended."""
        return self._finished

    def _work(self) -> None:
        try:
            self._work_until_stopped()
        finally:
            self._finished = True

    def _work_until_stopped(self) -> None:
        try:
            self._rewriter = self._load()
        finally:
            with self._lock:
                self._loaded = True
                self._stuck = False
                self._progress.notify_all()
        job = self._first_job()
        while job is not None:
            if not isinstance(job, _Job):
                if self._rewriter is not None:
                    job(self._rewriter)
                job = self._next_job()
                continue
            message = job.answer.message
            rewriter = self._rewriter if not job.claimed else None
            if rewriter is not None:
                message = job.answer.rewritten_by(rewriter)
            with self._lock:
                self._stuck = False
                mine = self._claim(job)
            if rewriter is not None:
                # Before it is sent: what the client asks next must find what it has.
                rewriter.settle(rewritten=mine)
            if mine:
                self._send_claimed(job, message)
            if self._rewriter is not None and self._rewriter.observing is not None:
                given = message if mine else job.answer.message
                seconds = (job.sent_at or monotonic()) - (job.deadline - self._time_limit)
                self._rewriter.sent(job.answer, given, seconds, is_late=not mine)
                del given
            if self._rewriter is not None:
                self._rewriter.record(job.answer)
            # Not kept while the next one is waited for: they may be large.
            del job, message
            job = self._next_job()

    def _first_job(self) -> _Job | Callable[[Rewriter], None] | None:
        """The first result to work on; if a quiet moment comes before it, that is used to warm up."""
        while True:
            try:
                return self._waiting.get(timeout=QUIET_CHECK)
            except Empty:
                if self._is_quiet():
                    break
        if self._rewriter is not None:
            self._rewriter.warm()
        return self._waiting.get()

    def _next_job(self) -> _Job | Callable[[Rewriter], None] | None:
        """The next result to work on; what is to be counted of those before is, once there is none for a
        while.
        """
        observing = None if self._rewriter is None else self._rewriter.observing
        while observing is not None and observing.is_counting:
            try:
                # A client that asks for one thing after another is not to wait for what it cost.
                return self._waiting.get(timeout=COUNT_AFTER)
            except Empty:
                while self._waiting.empty() and observing.count_next():
                    pass
        return self._waiting.get()

    def _watch(self) -> None:
        while True:
            with self._lock:
                while not self._unclaimed:
                    if self._stopped:
                        return
                    self._watch_idle = True
                    self._watch_needed.wait()
                    self._watch_idle = False
                late = self._unclaimed[0]
                left = late.deadline - monotonic()
                if left > 0 and not self._stuck:
                    self._watch_needed.wait(left)
                    continue
                # What waits behind it would only be late as well.
                self._stuck = True
                self._claim(late)
            self._say_late(late.answer)
            self._send_claimed(late, late.answer.message)
            del late

    def _claim(self, job: _Job) -> bool:
        """Whether the caller is to send the job's message; to be asked with the lock held."""
        if job.claimed:
            return False
        job.claimed = True
        self._unclaimed.remove(job)
        return True

    def _send_claimed(self, job: _Job, message: bytes) -> None:
        self._send(message)
        job.sent_at = monotonic()
        with self._lock:
            self._unsent -= 1
            self._unsent_bytes -= len(job.answer.message)
            self._progress.notify_all()
