"""Blame by commit: who and when once for each commit, under a letter.

    A: 8a002847 (Ann     2021-06-27 23:31:46 +0300
    B: 77d82777 (Ben Lee 2022-08-12 12:49:42 -0700

    A 1) import os
    2) import re
    B 3) import sys

A line without a letter is of the commit above it. Line numbers stay. Any other line has `…` before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.patterns import letters, read_legend

_BLAME = re.compile(
    # A file where lines were moved, then who and when, in the ways of `--date`; neither with `-s`.
    r"(\^?[0-9a-f]{6,40}(?: [^\n()]{1,200}?)?"
    r"(?: \([^\n]{1,100}? +(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:]{8} ?(?:[+-][0-9:]{4,5}|Z))?"
    r"|[0-9]{9,10} [+-][0-9]{4}))?)"
    r" +([1-9][0-9]{0,8})(\).*)",
    re.DOTALL,
)
_LEGEND = re.compile(r"([A-Z]{1,4}): (.+)", re.DOTALL)
_ROW = re.compile(r"(?:([A-Z]{1,4}) )?([1-9][0-9]{0,8})(\).*)", re.DOTALL)


def is_blame(line: str) -> bool:
    """Whether the line is one of `git blame`."""
    return bool(_BLAME.fullmatch(line))


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines by commit, or `None` when the text is no blame."""
    if not any(map(is_blame, lines[:4])):
        return None
    found = [_BLAME.fullmatch(line) for line in lines]
    width = max((len(match[2]) for match in found if match), default=0)
    names: dict[str, str] = {}
    written: list[str] = []
    above = ""
    for line, match in zip(lines, found, strict=True):
        if not match or line != f"{match[1]} {match[2]:>{width}}{match[3]}":
            written.append(VERBATIM + line)
            continue
        commit = match[1]
        name = names.setdefault(commit, letters(len(names)))
        row = match[2] + match[3]
        written.append(row if commit == above else f"{name} {row}")
        above = commit
    if len(names) * 2 > len(lines):
        return None
    return [*(f"{name}: {commit}" for commit, name in names.items()), "", *written]


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines of the blame.

    Raises:
        NotFolded: a legend out of order, or a row of no commit.
    """
    commits, body = read_legend(lines, _LEGEND)
    rows: list[str | tuple[str, str, str]] = []
    commit = None
    width = 0
    for line in body:
        if line.startswith(VERBATIM):
            rows.append(line[1:])
            continue
        row = _ROW.fullmatch(line)
        if not row:
            raise NotFolded("no row of a blame")
        if row[1]:
            commit = commits.get(row[1])
        if commit is None:
            raise NotFolded("a row of no commit")
        width = max(width, len(row[2]))
        rows.append((commit, row[2], row[3]))
    read: list[str] = []
    for item in rows:
        if isinstance(item, str):
            read.append(item)
            continue
        whole = f"{item[0]} {item[1]:>{width}}{item[2]}"
        room.take(len(whole))
        read.append(whole)
    return read


FORM = Form(
    name="commits",
    phrase="lines of a blame by the letter of their commit, no letter: as above",
    unfold=unfold,
)
