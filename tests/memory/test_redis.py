"""What replicas share in Redis: what is promised while it is there, away, full, new, not to be trusted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from terse.memory.history import Base
from terse.memory.logged_session import LoggedSession
from terse.memory.redis_link import PAUSE_SECONDS, Away, RedisLink, Unusable
from terse.memory.redis_store import RedisStore
from terse.memory.session_log import SessionLog
from terse.memory.store import Store
from terse.payload.call import Call
from tests.redis_server import PASSWORD, RedisServer, binary, running

CALL = Call("server", "tool", {"of": "a"})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis of the test's own."""
    with running(binary(), tmp_path) as started:
        yield started


class Clock:
    """The time as the link sees it: pauses after a failure need not be waited for."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def go_on(self) -> None:
        self.now += PAUSE_SECONDS + 0.1


# ---- the store -----------------------------------------------------------------------------------------


def test_nobody_reads_what_is_another_ones(server: RedisServer) -> None:
    """Neither texts nor room: each principal has its own."""
    link = RedisLink(server.url)
    one, other = RedisStore(link, "one", 10), RedisStore(link, "other", 10)

    assert one.keep({"h000000001": "1234567890"})
    assert other.get("h000000001") is None
    assert other.free_bytes == 10
    assert other.keep({"h000000001": "other"})
    assert one.get("h000000001") == "1234567890"


def test_another_replica_gives_back_what_one_took_in(server: RedisServer) -> None:
    """Also once the first one is gone."""
    first = RedisLink(server.url)
    assert RedisStore(first, "user").keep({"h000000001": "first"})
    first.close()

    assert RedisStore(RedisLink(server.url), "user").get("h000000001") == "first"


def test_what_was_set_aside_expires_unless_it_is_used(server: RedisServer) -> None:
    """Setting aside and fetching both count as use; what has expired makes room."""
    store = RedisStore(RedisLink(server.url), "user", 10, seconds=1.0)
    assert store.keep({"h000000001": "12345", "h000000002": "67890"})
    assert store.free_bytes == 0
    until = time.monotonic() + 1.6
    while time.monotonic() < until:
        assert store.get("h000000001") == "12345"
        time.sleep(0.2)

    assert store.get("h000000002") is None
    assert store.free_bytes == 5
    assert store.keep({"h000000002": "other"})


def test_while_redis_is_away_nothing_is_set_aside(server: RedisServer) -> None:
    """Refused, and nothing raised; back again it goes on, with what was promised before."""
    clock = Clock()
    store = RedisStore(RedisLink(server.url, clock=clock), "user")
    assert store.keep({"h000000001": "first"})

    server.kill()
    assert not store.keep({"h000000002": "second"})
    assert store.free_bytes == 0
    with pytest.raises(Away):
        store.get("h000000001")

    server.start()
    clock.go_on()
    assert store.get("h000000001") == "first"
    assert store.get("h000000002") is None
    assert store.keep({"h000000002": "second"})


def test_a_redis_that_hangs_is_waited_for_once(server: RedisServer) -> None:
    """Not by every result: after the first failure nothing is tried for a while."""
    clock = Clock()
    store = RedisStore(RedisLink(server.url, clock=clock), "user")
    assert store.keep({"h000000001": "first"})

    server.pause()
    assert not store.keep({"h000000002": "second"})
    server.pause(going_on=True)
    assert not store.keep({"h000000002": "second"}), "it was asked too early"

    clock.go_on()
    assert store.keep({"h000000002": "second"})


def test_a_full_redis_refuses(tmp_path: Path) -> None:
    """It drops nothing of what was promised."""
    with running(binary(), tmp_path, "--maxmemory", "4mb", "--maxmemory-policy", "noeviction") as server:
        store = RedisStore(RedisLink(server.url), "user")
        kept = {}
        for number in range(100):
            handle, text = f"h{number:09d}", f"{number} " + "x" * 100_000
            if not store.keep({handle: text}):
                break
            kept[handle] = text

        assert 0 < len(kept) < 100
        assert all(store.get(handle) == text for handle, text in kept.items())


# ---- what is refused at the start ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_redis_that_drops_keys_is_refused(tmp_path: Path, policy: str) -> None:
    """What was promised would be lost: the message says what to set."""
    said = f"maxmemory-policy {policy}.*set maxmemory-policy noeviction"
    with (
        running(binary(), tmp_path, "--maxmemory", "64mb", "--maxmemory-policy", policy) as server,
        pytest.raises(Unusable, match=said),
    ):
        RedisLink(server.url).check()


def test_a_redis_without_a_limit_never_drops_anything(tmp_path: Path) -> None:
    """Whatever its policy says."""
    with running(binary(), tmp_path, "--maxmemory-policy", "allkeys-lru") as server:
        RedisLink(server.url).check()


def test_one_that_came_back_otherwise_is_not_used(server: RedisServer) -> None:
    """It was safe at the start, and is not any more: nothing is set aside."""
    clock = Clock()
    link = RedisLink(server.url, clock=clock)
    store = RedisStore(link, "user")
    assert store.keep({"h000000001": "first"})
    server.kill()
    assert not store.keep({"h000000002": "second"})

    server._options = ("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru")
    server.start()
    clock.go_on()
    assert not store.keep({"h000000002": "second"})
    assert "maxmemory-policy allkeys-lru" in link.state


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    """Without the right one the message says so."""
    with running(binary(), tmp_path, "--requirepass", PASSWORD) as server:
        for wrong in (None, "another"):
            with pytest.raises((Unusable, Away), match=r"(?i)auth|password"):
                RedisLink(server.url, password=wrong).check()
        link = RedisLink(server.url, password=PASSWORD)
        link.check()
        assert link.state == "ok"


@pytest.mark.parametrize("url", ["localhost:6379", "http://localhost", "redis://host:port/0"])
def test_what_is_no_address_is_refused(url: str) -> None:
    """At once, without trying."""
    with pytest.raises(Unusable, match="no address"):
        RedisLink(url)


# ---- the log of a session ----------------------------------------------------------------------------------


class Replica:
    """One replica's view of a session."""

    def __init__(self, link: RedisLink, *, is_new: bool = False, max_bytes: int = 1_000_000) -> None:
        self.log = SessionLog(link, "session", "server", max_bytes, 60)
        if is_new:
            self.log.begin()
        self.session = LoggedSession(self.log, Store())

    def ask(self, request: str, tool: str = "tool") -> None:
        self.session.count(tool, request)

    def answer(self, request: str, text: str, *, arrives: bool = True) -> None:
        self.session.refresh("tool")
        number = self.session.number_of(request)
        self.session.record(CALL, 10, [Base(text, False, True)], number, request)
        if arrives:
            noted = self.session.delivered(request)
            if noted is not None:
                noted()

    def bases(self, request: str) -> list[tuple[int, str]]:
        """What the answer to a request may speak of: numbers of calls, and what they gave."""
        self.session.refresh("tool")
        found = self.session.earlier(CALL, 0, self.session.number_of(request))
        return [(each.number, each.text) for each in found]


