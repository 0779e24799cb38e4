"""Listings in columns: what all lines share once, in the first line, and the values without padding.

    {} {>} root root {>} Nov 30 {} {}

    total 152
    drwxr-xr-x 8 4096 05:55 docs
    -rw-r--r-- 1 456 " README.rst

`{}` is a word, `{>}` and `{<}` a word padded with spaces on its left or right to the widest of its column among
the lines that stand together without an empty one between; the last value takes the rest of the line. `"` is the value in
the row above. A line that does not follow has `…` before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

DITTO = '"'
RESTATED = 20
MOST_COLUMNS = 20
_SLOT = re.compile(r"\{([<>]?)\}")
_GAPS = re.compile(r"( +)")


@dataclass(frozen=True, slots=True)
class Shape:
    """`literals[0] slot literals[1] … literals[-1]`, a slot being `""`, `"<"` or `">"`."""

    literals: tuple[str, ...]
    slots: tuple[str, ...]

    def __str__(self) -> str:
        parts = [self.literals[0]]
        for slot, literal in zip(self.slots, self.literals[1:], strict=True):
            parts.append(f"{{{slot}}}{literal}")
        return "".join(parts)

    @classmethod
    def parse(cls, text: str) -> Shape:
        parts = _SLOT.split(text)
        if len(parts) < 3:
            raise NotFolded("no columns")
        return cls(tuple(parts[::2]), tuple(parts[1::2]))

    def fill(self, values: Sequence[str], widths: Sequence[int]) -> str:
        parts = [self.literals[0]]
        for slot, value, width, literal in zip(self.slots, values, widths, self.literals[1:], strict=True):
            if slot == "<":
                value = value.ljust(width)
            elif slot == ">":
                value = value.rjust(width)
            parts.append(value)
            parts.append(literal)
        return "".join(parts)


_Row = tuple[str, ...]


def _laid_out(shape: Shape, items: Sequence[str | _Row]) -> list[str]:
    """The lines that rows stand for: widths are those of the rows that no empty line parts."""
    written: list[str] = []
    at = 0
    while at < len(items):
        end = at
        while end < len(items) and items[end] != "":
            end += 1
        rows = [item for item in items[at:end] if not isinstance(item, str)]
        widths = [max(map(len, column)) if slot else 0 for slot, column in zip(shape.slots, zip(*rows, strict=True), strict=False)]
        for item in items[at:end]:
            written.append(item if isinstance(item, str) else shape.fill(item, widths))
        if end < len(items):
            written.append("")
        at = end + 1
    return written


def fold(lines: Sequence[str], padded: bool = True) -> list[str] | None:
    """The lines as columns, or `None` for text that is not in columns.

    padded: columns must be padded somewhere. Without, the lines must have nearly the same number of words.
    """
    parted = [_GAPS.split(line) for line in lines]
    number = _number_of_columns(parted)
    if number < 2 or (not padded and (number > 10 or not _regular(parted, number))):
        return None
    items: list[str | _Row] = list(lines)
    rows: dict[int, tuple[list[str], list[str]]] = {}
    for index, parts in enumerate(parted):
        if len(parts) >= 2 * number - 1 and "" not in parts[: 2 * number - 2 : 2] and parts[0]:
            rows[index] = ([*parts[: 2 * number - 2 : 2], "".join(parts[2 * number - 2 :])], parts[1 : 2 * number - 2 : 2])
    blocks = _blocks(lines)
    for _ in range(3):
        if len(rows) < 5:
            return None
        shape, values = _shape(rows, blocks)
        for index in range(len(lines)):
            items[index] = values.get(index, lines[index])
        laid = _laid_out(shape, items)
        wrong = [index for index in rows if laid[index] != lines[index] or not _legible(values[index])]
        if not wrong:
            break
        for index in wrong:
            del rows[index]
    else:
        return None
    if len(rows) * 10 < sum(1 for line in lines if line) * 6 or (padded and not any(shape.slots)):
        return None
    return _written(shape, items)


def _legible(values: _Row) -> bool:
    return DITTO not in values and values[0] != "" and not values[0].startswith(VERBATIM)


def _number_of_columns(parted: Sequence[Sequence[str]]) -> int:
    """The most words that nine lines of ten have, of the text's longer lines."""
    sizes = [(len(parts) + 1) // 2 for parts in parted if len(parts) > 2]
    if len(sizes) < 5:
        return 0
    counts = Counter(sizes)
    enough = len(sizes) * 0.85
    for size in sorted(counts, reverse=True):
        if sum(often for other, often in counts.items() if other >= size) >= enough:
            return min(size, MOST_COLUMNS)
    return 0


def _regular(parted: Sequence[Sequence[str]], number: int) -> bool:
    sizes = [(len(parts) + 1) // 2 for parts in parted if len(parts) > 2]
    return sum(1 for size in sizes if size <= number + 1) * 20 >= len(sizes) * 19


def _blocks(lines: Sequence[str]) -> list[int]:
    """For each line the number of its block: empty lines part blocks."""
    numbers = []
    block = 0
    for line in lines:
        block += line == ""
        numbers.append(block)
    return numbers


def _shape(
    rows: dict[int, tuple[list[str], list[str]]], blocks: Sequence[int]
) -> tuple[Shape, dict[int, _Row]]:
    indices = list(rows)
    columns = [list(column) for column in zip(*(words for words, _ in rows.values()), strict=True)]
    gaps = [list(column) for column in zip(*(between for _, between in rows.values()), strict=True)]
    places = [blocks[index] for index in indices]
    literals = [""]
    slots: list[str] = []
    values: list[Sequence[str]] = []
    padded = ""
    for place, column in enumerate(columns):
        last = place == len(columns) - 1
        align, padded = padded, ""
        between = "" if last else " "
        if not last:
            usual, often = Counter(gaps[place]).most_common(1)[0]
            if often * 50 >= len(indices) * 49:
                between = usual
            elif _padded(column, gaps[place], places) <= _padded(columns[place + 1], gaps[place], places):
                align = align or "<"
            else:
                padded = ">"
        usual, often = Counter(column).most_common(1)[0]
        if not align and often * 50 >= len(indices) * 49 and not _SLOT.search(usual):
            literals[-1] += usual + between
        else:
            slots.append(align)
            values.append(column)
            literals.append(between)
    if not slots:
        slots.append("")
        values.append([""] * len(indices))
        literals.append("")
    held = dict(zip(indices, zip(*values, strict=True), strict=True))
    return Shape(tuple(literals), tuple(slots)), held


def _padded(column: Sequence[str], gap: Sequence[str], places: Sequence[int]) -> int:
    """How many lines are not as if the column were padded to the widest word of its block."""
    widest: dict[int, int] = {}
    for word, place in zip(column, places, strict=True):
        widest[place] = max(widest.get(place, 0), len(word))
    return sum(
        len(word) + len(space) != widest[place] + 1
        for word, space, place in zip(column, gap, places, strict=True)
    )


def _written(shape: Shape, items: Sequence[str | _Row]) -> list[str]:
    written = [str(shape), ""]
    above: _Row = ()
    run = [0] * len(shape.slots)
    for item in items:
        if isinstance(item, str):
            written.append(VERBATIM + item if item else item)
            continue
        shown = []
        for place, value in enumerate(item):
            if above and above[place] == value and len(value) > 1 and run[place] < RESTATED:
                run[place] += 1
                shown.append(DITTO)
            else:
                run[place] = 0
                shown.append(value)
        above = item
        row = " ".join(shown)
        written.append(row)
    return written


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines in their columns.

    Raises:
        NotFolded: no columns in the first line, or a row with too few values.
    """
    if len(lines) < 2 or lines[1]:
        raise NotFolded("no columns")
    shape = Shape.parse(lines[0])
    wanted = len(shape.slots)
    items: list[str | _Row] = []
    above: list[str] | None = None
    for line in lines[2:]:
        if line == "":
            items.append(line)
            continue
        if line.startswith(VERBATIM):
            items.append(line[1:])
            continue
        values = line.split(" ", wanted - 1)
        if len(values) != wanted:
            raise NotFolded("a row without a value")
        for place, value in enumerate(values):
            if value == DITTO:
                if above is None:
                    raise NotFolded("a ditto under nothing")
                values[place] = above[place]
        above = values
        room.take(sum(map(len, values)) + sum(map(len, shape.literals)))
        items.append(tuple(values))
    return _laid_out(shape, items)


FORM = Form(
    name="columns",
    phrase='columns as in the line below, {>} {<} padded, " is the value above',
    unfold=unfold,
)
