"""Runs in other processes: what comes of them is what would have come here, and their end is not ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event, Thread

import pytest

from terse.fields.selector import Path
from terse.memory.session import Session
from terse.memory.store import Store
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.plan.model import CallRepeats, SetAside
from terse.plan.result import Answered, run_result
from terse.plan.run import sent
from terse.plan.trace import Outcome
from terse.proxy.complaints import Complaints
from terse.proxy.session import ProxySession
from terse.tiers import CHAINS
from terse.tokens import vocabulary
from terse.workers import pool, worker
from terse.workers.pool import WorkerFailed, Workers
from tests.plan.plans import CALL, plan, rule, step
from tests.proxy.process import ends

PATIENCE = 60.0
COMPACT = tuple(step(tier.name) for tier in CHAINS["compact"])
MEMORY = (*COMPACT, step("dedup"), step("diff"))


def records(count: int, first: int = 0) -> str:
    made = [{"id": n + first, "title": f"record {n}", "open": n % 2 == 0, "at": 1.50} for n in range(count)]
    return json.dumps(made).replace("1.5,", "1.50,")


LOG = "\n".join(f"2026-11-30 10:00:{n % 60:02} INFO worker {n % 7} took job {n}" for n in range(200))
MIXED = ["Here are the orders:", *(records(1, n)[1:-1] for n in range(5)), "x" * 3000]


def until(condition: Callable[[], object], what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.02)


def ready(count: int = 1) -> Workers:
    """Workers that are there."""
    said: list[str] = []
    made = Workers(count, lambda kind, line: said.append(line))

    def are_there() -> bool:
        # Sessions that meet: on a busy machine two results may be far apart.
        made.run(plan(rule(chain=COMPACT)), [records(100)], CALL, Session(), vocabulary())
        return made.alive == count

    until(are_there, f"{count} workers: {said}")
    return made


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """One worker for the tests that do it no harm."""
    made = ready()
    yield made
    made.close()


def same(one: Answered, other: Answered) -> bool:
    """Whether two runs came to the same, but for steps that did nothing and the time that they took."""
    return (
        one.one == other.one
        and one.texts == other.texts
        and [each.text for each in one.payloads] == [each.text for each in other.payloads]
        and [_told(each) for each in one.outcomes] == [_told(worker._brief(each)) for each in other.outcomes]
        and len(one.untaken) == len(other.untaken)
        and [each.text for each in one.as_they_came] == [each.text for each in other.as_they_came]
    )


def _told(outcome: Outcome) -> Outcome:
    steps = tuple(replace(each, milliseconds=0.0) for each in outcome.trace.steps)
    return replace(outcome, trace=replace(outcome.trace, steps=steps))


@pytest.mark.parametrize(
    "texts",
    [
        [records(150)],
        [LOG],
        ["x" * 5000],
        [records(60), records(60, 7)],
        MIXED,
        ['{"a": 1e400, "b": "\ud800"}' * 200],
    ],
    ids=["records", "log", "nothing to do", "two lists", "texts and documents", "no JSON"],
)
def test_a_run_elsewhere_comes_to_the_same(workers: Workers, texts: Sequence[str]) -> None:
    """The text, its class, what the trace says, and what later results may speak of: also the second time."""
    of = plan(rule(chain=MEMORY))
    here, there = Session(), Session()
    for _ in range(3):
        options = {"joined": join(texts) if len(texts) > 1 else None, "can_retrieve": True, "sizes": False}
        one = workers.run(of, texts, CALL, there, vocabulary(), **options)  # type: ignore[arg-type]
        other = run_result(of, texts, CALL, here, vocabulary(), **options)  # type: ignore[arg-type]
        assert same(one, other)
        sent(of, one.outcomes, CALL, there, vocabulary())
        sent(of, other.outcomes, CALL, here, vocabulary())


def test_what_is_asked_of_the_session_is_asked_of_ours(workers: Workers) -> None:
    """Conditions on earlier calls hold there as they hold here, and another rule's plan is taken."""
    of = plan(rule(when=(CallRepeats(),), chain=COMPACT))
    session = Session()

    first = workers.run(of, [records(150)], CALL, session, vocabulary())
    sent(of, first.outcomes, CALL, session, vocabulary())
    second = workers.run(of, [records(150)], CALL, session, vocabulary())

    assert not first.outcomes[0].changed
    assert second.outcomes[0].changed


def test_what_is_set_aside_is_kept_here(workers: Workers) -> None:
    """Nothing that was promised ends with a process, and how much room there is, is asked here."""
    of = plan(rule(fields=(SetAside((Path(("issues", "body")),)),), chain=COMPACT))
    issues = json.dumps({"issues": [{"id": n, "body": f"what was said {n} " * 90} for n in range(20)]})
    session, full = Session(), Session()
    full.store = Store(max_bytes=10)

    done = workers.run(of, [issues], CALL, session, vocabulary(), can_retrieve=True)
    not_done = workers.run(of, [issues], CALL, full, vocabulary(), can_retrieve=True)

    handles = done.outcomes[0].trace.handles
    assert handles
    assert all(session.store.get(handle) is not None for handle in handles)
    assert not not_done.outcomes[0].trace.handles
    assert "what was said 19" in not_done.outcomes[0].text