def test_a_replica_goes_on_with_what_another_one_sent(server: RedisServer) -> None:
    """Calls have their numbers in the whole session, and their results are there; counts as well."""
    one, other = Replica(RedisLink(server.url), is_new=True), Replica(RedisLink(server.url))
    one.ask("1")
    one.answer("1", "first")
    other.ask("2")

    assert other.bases("2") == [(1, "first")]
    assert other.session.calls_since(CALL) == 1
    assert other.session.tokens_sent == 10
    other.answer("2", "second")
    one.ask("3")
    assert one.bases("3") == [(2, "second"), (1, "first")]


def test_what_did_not_arrive_is_never_spoken_of(server: RedisServer) -> None:
    """Nor is any later result of the tool: whether the client counts the call that broke, nobody knows."""
    one, other = Replica(RedisLink(server.url), is_new=True), Replica(RedisLink(server.url))
    one.ask("1")
    one.answer("1", "first")
    one.ask("2")
    one.answer("2", "lost", arrives=False)
    other.ask("3")
    assert other.bases("3") == [(1, "first")]
    other.answer("3", "third")
    other.ask("4")
    assert other.bases("4") == [(1, "first")]

    noted = one.session.delivered("2")
    assert noted is not None
    noted()
    assert other.bases("4") == [(2, "lost"), (3, "third"), (1, "first")]


