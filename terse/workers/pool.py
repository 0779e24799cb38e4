"""The processes that run plans, and who is served next."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic, thread_time
from typing import Any

from terse.fields.marks import RETRIEVE
from terse.memory.session import Session
from terse.payload.blocks import Joined
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.result import Answered, run_result
from terse.plan.stored import encode
from terse.tokens import Vocabulary
from terse.workers.frames import Done, Failed, Order, Question, Ready, Told, receive, send

MODULE = "terse.workers.worker"
LEAST_BYTES = 2048
"""Results with fewer characters are run here: the way there and back takes as long as their run."""
MOST_TEXTS = 8
"""Results of more texts are run here: what is asked of the session grows with them."""
TURN_SECONDS = 2.0
"""A result whose turn has not come by then was sent as it came: where there is too much to do, none of it is
done in vain."""
LATE_SECONDS = 10.0
"""A run that takes longer is ended with its process: its original was sent long before."""
MEETING_SECONDS = 1.0
BOOT_SECONDS = 60.0
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Before a process that ended is started again, while such ends follow each other."""


class WorkerFailed(RuntimeError):  # noqa: N818 — says what happened to a run
    """A run came to nothing in its process: the result is to be sent as it came."""


class _Worker:
    """A process, and our end of the socket to it. One thread at a time uses it."""

    def __init__(self) -> None:
        """
        Raises:
            OSError: it cannot be started.
        """
        self._end, theirs = socket.socketpair()
        self._plan: Plan | None = None
        try:
            self._process = subprocess.Popen(
                # Not what lies in the folder it is started in: that may be anything.
                [sys.executable, "-P", "-m", MODULE, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        except BaseException:
            self._end.close()
            raise
        finally:
            theirs.close()

    def wait_until_ready(self) -> None:
        """
        Raises:
            OSError, EOFError: it will not be.
        """
        self._end.settimeout(BOOT_SECONDS)
        if not isinstance(receive(self._end), Ready):
            raise EOFError
        self._end.settimeout(LATE_SECONDS)

    def run(self, plan: Plan, order: Order, session: Session) -> Done:
        """
        Raises:
            OSError, EOFError: the process is gone, or late.
            WorkerFailed: the run came to nothing.
        """
        if plan is not self._plan:
            order = order._replace(plan=encode(plan))
        send(self._end, order)
        self._plan = plan
        while isinstance(said := receive(self._end), Question):
            send(self._end, _answer(said, session))
        if isinstance(said, Failed):
            raise WorkerFailed(said.what)
        assert isinstance(said, Done)
        return said

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._end.close()


class Workers:
    """Runs plans as `run_result` does, in processes of their own where a result is large. From any thread.

    What is done there has one result at a time, so that none waits for a part of another one; those that wait
    are taken in the order in which they came. Of a trace the steps come back that did something or failed.

    Args:
        count: how many processes. They are started once sessions meet: large results of two of them within a
            second. Until they are there, results are done here.
        say: is told that there is none, once.
    """

    def __init__(self, count: int, say: Callable[[str, str], None]) -> None:
        self._say = say
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._alive: set[_Worker] = set()
        self._lock = Lock()
        self._closed = Event()
        self._is_one_lost = False
        self._unstarted = count
        self._last: tuple[Session | None, float] = (None, 0.0)

    @property
    def alive(self) -> int:
        """How many processes there are that take orders."""
        return len(self._alive)

    def run(
        self,
        plan: Plan,
        texts: Sequence[str],
        call: Call,
        session: Session,
        vocabulary: Vocabulary,
        *,
        joined: Joined | None = None,
        number: int | None = None,
        can_retrieve: bool = False,
        retrieve_tool: str = RETRIEVE,
        sizes: bool = True,
        clock: Callable[[], float] = thread_time,
    ) -> Answered:
        """See `terse.plan.result.run_result`.

        Raises:
            WorkerFailed: the result is to be sent as it came.
        """
        is_here = clock is not thread_time or len(texts) > MOST_TEXTS or sum(map(len, texts)) < LEAST_BYTES
        if not is_here and self._unstarted and self._meets_another(session):
            self._start_all()
        if is_here or not (self._alive or self._is_one_lost):
            return run_result(
                plan,
                texts,
                call,
                session,
                vocabulary,
                joined=joined,
                number=number,
                can_retrieve=can_retrieve,
                retrieve_tool=retrieve_tool,
                sizes=sizes,
                clock=clock,
            )
        # What dedup and diff speak of. Asked for anew where a run asks for more.
        earlier = session.earlier(call, 0, number)
        about = texts, call, joined, number, can_retrieve, retrieve_tool, sizes, earlier
        done = self._run(plan, Order(None, vocabulary.name, *about), session)
        received = tuple(map(Payload.of, texts))
        payloads = received
        if done.is_joined:
            assert joined is not None
            payloads = (Payload.of(joined.text),)
        return Answered(received, payloads, done.outcomes, done.one, done.untaken)

    def close(self) -> None:
        """End the processes: nobody needs what they do."""
        self._closed.set()
        with self._lock:
            workers, self._alive = self._alive, set()
        for worker in workers:
            worker.end()

    def _run(self, plan: Plan, order: Order, session: Session) -> Done:
        if not self._alive:
            raise WorkerFailed("none is there")
        try:
            worker = self._idle.get(timeout=TURN_SECONDS)
        except Empty:
            raise WorkerFailed("none is free") from None
        is_in_order = False
        try:
            done = worker.run(plan, order, session)
            is_in_order = True
            return done
        except WorkerFailed:
            is_in_order = True
            raise
        except (OSError, EOFError) as error:
            # It is not run here then: what ended that process could end this one, with all sessions.
            raise WorkerFailed(type(error).__name__) from None
        finally:
            if is_in_order:
                self._idle.put(worker)
            else:
                self._lost(worker)

    def _lost(self, worker: _Worker) -> None:
        with self._lock:
            self._alive.discard(worker)
            # INVARIANT: a result that ends one process after the other never gets to this one.
            self._is_one_lost = True
        worker.end()
        if not self._closed.is_set():
            Thread(target=self._start, args=(1,), daemon=True).start()

    def _meets_another(self, session: Session) -> bool:
        (last, at), self._last = self._last, (session, monotonic())
        return last is not None and last is not session and self._last[1] - at < MEETING_SECONDS

    def _start_all(self) -> None:
        with self._lock:
            count, self._unstarted = self._unstarted, 0

        def start() -> None:
            # One after the other: sessions are at work meanwhile.
            for _ in range(count):
                self._start(0)

        if count:
            self._last = (None, 0.0)
            Thread(target=start, daemon=True).start()

    def _start(self, failures: int) -> None:
        """Have one process more, however often it takes to start it."""
        while not self._closed.wait(PAUSES[min(failures, len(PAUSES)) - 1] if failures else 0.0):
            worker: _Worker | None = None
            try:
                worker = _Worker()
                worker.wait_until_ready()
            except (OSError, EOFError):
                if worker is not None:
                    worker.end()
                failures += 1
                self._say("workers", "a process that makes results smaller cannot be started: done without")
                continue
            with self._lock:
                if self._closed.is_set():
                    worker.end()
                    return
                self._alive.add(worker)
            self._idle.put(worker)
            return


def _answer(question: Question, session: Session) -> Told | Failed:
    """What a run asked, answered by the session itself."""
    asked: dict[str, Callable[..., Any]] = {
        "tokens_sent": lambda: session.tokens_sent,
        "calls_since": session.calls_since,
        "earlier": session.earlier,
        "free_bytes": lambda: session.store.free_bytes,
        "keep": session.store.keep,
        "get": session.store.get,
    }
    try:
        return Told(asked[question.name](*question.arguments))
    except Exception as error:
        return Failed(type(error).__name__)


def usual_count() -> int:
    """How many processes serve best: the results of one are work for two or three, with one left to relay."""
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


__all__ = ["WorkerFailed", "Workers", "usual_count"]
