"""`git log`: each commit's head on one line, authors under letters, sums where they can be worked out.

    A: Ann Lee <ann@example.org>

    commit 9bae96161b45a5bf70011c75b1ef41228d3f4caa by A, Aug 13 14:30:10 2026 +0200

        Fix the lexer

     lexer.py | 12 ++++++++----
    [sum]

    commit 240d4bcd3e207c7ed1cebd9908be41150c3ea1ab by A, Aug 12 08:48:23

stands for the lines `commit`, `Author:`, `Date:` (with the day of the week) and the empty line after them,
and, for `[sum]`, the line ` 1 file changed, 8 insertions(+), 4 deletions(-)` that the lines above add up
to. A date without year and zone has those of the commit above. `merges a b` before `by` is the line
`Merge:`. A line that looks like one of these, or starts with `…`, has `…` before it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.patterns import letters, read_legend

_COMMIT = re.compile(r"commit ([0-9a-f]{7,64}(?: \([^()]*\))?)")
_HEAD = re.compile(
    r"commit ([0-9a-f]{7,64}(?: \([^()]*\))?)(?: merges ([0-9a-f ]+))? by ([A-Z]{1,4}), ([^ ].*)", re.DOTALL
)
_MERGE = re.compile(r"Merge: ([0-9a-f]+(?: [0-9a-f]+)*)")
_LEGEND = re.compile(r"([A-Z]{1,4}): (.+)", re.DOTALL)
_CHANGED = re.compile(r" [^|\n]+ +\| +([0-9]+) (\+*)(-*)", re.DOTALL)
_SHORT_DATE = re.compile(r"[A-Z][a-z]{2} [0-9]{1,2} [0-9:]{8}")
_YEAR_AND_ZONE = len(" 2026 +0200")
SUM = "[sum]"

RESTATED = 20
"""Year and zone are written out again after so many commits, so that no reader looks far up."""


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with short heads, or `None` for a text that is no such log."""
    authors: dict[str, str] = {}
    written: list[str] = []
    heads = 0
    above, run = "", 0
    at = 0
    while at < len(lines):
        head = _head(lines, at)
        if head:
            name, merges, author, date, size = head
            letter = authors.setdefault(author, letters(len(authors)))
            merged = f" merges {merges}" if merges else ""
            where = date[-_YEAR_AND_ZONE:]
            if where == above and run < RESTATED:
                date = date[:-_YEAR_AND_ZONE]
                run += 1
            else:
                above, run = where, 0
            written.append(f"commit {name}{merged} by {letter}, {date}")
            heads += 1
            at += size
            continue
        line = lines[at]
        if line.startswith(" ") and "changed, " in line and line == _total(lines, at):
            written.append(SUM)
        else:
            written.append(VERBATIM + line if line.startswith(("commit ", VERBATIM)) or line == SUM else line)
        at += 1
    if heads < 2:
        return None
    return [*(f"{letter}: {author}" for author, letter in authors.items()), "", *written]


def _head(lines: Sequence[str], at: int) -> tuple[str, str, str, str, int] | None:
    commit = _COMMIT.fullmatch(lines[at])
    if not commit:
        return None
    merge = _MERGE.fullmatch(lines[at + 1]) if at + 1 < len(lines) else None
    rest = lines[at + (2 if merge else 1) :][:3]
    if (
        len(rest) < 3
        or rest[2] != ""
        or not rest[0].startswith("Author: ")
        or not rest[1].startswith("Date:   ")
    ):
        return None
    author, date = rest[0][8:], rest[1][12:]
    if not author or rest[1] != f"Date:   {_weekday(date)} {date}":
        return None
    return commit[1], merge[1] if merge else "", author, date, 5 if merge else 4


_DATE = re.compile(r"([A-Z][a-z]{2}) ([1-9]|[12][0-9]|3[01]) [0-9:]{8} ([12][0-9]{3}) [+-][0-9]{4}")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _weekday(date: str) -> str | None:
    """The day of the week of a date as git prints it, or `None` for another text."""
    found = _DATE.fullmatch(date)
    if not found or found[1] not in _MONTHS:
        return None
    try:
        return _DAYS[datetime.date(int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2])).weekday()]
    except ValueError:
        return None


def _total(lines: Sequence[str], end: int) -> str | None:
    """The line that sums up the changed files in the lines just before `end`, if it can be worked out."""
    files = added = removed = 0
    at = end - 1
    while at >= 0:
        changed = _CHANGED.fullmatch(lines[at]) if lines[at].startswith(" ") else None
        if not changed:
            break
        if int(changed[1]) != len(changed[2]) + len(changed[3]):
            return None  # the signs were scaled down: how many of them are lines added, they do not say
        files += 1
        added += len(changed[2])
        removed += len(changed[3])
        at -= 1
    if not files:
        return None
    parts = [f" {files} file{'s' if files > 1 else ''} changed"]
    if added or not removed:
        parts.append(f"{added} insertion{'s' if added != 1 else ''}(+)")
    if removed or not added:
        parts.append(f"{removed} deletion{'s' if removed != 1 else ''}(-)")
    return ", ".join(parts)


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines of the log.

    Raises:
        NotFolded: a legend out of order, a head of no author, or a sum of nothing.
    """
    authors, body = read_legend(lines, _LEGEND)
    read: list[str] = []
    above = ""
    for line in body:
        if line.startswith(VERBATIM):
            read.append(line[1:])
        elif line == SUM:
            total = _total(read, len(read))
            if total is None:
                raise NotFolded("a sum of nothing")
            read.append(total)
        elif line.startswith("commit "):
            head = _HEAD.fullmatch(line)
            if not head or head[3] not in authors:
                raise NotFolded("no head of a commit")
            room.take(len(authors[head[3]]) + len(line))
            read.append(f"commit {head[1]}")
            if head[2]:
                read.append(f"Merge: {head[2]}")
            date = head[4] + above if _SHORT_DATE.fullmatch(head[4]) else head[4]
            day = _weekday(date)
            if day is None:
                raise NotFolded("no date")
            above = date[-_YEAR_AND_ZONE:]
            read.extend((f"Author: {authors[head[3]]}", f"Date:   {day} {date}", ""))
        else:
            read.append(line)
    return read


FORM = Form(
    name="history",
    phrase="commits with their author's letter, no year: as above, [sum] adds up the lines above",
    unfold=unfold,
)