def test_a_cancelled_call_leaves_nothing(server: RedisServer) -> None:
    """Whether the cancelling is heard before the answer or after it, and by whichever replica."""
    one, other = Replica(RedisLink(server.url), is_new=True), Replica(RedisLink(server.url))
    one.ask("1")
    one.answer("1", "first")
    other.session.cancelled("1")
    one.ask("2")
    assert one.bases("2") == []

    other.session.cancelled("2")
    one.answer("2", "second")
    other.ask("3")
    assert other.bases("3") == []


def test_a_call_that_was_not_counted_ends_all_that_speaks_of_calls(server: RedisServer) -> None:
    """A replica that could not reach Redis served one: the others hear of it once it can."""
    clock = Clock()
    link = RedisLink(server.url, clock=clock)
    one, other = Replica(link, is_new=True), Replica(RedisLink(server.url))
    one.ask("1")
    one.answer("1", "first")
    server.pause()
    one.ask("2")
    assert one.session.number_of("2") is None
    assert one.bases("2") == []
    server.pause(going_on=True)
    clock.go_on()

    until = time.monotonic() + 20
    while other.session.refresh("tool"):
        assert time.monotonic() < until, "the other replica was not told"
        time.sleep(0.02)
    other.ask("3")
    assert other.bases("3") == []
    assert one.bases("3") == []


def test_after_a_restart_of_redis_no_number_is_believed(server: RedisServer) -> None:
    """It may have lost the newest ones. Sessions that begin then are as any."""
    clock = Clock()
    link = RedisLink(server.url, clock=clock)
    one = Replica(link, is_new=True)
    one.ask("1")
    one.answer("1", "first")
    server.kill()
    server.start()
    late = Replica(RedisLink(server.url))
    late.ask("2")

    assert late.session.number_of("2") is None
    assert late.bases("2") == []
    server.client().flushall()
    new = Replica(RedisLink(server.url), is_new=True)
    new.ask("1")
    new.answer("1", "first")
    new.ask("2")
    assert new.bases("2") == [(1, "first")]


def test_a_session_that_nobody_knows_has_no_history(server: RedisServer) -> None:
    """Its log has expired, or Redis has lost it: calls are not counted from one again."""
    one = Replica(RedisLink(server.url), is_new=True)
    one.ask("1")
    one.answer("1", "first")
    server.client().flushall()

    one.ask("2")
    assert one.session.number_of("2") is None
    assert one.bases("2") == []


def test_a_log_is_bounded(server: RedisServer) -> None:
    """The oldest results are dropped; what is left is right for a replica that reads all of it at once."""
    one = Replica(RedisLink(server.url), is_new=True, max_bytes=10_000)
    for number in range(50):
        one.ask(str(number))
        one.answer(str(number), f"{number} " + "x" * 1000)
    late = Replica(RedisLink(server.url), max_bytes=10_000)
    late.ask("late")

    found = late.bases("late")
    assert [number for number, _ in found] == [50, 49, 48]
    assert found[0][1].startswith("49 ")
    assert late.session.tokens_sent == 500
    kept = server.client().memory_usage(f"{late.log._base}:events")
    assert isinstance(kept, int)
    assert kept < 40_000
