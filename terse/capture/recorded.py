"""Recorded calls: one a line, in files that are read line by line.

A capture is a folder of `*.jsonl` files, or one of them. Each line is an object with

- `server`, `tool`: names, as rules know them;
- `arguments`: those of the call, an object; null or missing where they were left out;
- `result`: the whole MCP result as it came from the server;
- `session`: lines with another one are of another session; may be missing, as may
- `at`: seconds since 1970, and
- `client`: the client's name as it gives it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from terse.payload.exact import NotExact, Number, dump, parse_unambiguous
from terse.payload.sample import Sample

SUFFIX = ".jsonl"
MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is left out: no result is near it, and a file without line ends would fill the memory."""
MOST_NOTES = 20
"""Lines of one reading that are told of one by one; more are counted."""


class NotACall(ValueError):  # noqa: N818 — says what the line is not
    """A line is no recorded call. The message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a recorded session.

    Attributes:
        arguments, result: as JSON text; the result is the whole MCP result. `{}` where arguments were left
            out.
        session: which session it is of, as JSON text: `null` where the line does not say.
        at: seconds since 1970; None where the line does not say.
        has_arguments: they were captured. If not, nobody knows which calls are the same.
    """

    server: str
    tool: str
    arguments: str
    result: str
    session: str = "null"
    at: float | None = None
    client: str = ""
    has_arguments: bool = True

    @property
    def sample(self) -> Sample:
        """The texts of its result."""
        return Sample.of(self.result)


class Notes:
    """What could not be read, for people: the first ones in words, the others counted."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.more = 0

    def __len__(self) -> int:
        return len(self.said) + self.more

    def __iter__(self) -> Iterator[str]:
        yield from self.said
        if self.more:
            yield f"{self.more:,} more lines or files are left out"

    def add(self, note: str) -> None:
        """Take one more in."""
        if len(self.said) < MOST_NOTES:
            self.said.append(note)
        else:
            self.more += 1


def call_in(line: str) -> RecordedCall:
    """The call that a line records.

    Raises:
        NotACall: it records none.
    """
    try:
        value = parse_unambiguous(line)
    except NotExact as error:
        raise NotACall(str(error)) from None
    if not isinstance(value, dict):
        raise NotACall("no object with server, tool, arguments and result")
    server, tool, result = value.get("server"), value.get("tool"), value.get("result")
    if type(server) is not str or type(tool) is not str or not isinstance(result, dict):
        raise NotACall("no object with server, tool, arguments and result")
    arguments, at, client = value.get("arguments"), value.get("at"), value.get("client")
    return RecordedCall(
        server,
        tool,
        dump(arguments) if isinstance(arguments, dict) else "{}",
        dump(result),
        dump(value.get("session")),
        float(at) if isinstance(at, Number) and isfinite(float(at)) else None,
        client if type(client) is str else "",
        isinstance(arguments, dict),
    )


def numbered_calls(
    name: str, lines: Iterable[bytes], notes: Notes | None = None
) -> Iterator[tuple[int, RecordedCall]]:
    """The calls in lines, each with its line's number, from 1. Bad lines are left out.

    A last line without its end that is no call is left out without a note: whoever wrote it was killed.

    Args:
        name: of the file, for notes.
        notes: gets a sentence for each line that is left out.
    """
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            if len(raw) > MAX_LINE_BYTES:
                raise NotACall(f"over {MAX_LINE_BYTES >> 20} MiB")
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            yield number, call_in(line)
        except (NotACall, UnicodeDecodeError) as error:
            why = str(error) if isinstance(error, NotACall) else f"not UTF-8 (byte {error.start})"
            is_cut_short = not raw.endswith(b"\n") and len(raw) <= MAX_LINE_BYTES and number > 1
            if notes is not None and not is_cut_short:
                notes.add(f"{name}:{number}: {why}")


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a file, each with its end; of one that is too long only what is needed to see that.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    if not os.path.isfile(path):
        # A pipe or a device might never end.
        os.stat(path)
        raise OSError(22, "no regular file", path)
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            yield line
            while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES + 1)
                if not line:
                    return


def recorded_calls(path: str, name: str, notes: Notes | None = None) -> Iterator[RecordedCall]:
    """The recorded calls of a file, in order, one in memory at a time: see `numbered_calls`.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    for _, call in numbered_calls(name, lines_of(path), notes):
        yield call


def capture_files(paths: Sequence[str]) -> list[str]:
    """The files of captures: those that are named, and all `*.jsonl` below folders, sorted.

    Raises:
        OSError: a folder cannot be read.
    """
    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        # os.walk would take an unreadable folder for an empty one.
        os.listdir(path)
        for here, folders, names in os.walk(path):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            found += [
                os.path.join(here, each)
                for each in sorted(names)
                if each.endswith(SUFFIX) and not each.startswith(".")
            ]
    return found


def is_capture(lines: Iterable[str]) -> bool:
    """Whether one of the first lines says that it is a call; a bad one before it does not hide the others."""
    for _, line in zip(range(5), lines, strict=False):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and {"server", "tool", "result"} <= value.keys():
            return True
    return False
