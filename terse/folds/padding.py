"""Markdown tables without padding and outer bars.

    name | type
    --- | ---
    id | integer

stands for a table whose cells are padded with spaces, and whose rule with dashes, to the widest cell of each
column. A rule makes a table of the line above it and of the lines below that have as many cells. Only tables
written exactly so are folded. A line that would be taken for part of one, or starts with `…`, has `…` before
it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

_RULE = re.compile(r"\|(?: ?:?-+:? ?\|){2,}")
_SHORT_RULE = re.compile(r"(?:---|:--|--:|:-:)(?: \| (?:---|:--|--:|:-:))+")
_BAR = " | "


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with tables stripped of padding, or `None` when there is no padded table."""
    written: list[str] = []
    tables = 0
    at = 0
    after = 0  # cells of the table that ended with the line before: its rows would go on
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        short = _stripped(lines[at:end]) if end - at >= 3 and _RULE.fullmatch(lines[at + 1]) else None
        if short:
            tables += 1
            written.extend(short)
            after = len(short[0].split(_BAR))
            at = end
            continue
        line = lines[at]
        taken = line.startswith(VERBATIM) or _SHORT_RULE.fullmatch(line)
        written.append(VERBATIM + line if taken or len(line.split(_BAR)) == after else line)
        after = 0
        at += 1
    return written if tables else None


def _stripped(table: Sequence[str]) -> list[str] | None:
    rows = [[cell.strip(" ") for cell in line.split("|")[1:-1]] for line in table]
    rows[1] = [_dashes(cell, 3) for cell in rows[1]]
    short = [_BAR.join(row) for row in rows]
    if len({len(row) for row in rows}) != 1 or any(line.startswith(VERBATIM) for line in short):
        return None
    if any(row.split(_BAR) != cells for row, cells in zip(short, rows, strict=True)):
        return None
    return short if _padded(rows) == list(table) else None


def _dashes(cell: str, width: int) -> str:
    left, right = cell[:1] == ":", cell[-1:] == ":"
    return (":" if left else "-") + "-" * (width - 2) + (":" if right else "-")


def _padded(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(3, *map(len, column)) for column in zip(rows[0], *rows[2:], strict=True)]
    written = []
    for number, row in enumerate(rows):
        cells = zip(row, widths, strict=True)
        padded = [_dashes(cell, width) if number == 1 else cell.ljust(width) for cell, width in cells]
        written.append("| " + _BAR.join(padded) + " |")
    return written


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with their tables padded.

    Raises:
        NotFolded: a rule without a head.
    """
    read: list[str] = []
    at = 0
    while at < len(lines):
        if at + 1 < len(lines) and _SHORT_RULE.fullmatch(lines[at + 1]):
            rows = [lines[at].split(_BAR), lines[at + 1].split(_BAR)]
            if len(rows[0]) != len(rows[1]) or lines[at].startswith(VERBATIM):
                raise NotFolded("a rule without a head")
            end = at + 2
            while end < len(lines) and not lines[end].startswith(VERBATIM):
                row = lines[end].split(_BAR)
                if len(row) != len(rows[0]):
                    break
                rows.append(row)
                end += 1
            padded = _padded(rows)
            room.take(sum(map(len, padded)))
            read.extend(padded)
            at = end
            continue
        line = lines[at]
        if _SHORT_RULE.fullmatch(line):
            raise NotFolded("a rule without a head")
        read.append(line[1:] if line.startswith(VERBATIM) else line)
        at += 1
    return read


FORM = Form(
    name="padding",
    phrase="tables without their padding and outer bars",
    unfold=unfold,
)
