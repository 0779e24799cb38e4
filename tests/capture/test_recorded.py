"""Recorded calls, read line by line: what a line is, and what a bad one costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.capture import recorded as reading
from terse.capture.recorded import (
    MOST_NOTES,
    Notes,
    RecordedCall,
    capture_files,
    numbered_calls,
    recorded_calls,
)


def line(number: int, **more: Any) -> bytes:
    made = {"server": "shop", "tool": "get", "result": {"content": [], "n": number}, **more}
    return json.dumps(made).encode() + b"\n"


def test_a_line_is_a_call_with_its_text_as_it_was_written() -> None:
    """Numbers keep their spelling; what a line leaves out has a value that says so."""
    raw = (
        b'{"session":"s","at":1764510000.25,"server":"shop","tool":"get","client":"cc",'
        b'"arguments":{"price":1.10},"result":{"content":[],"v":1E400}}\n'
    )
    ((_, full), (_, bare)) = numbered_calls("x", [raw, line(1)])

    assert full == RecordedCall(
        "shop", "get", '{"price":1.10}', '{"content":[],"v":1E400}', '"s"', 1764510000.25, "cc"
    )
    assert (bare.session, bare.at, bare.client, bare.arguments) == ("null", None, "", "{}")


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b"7",
        b'{"server":1,"tool":"x","result":{}}',
        b'{"server":"s","tool":"t","result":[]}',
        b'{"server":"s","tool":"t","result":{},"tool":"u"}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_bad_line_costs_itself_alone(bad: bytes) -> None:
    """Wherever it stands: which line, and why, is a note, and the others are read."""
    notes = Notes()

    found = list(numbered_calls("f", [bad + b"\n", line(1), bad + b"\n", line(2)], notes))

    assert [number for number, _ in found] == [2, 4]
    assert [note.split(" ")[0] for note in notes] == ["f:1:", "f:3:"]


def test_a_line_that_was_cut_short_is_nobodys_fault() -> None:
    """Whoever wrote it was killed in the middle: the calls before it are whole, and nothing is said."""
    whole = line(1)
    for length in range(1, len(whole) - 1):
        notes = Notes()
        assert len(list(numbered_calls("f", [whole, whole[:length]], notes))) == 1
        assert len(notes) == 0
    assert len(list(numbered_calls("f", [whole, whole[:-1]]))) == 2


def test_a_thousand_bad_lines_are_counted() -> None:
    """No more notes than can be read."""
    notes = Notes()

    assert list(numbered_calls("f", [b"{\n"] * 1000, notes)) == []

    assert len(list(notes)) == MOST_NOTES + 1
    assert list(notes)[-1] == f"{1000 - MOST_NOTES:,} more lines or files are left out"


def test_a_line_that_is_too_long_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out with a note; the next one is read."""
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(1, pad="x" * 5000) + line(2) + line(3, pad="x" * 995))
    notes = Notes()

    assert [json.loads(each.result)["n"] for each in recorded_calls(str(path), "a", notes)] == [2]
    assert [note.split(" ")[0] for note in notes] == ["a:1:", "a:3:"]


def test_calls_come_one_at_a_time() -> None:
    """A capture is never in memory as a whole: a line is read when it is asked for."""
    read: list[int] = []

    def lines() -> Iterator[bytes]:
        for number in range(10):
            read.append(number)
            yield line(number)

    found = numbered_calls("f", lines())
    next(found)

    assert read == [0]


def test_a_capture_is_a_folder_of_files(tmp_path: Path) -> None:
    """Those that end in `.jsonl`, sorted; hidden ones are somebody else's."""
    for name in ("b.jsonl", "a/c.jsonl", "notes.txt", ".hidden.jsonl", ".git/d.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    found = capture_files([str(tmp_path), "named.txt"])

    assert found == [str(tmp_path / "b.jsonl"), str(tmp_path / "a" / "c.jsonl"), "named.txt"]


def test_what_is_no_file_is_said_and_not_waited_for(tmp_path: Path) -> None:
    """A pipe would never end."""
    import os

    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("pipe.jsonl", "missing.jsonl"):
        with pytest.raises(OSError, match=r"regular|No such"):
            list(recorded_calls(str(tmp_path / name), name))
