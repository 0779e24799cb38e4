"""What all replicas saved, day by day."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from terse.memory.redis_counts import RedisCounts
from terse.memory.redis_link import PAUSE_SECONDS, RedisLink
from terse.record import Record, What
from tests.redis_server import binary, running

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()


def record(what: What = "result", tokens: int | None = 100, day: int = 0) -> Record:
    return Record(
        at=NOON + day * 86400,
        what=what,
        client="client",
        server="server",
        tool="tool",
        bytes_in=1000,
        bytes_out=500,
        milliseconds=1.0,
        tokens_in=tokens,
        tokens_out=None if tokens is None else tokens // 2,
    )


def test_numbers_of_all_replicas_are_one_sum(tmp_path: Path) -> None:
    """By day; what was fetched later stands apart, and what nobody counted is in no sum."""
    with running(binary(), tmp_path) as server:
        replicas = [RedisCounts(RedisLink(server.url), every_seconds=60) for _ in range(2)]
        for each in replicas:
            each.observe(record())
            each.observe(record("retrieve", 40))
            each.observe(record(tokens=None))
            each.observe(record(day=1))
            assert each.flush()

        assert replicas[0].read("2026-11-30") == {
            "results": 4,
            "retrieves": 2,
            "bytes_in": 6000,
            "bytes_out": 3000,
            "tokens_in": 200,
            "tokens_out": 100,
            "tokens_fetched": 40,
            "not_counted": 2,
        }
        assert replicas[1].read("2026-12-01")["tokens_in"] == 200


def test_numbers_wait_while_redis_is_away(tmp_path: Path) -> None:
    """And are counted once, also those of which nobody knows whether they arrived."""
    now = [0.0]
    with running(binary(), tmp_path) as server:
        counts = RedisCounts(RedisLink(server.url, clock=lambda: now[0]), every_seconds=60)
        counts.observe(record())
        server.pause()
        assert not counts.flush()
        counts.observe(record())
        server.pause(going_on=True)
        now[0] += PAUSE_SECONDS + 1

        while not counts.flush():
            now[0] += PAUSE_SECONDS + 1
        assert counts.read("2026-11-30")["tokens_in"] == 200
