"""`terse explain` on several calls: what the second and third cost, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Terse

ORDERS: list[dict[str, Any]] = [
    {"id": n, "state": "open", "customer": f"customer {n % 7}"} for n in range(60)
]
LATER = [{**order, "state": "closed"} if order["id"] == 5 else order for order in ORDERS]
MEMORY = "terse 1\n\nrule everything {\n  on */*\n  use compact then dedup then diff\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory.terse").write_text(MEMORY)
    (tmp_path / "a.json").write_text(json.dumps(ORDERS))
    (tmp_path / "b.json").write_text(json.dumps(LATER, indent=1))
    lines = [
        {
            "server": "shop",
            "tool": "list",
            "arguments": {"page": page},
            "session": session,
            "result": {"content": [{"type": "text", "text": json.dumps(orders)}]},
        }
        for session, page, orders in (("x", 1, ORDERS), ("x", 2, ORDERS), ("x", 1, LATER), ("y", 1, LATER))
    ]
    (tmp_path / "day.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


def test_the_second_call_is_explained_with_the_first_before_it(terse: Terse, folder: Path) -> None:
    """A row per call with what made it small, then each in full."""
    done = terse(
        "explain", "a.json", "b.json", "b.json", "--rules", "memory.terse", "--call", "shop/list(page: 1)"
    )

    assert done.returncode == 0, done.stderr
    rows = done.stdout.decode().splitlines()[:5]
    assert rows[2].endswith("diff: since call #1: 59 of 60 rows unchanged")
    assert rows[3].endswith("dedup: identical to call #2")
    assert "call 2 of 3: b.json" in done.stdout.decode()
    assert '│ [id=5].state = "closed"' in done.stdout.decode()


def test_calls_with_other_arguments_share_nothing(terse: Terse, folder: Path) -> None:
    """Rows of a capture: other arguments and other sessions begin anew."""
    done = terse("explain", "day.jsonl", "--rules", "memory.terse")

    rows = done.stdout.decode().splitlines()
    assert len(rows) == 6
    assert "diff: since call #1" in rows[3]
    assert not any("diff:" in rows[number] for number in (1, 2, 4))


def test_calls_of_a_capture_are_shown_in_full_on_request(terse: Terse, folder: Path) -> None:
    """Those of the tool that `--call` names."""
    done = terse("explain", "day.jsonl", "--rules", "memory.terse", "--call", "shop/list")
    other = terse("explain", "day.jsonl", "--rules", "memory.terse", "--call", "shop/other")

    assert done.stdout.decode().count("\ncall ") == 4
    assert other.stdout.decode().count("\ncall ") == 0


def test_the_facts_of_a_sequence_are_data_too(terse: Terse, folder: Path) -> None:
    """Each call as one call is explained, with its tokens."""
    done = terse("explain", "a.json", "b.json", "--rules", "memory.terse", "--call", "shop/list", "--json")

    calls = json.loads(done.stdout)["calls"]
    assert [call["file"] for call in calls] == ["a.json", "b.json"]
    assert calls[1]["sent"] < 60 < calls[1]["received"]
    assert calls[1]["texts"][0]["emitted"].startswith("Re-run now: the JSON of call #1 ")


def test_a_capture_that_is_none_is_one_line(terse: Terse, folder: Path) -> None:
    """It names the line."""
    (folder / "bad.jsonl").write_text("{}\n")
    done = terse("explain", "bad.jsonl")

    assert done.returncode == 2
    assert "bad.jsonl:1" in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
