"""`terse replay`: recorded sessions, tool by tool, under one policy or two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from terse.tokens import vocabulary
from tests.cli.conftest import Terse

ORDERS = [{"id": n, "state": "open", "customer": f"customer {n % 7}", "paid": n % 3 == 0} for n in range(60)]
LATER = [{**order, "state": "closed"} if order["id"] == 12 else order for order in ORDERS]
BOARD = {"orders": ORDERS}
FILE = "\n".join(f"line {n}: what a file says in that place" for n in range(60))
MEMORY = "terse 1\n\nrule everything {\n  on */*\n  use compact then dedup then diff\n}\n"


def line(tool: str, text: str, session: str = "one", **result: Any) -> str:
    content = {"content": [{"type": "text", "text": text}], **result}
    return json.dumps(
        {"server": "shop", "tool": tool, "arguments": {}, "result": content, "session": session}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A capture of two sessions, and rules that remember."""
    (tmp_path / "memory.terse").write_text(MEMORY)
    lines = [
        line("list", json.dumps(ORDERS)),
        line("list", json.dumps(LATER)),
        line("list", json.dumps(LATER)),
        line("read", FILE, "two"),
        line("read", "no such file", "two", isError=True),
        line("list", json.dumps(ORDERS), "two"),
    ]
    (tmp_path / "day.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_sessions_are_replayed_call_after_call(terse: Terse, folder: Path) -> None:
    """A repeat costs a sentence, a change a statement; another session knows nothing of it."""
    done = terse("replay", "day.jsonl", "--rules", "memory.terse", "--output", "json")

    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    sent = [call["sent"] for call in facts["calls"]]
    assert facts["sessions"] == 2
    assert [call["repeat"] for call in facts["calls"]] == [None, "changed", "same", None, None, None]
    assert sent[1] <= 60
    assert sent[2] <= 40
    assert sent[5] == sent[0]
    assert facts["total"]["sent"] == sum(sent)
    assert facts["tools"][0]["name"] == "shop/list"
    assert facts["repeats"]["same"] == [sent[2]]


def test_two_policies_stand_side_by_side(terse: Terse, folder: Path) -> None:
    """`--against` shows what the other rules would have sent."""
    done = terse("replay", "day.jsonl", "--rules", "memory.terse", "--against", "policies.terse")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1

    (folder / "old.terse").write_text("terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n")
    done = terse("replay", "day.jsonl", "--rules", "memory.terse", "--against", "old.terse")
    page = terse(
        "replay", "day.jsonl", "--rules", "memory.terse", "--against", "old.terse", "--output", "markdown"
    )

    text = done.stdout.decode()
    assert "against old.terse" in text
    rows = [row.split() for row in text.splitlines() if row.startswith(("shop/", "all"))]
    assert [row[0] for row in rows] == ["shop/list", "shop/read", "all"]
    assert int(rows[0][6].replace(",", "")) < 0
    assert page.stdout.decode().count("| `shop/") == 2


@pytest.mark.parametrize(("said", "is_same"), [(json.dumps(BOARD), True), ("see the structured part", False)])
def test_a_client_that_shows_structured_content_is_counted_by_that(
    terse: Terse, folder: Path, said: str, is_same: bool
) -> None:
    """Its model reads the document, not the text beside it: a repeat of it is short where the text says the
    same and can stand in its place, and else it is sent again."""
    lines = [line("get", said, structuredContent=BOARD) for _ in range(2)]
    (folder / "typed.jsonl").write_text("\n".join(lines))
    structured, text = (
        json.loads(
            terse(
                "replay", "typed.jsonl", "--rules", "memory.terse", "--client", client, "--output", "json"
            ).stdout
        )
        for client in ("structured", "text")
    )

    shown = vocabulary().count(json.dumps(BOARD, separators=(",", ":")))
    assert structured["total"]["received"] == 2 * shown
    assert text["total"]["received"] == 2 * vocabulary().count(said)
    again = structured["calls"][1]["sent"]
    assert again <= 40 if is_same else again == shown


def test_many_calls_give_the_same_figures_in_several_processes(terse: Terse, folder: Path) -> None:
    """Whatever the number of processors, the report is the same bytes."""
    lines = [line("list", json.dumps(ORDERS[: 20 + n % 5]), f"session {n % 4}") for n in range(60)]
    (folder / "long.jsonl").write_text("\n".join(lines))
    reports = {terse("replay", "long.jsonl", "--rules", "memory.terse").stdout for _ in range(2)}

    assert len(reports) == 1
    assert b"4 sessions with 60 calls" in reports.pop()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("empty.jsonl", "\n", "no calls"),
        ("broken.jsonl", '{"server": "a"', "broken.jsonl:1: not JSON"),
        ("other.jsonl", '{"a": 1}', "other.jsonl:1: no object with server, tool, arguments and result"),
        ("missing.jsonl", None, "missing.jsonl"),
    ],
)
def test_what_is_no_capture_is_one_line(
    terse: Terse, folder: Path, name: str, text: str | None, said: str
) -> None:
    """It says which file and line, and what is wrong."""
    if text is not None:
        (folder / name).write_text(text)
    done = terse("replay", name, "--rules", "memory.terse")

    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_bad_line_is_said_and_the_others_are_replayed(terse: Terse, folder: Path) -> None:
    """The figures are of the calls that can be read; the exit code says that it is not all."""
    good = line("list", json.dumps(ORDERS))
    (folder / "some.jsonl").write_text(f"{good}\n{{broken\n{good}\n")
    done = terse("replay", "some.jsonl", "--rules", "memory.terse")

    assert done.returncode == 1
    assert "1 session with 2 calls" in done.stdout.decode()
    assert "left out: some.jsonl:2: not JSON" in done.stdout.decode()
