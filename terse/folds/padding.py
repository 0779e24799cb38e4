"""Markdown tables without padding.

    | name | type |
    | --- | --- |
    | id | integer |

stands for a table whose cells are padded with spaces, and whose rule with dashes, to the widest cell of each
column. Only tables written exactly so are folded. Outside them a line that starts with `|` or `…` has `…`
before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

_RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")
_SHORT_RULE = re.compile(r"\|(?: :?---:? \|)+")


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with tables stripped of padding, or `None` when there is no padded table."""
    written: list[str] = []
    tables = False
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        if end - at >= 3 and _RULE.fullmatch(lines[at + 1]):
            short = _stripped(lines[at:end])
            if short is not None:
                written.extend(short)
                tables = tables or short != list(lines[at:end])
                at = end
                continue
        for line in lines[at : max(end, at + 1)]:
            written.append(VERBATIM + line if line.startswith(("|", VERBATIM)) else line)
        at = max(end, at + 1)
    return written if tables else None


def _stripped(table: Sequence[str]) -> list[str] | None:
    rows = [[cell.strip(" ") for cell in line.split("|")[1:-1]] for line in table]
    if not all(line.endswith("|") for line in table) or len({len(row) for row in rows}) != 1:
        return None
    rows[1] = [
        (":" if cell[:1] == ":" else "") + "---" + (":" if cell[-1:] == ":" else "") for cell in rows[1]
    ]
    short = ["| " + " | ".join(row) + " |" for row in rows]
    return short if _padded(short) == list(table) else None


def _padded(table: Sequence[str]) -> list[str]:
    rows = [line[2:-2].split(" | ") for line in table]
    if len(rows) < 3 or len({len(row) for row in rows}) != 1 or not _SHORT_RULE.fullmatch(table[1]):
        raise NotFolded("no table")
    widths = [max(3, *map(len, column)) for column in zip(rows[0], *rows[2:], strict=True)]
    written = []
    for number, row in enumerate(rows):
        if number == 1:
            padded = [
                (":" if cell[0] == ":" else "-") + "-" * (width - 2) + (":" if cell[-1] == ":" else "-")
                for cell, width in zip(row, widths, strict=True)
            ]
        else:
            padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        written.append("| " + " | ".join(padded) + " |")
    return written


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with their tables padded.

    Raises:
        NotFolded: lines with `|` that are no table.
    """
    read: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        if end > at:
            if not all(
                line.startswith("| ") and line.endswith(" |") and len(line) > 3 for line in lines[at:end]
            ):
                raise NotFolded("no table")
            widest = max(map(len, lines[at:end]))
            room.take(widest * (end - at))
            read.extend(_padded(lines[at:end]))
            at = end
            continue
        line = lines[at]
        read.append(line[1:] if line.startswith(VERBATIM) else line)
        at += 1
    return read


FORM = Form(
    name="padding",
    phrase="table cells padded to the width of their column",
    unfold=unfold,
)