class Asked(Session):
    """A session in which something happens when a run asks it."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens = happens

    def calls_since(self, call: Call) -> int | None:
        self._happens()
        return super().calls_since(call)


ASKING = plan(rule(when=(CallRepeats(),), chain=COMPACT))


def pid_of(workers: Workers) -> int:
    (only,) = workers._alive
    return only._process.pid


def test_a_process_that_dies_ends_one_run_and_nothing_else() -> None:
    """The result that it had is for the caller to send as it came; the next ones wait for another process,
    and are never run here, where what ended that one could end all sessions."""
    workers = ready()
    pid = pid_of(workers)
    dying = Asked(lambda: os.kill(pid, signal.SIGKILL))
    try:
        for session in (dying, Session()):
            with pytest.raises(WorkerFailed):
                workers.run(ASKING, [records(150)], CALL, session, vocabulary())
        until(lambda: workers.alive == 1, "another process")

        assert pid_of(workers) != pid
        assert ends(pid)
        done = workers.run(plan(rule(chain=COMPACT)), [records(150)], CALL, Session(), vocabulary())
        assert done.outcomes[0].changed
    finally:
        workers.close()


def test_a_run_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that hangs is no reason for a session to hang."""
    monkeypatch.setattr(pool, "LATE_SECONDS", 0.5)
    workers = ready()
    pid = pid_of(workers)
    try:
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(WorkerFailed):
            workers.run(plan(rule(chain=COMPACT)), [records(150)], CALL, Session(), vocabulary())
        assert ends(pid)
    finally:
        workers.close()


def test_a_result_whose_turn_does_not_come_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is more to do than can be done, what is late is left alone, and the rest is done."""
    monkeypatch.setattr(pool, "TURN_SECONDS", 0.2)
    workers = ready()
    of = plan(rule(chain=COMPACT))
    busy, done = Event(), Event()

    def hold() -> None:
        busy.set()
        done.wait(PATIENCE)

    first = Thread(
        target=lambda: workers.run(ASKING, [records(150)], CALL, Asked(hold), vocabulary()), daemon=True
    )
    try:
        first.start()
        assert busy.wait(PATIENCE)
        with pytest.raises(WorkerFailed):
            workers.run(of, [records(150)], CALL, Session(), vocabulary())
        done.set()
        first.join(PATIENCE)
        assert workers.run(of, [records(150)], CALL, Session(), vocabulary()).outcomes[0].changed
    finally:
        done.set()
        workers.close()


def test_a_failure_here_while_a_run_asks_is_a_failure_there(workers: Workers) -> None:
    """The session cannot be asked (Redis is away, say): the original is sent, the process goes on."""

    def fail() -> None:
        raise RuntimeError("away")

    done = workers.run(ASKING, [records(150)], CALL, Asked(fail), vocabulary())
    after = workers.run(plan(rule(chain=COMPACT)), [records(150)], CALL, Session(), vocabulary())

    assert done.texts == (records(150),)
    assert done.outcomes[0].trace.gate.failed
    assert after.outcomes[0].changed


def test_the_original_is_sent_where_a_process_fails() -> None:
    """What the client gets is what the server said, and stderr has one line that names no content."""
    from terse.proxy.answer import Answer
    from terse.proxy.spans import envelope

    said: list[str] = []

    class Heard(Complaints):
        def tell(self, message: str) -> None:
            said.append(message)

    def failing(*given: object, **options: object) -> Answered:
        raise WorkerFailed("EOFError")

    session = ProxySession(plan(rule(chain=COMPACT)), "server", vocabulary(), Heard(), run=failing)
    result = json.dumps({"content": [{"type": "text", "text": records(150)}]}).encode()
    line = b'{"jsonrpc":"2.0","id":1,"result":%b}\n' % result
    structure, found = envelope(line)

    for _ in range(2):
        assert session.rewrite(Answer(line, structure, found["result"], "records", b"{}")) == line
        session.settle(rewritten=True)

    (only,) = said
    assert "WorkerFailed" in only
    assert "record 1" not in only


def test_where_no_process_can_be_started_results_are_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and nothing is lost but speed."""
    said: list[str] = []
    monkeypatch.setattr(pool, "MODULE", "terse.workers.no_such_module")
    workers = Workers(1, lambda kind, line: said.append(line))
    try:

        def is_said() -> bool:
            done = workers.run(plan(rule(chain=COMPACT)), [records(150)], CALL, Session(), vocabulary())
            assert done.outcomes[0].changed
            return bool(said)

        until(is_said, "that it cannot be started")
        assert "cannot be started" in said[0]
    finally:
        workers.close()


def test_who_needs_no_process() -> None:
    """Small results and many texts would take longer there, and one session has nobody to wait for."""
    workers = Workers(1, lambda kind, line: None)
    alone = Session()

    for _ in range(3):
        workers.run(plan(rule(chain=COMPACT)), [records(100)], CALL, alone, vocabulary())
        workers.run(plan(rule(chain=COMPACT)), [records(5)], CALL, Session(), vocabulary())
        workers.run(plan(rule(chain=COMPACT)), [records(5)] * 50, CALL, Session(), vocabulary())

    assert workers.alive == 0
    assert workers._unstarted == 1


def test_processes_end_with_the_one_that_started_them() -> None:
    """Killed outright, it leaves none behind."""
    script = (
        "import sys, time; from terse.workers.pool import Workers; from tests.workers.test_workers import *\n"
        "made = ready(2)\n"
        "print(*[each._process.pid for each in made._alive], flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        time.sleep(0.1)
        assert all(not has_ended(pid) for pid in pids), "they are told by their parent's end alone"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
    assert len(pids) == 2
    assert all(ends(pid) for pid in pids)


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
