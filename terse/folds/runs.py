"""Lines that repeat one after another, as a count.

    connecting
    [×6]
    read
    retry
    [last 2 lines ×3]

stands for `connecting` six times and `read`, `retry` three times. A line that looks like such a count, or
starts with `…`, has `…` before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.weight import weight

_COUNT = re.compile(r"\[(?:last ([2-9]|1[0-6]) lines )?×([1-9][0-9]{0,8})\]")
LONGEST = 16
_LIGHTEST = 8


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with counts, or `None` when nothing repeats enough."""
    if not repeat(lines):
        return None
    runs: list[tuple[int, int, int]] = []
    end = 0
    for at, size in sorted(_distances(lines).items()):
        if at < end:
            continue
        times = _times(lines, at, size)
        if times > 1:
            end = at + size * times
            if sum(map(weight, lines[at : at + size])) * (times - 1) >= _LIGHTEST:
                runs.append((at, size, times))
    if not runs:
        return None
    written: list[str] = []
    end = 0
    for at, size, times in runs:
        written.extend(map(_escaped, lines[end : at + size]))
        written.append(f"[×{times}]" if size == 1 else f"[last {size} lines ×{times}]")
        end = at + size * times
    written.extend(map(_escaped, lines[end:]))
    return written


def repeat(lines: Sequence[str]) -> bool:
    """Whether any line that is not empty stands there twice."""
    distinct = set(lines)
    return len(lines) - len(distinct) > (lines.count("") - 1 if "" in distinct else 0)


def _distances(lines: Sequence[str]) -> dict[int, int]:
    """For each line that comes again within `LONGEST` lines, how many lines further on."""
    seen: dict[str, int] = {}
    found: dict[int, int] = {}
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        next_at = seen.get(line)
        if next_at is not None and next_at - at <= LONGEST:
            found[at] = next_at - at
        seen[line] = at
    return found


def _times(lines: Sequence[str], at: int, size: int) -> int:
    """How often the `size` lines from `at` on stand there one after another."""
    block = lines[at : at + size]
    times = 1
    while lines[at + times * size : at + (times + 1) * size] == block:
        times += 1
    return times


def _escaped(line: str) -> str:
    return VERBATIM + line if line.startswith(VERBATIM) or _COUNT.fullmatch(line) else line


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with every repetition written out.

    Raises:
        NotFolded: a count of one, or of more lines than stand above it.
    """
    read: list[str] = []
    since = 0  # lines read since the last count: a count speaks only of these
    for line in lines:
        count = _COUNT.fullmatch(line) if line.startswith("[") else None
        if count is None:
            read.append(line[1:] if line.startswith(VERBATIM) else line)
            since += 1
            continue
        size, times = int(count[1] or 1), int(count[2])
        if times < 2 or size > since:
            raise NotFolded("a count of nothing")
        block = read[-size:]
        room.take((sum(map(len, block)) + size) * times)
        read.extend(block * (times - 1))
        since = 0
    return read


FORM = Form(
    name="counts",
    phrase="[×6] says how often the line above stands there",
    unfold=unfold,
)
