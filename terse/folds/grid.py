"""How the lines of a CSV-like text are taken apart into cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line as they stand, quotes included."""
    if '"' not in line:
        return line.split(delimiter)
    found: list[str] = []
    at = 0
    while True:
        quoted = _QUOTED.match(line, at)
        end = quoted.end() if quoted else at
        stop = line.find(delimiter, end)
        if stop < 0:
            found.append(line[at:])
            return found
        found.append(line[at:stop])
        at = stop + 1


@dataclass(frozen=True, slots=True)
class Grid:
    """How a line is taken apart: at the delimiter, and some of its cells at their spaces once more.

    parts: of each cell, how many words it is taken apart into; 1 leaves it whole.
    """

    delimiter: str
    parts: tuple[int, ...]

    def cells(self, line: str) -> list[str] | None:
        """The cells of a line, or `None` for a line of another shape."""
        whole = cells(line, self.delimiter)
        if len(whole) != len(self.parts):
            return None
        if max(self.parts) == 1:
            return whole
        found: list[str] = []
        for cell, size in zip(whole, self.parts, strict=True):
            words = cell.split(" ") if size > 1 else [cell]
            if len(words) != size:
                return None
            found.extend(words)
        return found

    def separators(self) -> list[str]:
        """What stands before each cell: nothing before the first."""
        found: list[str] = []
        for size in self.parts:
            found.append(self.delimiter)
            found.extend(" " * (size - 1))
        return ["", *found[1:]]

    def names(self, names: Sequence[str]) -> list[str]:
        """Names for the cells: `date` in three words is `date`, `date 2`, `date 3`."""
        found: list[str] = []
        for name, size in zip(names, self.parts, strict=True):
            found.append(name)
            found.extend(f"{name} {number}" for number in range(2, size + 1))
        return found


def grid_of(delimiter: str, sample: Sequence[Sequence[str]]) -> Grid:
    """The grid in which cells of two to four words, one always the same, are taken apart: `Jan 1 2000`."""
    parts: list[int] = []
    for column in zip(*sample, strict=True):
        words = [cell.split(" ") for cell in column]
        size = len(words[0])
        inner = size > 1 and all(len(each) == size for each in words)
        same = inner and any(len(set(place)) == 1 and place[0] for place in zip(*words, strict=True))
        parts.append(size if same and size <= 4 and len(set(column)) > 1 else 1)
    return Grid(delimiter, tuple(parts))
