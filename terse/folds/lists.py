"""Long lists inside a line, one item a line, so that the other folds can work on them.

    Running 3 items: tests/a.py::one
    , tests/a.py::two
    , tests/b.py::three

stands for one line. A line that started with `, ` or `…` has `…` before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from terse.folds.alike import shared_start
from terse.folds.frame import VERBATIM, Form, NotFolded, Room

BETWEEN = ", "
SHORTEST_LINE = 500
FEWEST_ITEMS = 12


def is_long(line: str) -> bool:
    """Whether the line may hold a list worth breaking up."""
    return len(line) >= SHORTEST_LINE and line.count(BETWEEN) >= FEWEST_ITEMS


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with long lists broken up, or `None` when there is none whose items begin alike."""
    if max(map(len, lines), default=0) < SHORTEST_LINE or not any(map(is_long, lines)):
        return None
    written: list[str] = []
    broken = False
    for line in lines:
        escaped = line.startswith((BETWEEN, VERBATIM))
        items = line.split(BETWEEN) if len(line) >= SHORTEST_LINE and not escaped else []
        if len(items) >= FEWEST_ITEMS and _alike(items):
            broken = True
            written.append(items[0])
            written.extend(BETWEEN + item for item in items[1:])
        else:
            written.append(VERBATIM + line if escaped else line)
    return written if broken else None


def _alike(items: Sequence[str]) -> bool:
    pairs = list(pairwise(items[1:]))[:200]
    alike = sum(1 for a, b in pairs if len(shared_start([a, b])) >= 12)
    return alike * 3 >= len(pairs) * 2


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with every list in one line again.

    Raises:
        NotFolded: an item with no line to go on.
    """
    read: list[str] = []
    parts: list[str] = []
    for line in lines:
        if line.startswith(BETWEEN):
            if not parts:
                raise NotFolded("an item of no list")
            parts.append(line)
            continue
        if parts:
            read.append("".join(parts))
        parts = [line[1:] if line.startswith(VERBATIM) else line]
    if parts:
        read.append("".join(parts))
    return read


FORM = Form(
    name="lists",
    phrase='a line that starts with ", " goes on the line above',
    unfold=unfold,
)
