"""Measuring captured calls: in bounded memory, whatever the size of a capture."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from terse.cli.policy import default_plan
from terse.plan.stored import encode
from terse.report.measured import MOST, Outstanding, Tally
from terse.review import measure as measuring
from terse.review.measure import Job, measure_file


def job(path: Path) -> Job:
    return Job(str(path), path.name, encode(default_plan()), None, "o200k_base", "text")


def line(number: int, session: str) -> str:
    rows = [{"id": number + each, "name": f"name {each}"} for each in range(30)]
    content = {"content": [{"type": "text", "text": json.dumps(rows)}]}
    return json.dumps(
        {"session": session, "server": "s", "tool": "t", "arguments": {"n": number}, "result": content}
    )


@pytest.fixture
def collected_soon() -> Iterator[None]:
    """Garbage is collected at once, whatever other tests left in this process."""
    usual, was_on = gc.get_threshold(), gc.isenabled()
    gc.enable()
    gc.collect()
    gc.freeze()
    # How seldom it looks at old objects depends on how many it saw the last time: now none.
    gc.collect()
    gc.set_threshold(700, 2, 2)
    yield
    gc.set_threshold(*usual)
    gc.unfreeze()
    if not was_on:
        gc.disable()


@pytest.mark.usefixtures("collected_soon")
def test_memory_does_not_grow_with_the_capture(tmp_path: Path) -> None:
    """Five times the calls take no more than the sessions that go on at once."""
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    for path, number in ((small, 120), (large, 600)):
        path.write_text("".join(f"{line(each, f's{each // 2}')}\n" for each in range(number)))
    measure_file(job(small))
    peaks = []
    for path in (small, large):
        tracemalloc.start()
        measure_file(job(path))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < 1.5 * peaks[0]


def test_sessions_that_are_too_many_at_once_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go on as new ones: what they remembered is gone, and the figures say how often."""
    monkeypatch.setattr(measuring, "MAX_SESSIONS", 2)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{line(1, f's{each % 3}')}\n" for each in range(9)))
    tally, _ = measure_file(job(path))

    assert tally.sessions == 3
    assert tally.resumed == 6


def test_lists_of_outstanding_calls_are_short_and_of_several_tools() -> None:
    """The largest, three of one tool at most, in whatever order they came."""
    calls = [Outstanding(float(size), f"tool {size % 4}", str(size)) for size in range(100)]
    one, two = Tally(), Tally()
    from terse.report.measured import most

    found: list[Outstanding] = []
    for each in calls:
        found = most(found, each)
    assert len(found) == MOST
    assert [each.size for each in found[:3]] == [99, 98, 97]
    assert max(sum(each.name == f"tool {n}" for each in found) for n in range(4)) == 3
    one.slowest, two.slowest = found[:5], found[5:]
    one.merge(two)
    assert one.slowest == found
