"""Progress at the right edge, without the spaces before it.

    right edge at 80

    tests/test_a.py::test_one PASSED [5%]
    tests/test_a.py::test_two PASSED [10%]

stands for lines that end in `[  5%]` and `[ 10%]`, moved right to the 80th place, or by one space where there
is no room. A line that ended so otherwise, or starts with `…`, has `…` before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

_EDGE = re.compile(r"(.*[^ ])( +)\[( {0,2}[0-9]{1,3})%\]", re.DOTALL)
_SHORT = re.compile(r"(.*[^ ]) \[([0-9]{1,3})%\]", re.DOTALL)
_HEAD = re.compile(r"right edge at ([1-9][0-9]{1,2})")


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with short edges, or `None` for lines without them."""
    lengths = Counter(len(line) for line in lines if line.endswith("%]") and _EDGE.fullmatch(line))
    if sum(lengths.values()) < 4:
        return None
    edge = lengths.most_common(1)[0][0]
    if not 10 <= edge < 1000:
        return None
    written = [f"right edge at {edge}", ""]
    for line in lines:
        found = _EDGE.fullmatch(line) if line.endswith("%]") else None
        if found and _moved(found[1], found[3].strip(" "), edge) == line:
            written.append(f"{found[1]} [{found[3].strip(' ')}%]")
        else:
            written.append(VERBATIM + line if found or line.startswith(VERBATIM) else line)
    return written


def _moved(left: str, number: str, edge: int) -> str:
    right = f"[{number:>3}%]"
    return left + right.rjust(max(edge - len(left), len(right) + 1))


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with their progress at the right edge.

    Raises:
        NotFolded: the first line names no edge.
    """
    head = _HEAD.fullmatch(lines[0]) if len(lines) > 1 and lines[1] == "" else None
    if not head:
        raise NotFolded("no right edge")
    edge = int(head[1])
    read: list[str] = []
    for line in lines[2:]:
        if line.startswith(VERBATIM):
            read.append(line[1:])
            continue
        short = _SHORT.fullmatch(line) if line.endswith("%]") else None
        if short:
            whole = _moved(short[1], short[2], edge)
            room.take(len(whole))
            read.append(whole)
        else:
            read.append(line)
    return read


FORM = Form(
    name="edges",
    phrase="[5%] stood at the right edge",
    unfold=unfold,
)
