"""Saved results to measure: what is found in files, folders and captures, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terse.capture.results import Unreadable, results
from terse.payload.exact import Number


def _line(text: str, tool: str = "read", **more: object) -> str:
    result = {"content": [{"type": "text", "text": text}], **more}
    return json.dumps({"server": "shop", "tool": tool, "arguments": {"id": 1}, "result": result})


def test_a_folder_gives_each_file_once_and_in_order(tmp_path: Path) -> None:
    """Names are relative to the folder; rule files, hidden files and empty ones are no results."""
    for name, text in (
        ("b.txt", "b"),
        ("a/x.json", "[1]"),
        ("rules.terse", "terse 1"),
        (".x", "x"),
        ("e", ""),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    notes: list[str] = []

    found = list(results([str(tmp_path)], notes))

    assert [(one.file, one.text) for one in found] == [("b.txt", "b"), ("a/x.json", "[1]")]
    assert notes == ["left out: e: it is empty"]


def test_a_place_in_samples_names_the_call(tmp_path: Path) -> None:
    """samples/SERVER/TOOL/x.json is a result of that tool, so that the rules for it apply."""
    path = tmp_path / "samples" / "shop" / "list" / "x.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")

    assert [one.call.name for one in results([str(tmp_path)], [])] == ["shop/list"]


def test_a_capture_gives_every_text_of_every_call(tmp_path: Path) -> None:
    """Each line is one call, with its arguments, and known as an error where the result says so."""
    path = tmp_path / "shop.jsonl"
    path.write_text("\n".join([_line("one"), _line("two", "list", isError=True), ""]))

    found = list(results([str(path)], []))

    assert [(one.part, one.text, one.call.is_error) for one in found] == [
        ("1 shop/read", "one", False),
        ("2 shop/list", "two", True),
    ]
    assert found[0].call.arguments == {"id": Number("1")}


def test_json_lines_that_are_no_capture_are_one_result(tmp_path: Path) -> None:
    """A tool may answer in JSON lines: only lines with server, tool and result are calls."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"t":1}\n{"t":2}\n')

    assert [one.text for one in results([str(path)], [])] == ['{"t":1}\n{"t":2}\n']


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"server":1,"tool":"x","result":{}}', '{"server":"s","tool":"t"}']
)
def test_a_broken_line_of_a_capture_is_named_and_left_out(tmp_path: Path, line: str) -> None:
    """One bad line costs no other one: which line it is, and what it should be, is a note."""
    path = tmp_path / "shop.jsonl"
    path.write_text(f"{line}\n{_line('one')}\n{line}\n{_line('two')}\n")
    notes: list[str] = []

    found = list(results([str(path)], notes))

    assert [one.text for one in found] == ["one", "two"]
    assert [note.split("shop.jsonl")[1].split(" ")[0] for note in notes] == [":1:", ":3:"]


@pytest.mark.parametrize(("data", "why"), [(b"", "empty"), (b"a\0b", "binary"), (b"a\xff", "not UTF-8")])
def test_a_file_that_was_named_must_be_readable(tmp_path: Path, data: bytes, why: str) -> None:
    """A file found in a folder is left out with a note; one that was named is an error."""
    path = tmp_path / "x"
    path.write_bytes(data)

    with pytest.raises(Unreadable, match=why):
        list(results([str(path)], []))
