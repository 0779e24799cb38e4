"""Saved results to measure: folders with one result a file, and capture files with one call a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from terse.payload.call import Call
from terse.payload.sample import Sample, place_in_samples

CAPTURE = ".jsonl"
MAX_BYTES = 256 * 1024 * 1024
NO_NAME = "?"
"""Server and tool of a result that nobody named: no exact name in a rule file matches it."""

_NOT_RESULTS = (".terse", ".lock")


class Unreadable(Exception):  # noqa: N818 — says what is wrong with a path
    """A path that was named cannot be measured. The message is one line: which, and why."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A saved result.

    Attributes:
        file: the path it stands in, as it was named or relative to the folder that was.
        part: which result of the file: the call's number and tool in a capture, else empty.
        is_texts_alone: as in `Sample`.
    """

    file: str
    part: str
    call: Call
    texts: tuple[str, ...]
    is_texts_alone: bool

    def name_of(self, number: int) -> str:
        """Which text of the file one of its texts is; by its number, from 1."""
        return self.part or (str(number) if len(self.texts) > 1 else "")


@dataclass(frozen=True, slots=True)
class Result:
    """One text of a saved result.

    Attributes:
        file: the path it stands in, as it was named or relative to the folder that was.
        part: which text of the file: the call's number and tool in a capture, empty where it is the only one.
    """

    file: str
    part: str
    call: Call
    text: str


def results(paths: Sequence[str], notes: list[str]) -> Iterator[Result]:
    """The texts of saved results, one after another: see `whole_results`.

    Raises:
        Unreadable: a path that was named (not one found below it) has nothing to measure.
    """
    for whole in whole_results(paths, notes):
        for number, text in enumerate(whole.texts, 1):
            yield Result(whole.file, whole.name_of(number), whole.call, text)


def whole_results(paths: Sequence[str], notes: list[str]) -> Iterator[Whole]:
    """The results in files, folders (all files below, sorted) and capture files (`*.jsonl`), in order.

    A line of a capture is an object with `server`, `tool`, `arguments` and `result`, the whole MCP result.
    Other `*.jsonl` files are results like any other.

    Args:
        notes: gets a sentence for each file of a folder that is left out.

    Raises:
        Unreadable: a path that was named (not one found below it) has nothing to measure.
    """
    for path in paths:
        if os.path.isdir(path):
            for found in _below(path):
                name = os.path.relpath(found, path)
                try:
                    yield from _of_file(found, name)
                except Unreadable as error:
                    notes.append(f"left out: {error}")
        else:
            yield from _of_file(path, path)


def _below(folder: str) -> Iterator[str]:
    try:
        # os.walk would take an unreadable folder for an empty one.
        os.listdir(folder)
    except OSError as error:
        raise Unreadable(f"{folder}: {error.strerror}") from None
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(_NOT_RESULTS):
                yield os.path.join(here, name)


def _of_file(path: str, name: str) -> Iterator[Whole]:
    text = _text(path, name)
    if path.endswith(CAPTURE) and _is_capture(text):
        yield from _of_capture(text, name)
        return
    try:
        sample = Sample.saved(text, str(Path(path).absolute()))
    except ValueError as error:
        raise Unreadable(f"{name}: {error}") from None
    call = Call(*(place_in_samples(Path(path).absolute().parts) or (NO_NAME, NO_NAME)), {}, sample.is_error)
    yield Whole(name, "", call, sample.texts, sample.is_texts_alone)


def _text(path: str, name: str) -> str:
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise Unreadable(f"{name}: no regular file")
        if os.path.getsize(path) > MAX_BYTES:
            raise Unreadable(f"{name}: over {MAX_BYTES // 2**20} MiB")
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise Unreadable(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    if not data:
        raise Unreadable(f"{name}: it is empty")
    if b"\0" in data:
        raise Unreadable(f"{name}: it is binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name}: not UTF-8 (byte {error.start})") from None


def _is_capture(text: str) -> bool:
    first = text.partition("\n")[0]
    try:
        line = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(line, dict) and {"server", "tool", "result"} <= line.keys()


def _of_capture(text: str, name: str) -> Iterator[Whole]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            call = json.loads(line)
            server, tool, result = call["server"], call["tool"], call["result"]
            arguments = call.get("arguments") or {}
            if not (isinstance(server, str) and isinstance(tool, str) and isinstance(arguments, dict)):
                raise TypeError
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            raise Unreadable(
                f"{name}:{number}: a line of a capture is an object with server, tool, arguments and result"
            ) from None
        sample = Sample.of(json.dumps(result))
        if not sample.is_result:
            continue
        made = Call(server, tool, arguments, sample.is_error)
        yield Whole(name, f"{number} {server}/{tool}", made, sample.texts, sample.is_texts_alone)
