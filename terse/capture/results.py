"""Saved results to measure: folders with one result a file, and capture files with one call a line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from terse.capture.recorded import SUFFIX, Notes, is_capture, lines_of, numbered_calls
from terse.payload.call import Call
from terse.payload.exact import parse
from terse.payload.sample import Sample, place_in_samples

CAPTURE = SUFFIX
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
        notes: gets a sentence for each file of a folder, and each line of a capture, that is left out.

    Raises:
        Unreadable: a path that was named (not one found below it) has nothing to measure.
    """
    for path in paths:
        if os.path.isdir(path):
            for found in _below(path):
                name = os.path.relpath(found, path)
                try:
                    yield from _of_file(found, name, notes)
                except Unreadable as error:
                    notes.append(f"left out: {error}")
        else:
            yield from _of_file(path, path, notes)


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


def _of_file(path: str, name: str, notes: list[str]) -> Iterator[Whole]:
    if path.endswith(CAPTURE) and _is_capture(path, name):
        yield from _of_capture(path, name, notes)
        return
    text = _text(path, name)
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


def _is_capture(path: str, name: str) -> bool:
    try:
        return is_capture(line.decode("utf-8-sig", "replace") for line in lines_of(path))
    except (OSError, ValueError) as error:
        raise Unreadable(f"{name}: {getattr(error, 'strerror', None) or error}") from None


def _of_capture(path: str, name: str, notes: list[str]) -> Iterator[Whole]:
    left_out = Notes()
    try:
        for number, each in numbered_calls(name, lines_of(path), left_out):
            sample = each.sample
            if not sample.is_result:
                continue
            arguments = parse(each.arguments)
            assert isinstance(arguments, dict), "INVARIANT: arguments were written from an object"
            call = Call(each.server, each.tool, arguments, sample.is_error)
            part = f"{number} {each.server}/{each.tool}"
            yield Whole(name, part, call, sample.texts, sample.is_texts_alone)
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None
    notes += [f"left out: {note}" for note in left_out]
