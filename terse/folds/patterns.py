"""Lines of few patterns: each pattern once, with a letter, then the lines as letter and values.

    A: GET {} 200 in {}ms
    B: cache miss for {}

    A /items 12
    B user:7
    A " 9

`{}` is a word, `{<20}` and `{>6}` a word padded with spaces on the right or left to that width. A row has
the values in order with one space between; the last value takes the rest of the line. `"` is the value at
the same place in the row above. A line of no pattern stands as it was; if it could be taken for a row, with
`…` before it. In the second form, rows of pattern A have no letter, and every other line has `…` before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

DITTO = '"'
SLOT = re.compile(r"\{(?:([<>])([1-9][0-9]{0,3}))?\}")
_LEGEND = re.compile(r"([A-Z]{1,3}): (.+)")


def braced(literal: str) -> str:
    """The literal in a format string."""
    return literal.replace("{", "{{").replace("}", "}}")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a pattern: `align` is `""`, `"<"` or `">"`, with the width to pad to."""

    align: str = ""
    width: int = 0

    def __str__(self) -> str:
        return f"{{{self.align}{self.width}}}" if self.align else "{}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """`literals[0] slots[0] literals[1] … literals[-1]`: one more literal than slots."""

    literals: tuple[str, ...]
    slots: tuple[Slot, ...]

    def __str__(self) -> str:
        parts = [self.literals[0]]
        for slot, literal in zip(self.slots, self.literals[1:], strict=True):
            parts.append(str(slot))
            parts.append(literal)
        return "".join(parts)

    @classmethod
    def parse(cls, text: str) -> Pattern:
        literals: list[str] = []
        slots: list[Slot] = []
        end = 0
        for found in SLOT.finditer(text):
            literals.append(text[end : found.start()])
            slots.append(Slot(found[1] or "", int(found[2] or 0)))
            end = found.end()
        literals.append(text[end:])
        return cls(tuple(literals), tuple(slots))

    def filler(self) -> Callable[..., str]:
        """What writes the line from its values: one for each slot."""
        parts = [braced(self.literals[0])]
        for slot, literal in zip(self.slots, self.literals[1:], strict=True):
            parts.append(f"{{:{slot.align}{slot.width}}}" if slot.align else "{}")
            parts.append(braced(literal))
        return "".join(parts).format

    def values(self, line: str) -> tuple[str, ...] | None:
        """The values that make `line` of the pattern, or `None`. Each ends where the next literal stands."""
        if not line.startswith(self.literals[0]) or not line.endswith(self.literals[-1]):
            return None
        at = len(self.literals[0])
        last = len(line) - len(self.literals[-1])
        found: list[str] = []
        for place, (slot, literal) in enumerate(zip(self.slots, self.literals[1:], strict=True)):
            end = last if place == len(self.slots) - 1 else line.find(literal, at + 1, last)
            if end < at:
                return None
            value = line[at:end]
            if slot.align:
                value = value.rstrip(" ") if slot.align == "<" else value.lstrip(" ")
            found.append(value)
            at = end + len(literal)
        values = tuple(found)
        # Without padding, the values are just what stands between the literals.
        if any(slot.align for slot in self.slots) and self.filler()(*values) != line:
            return None
        return values


def letters(index: int) -> str:
    """A, B, … Z, AA, AB, …: the name of the pattern at `index`."""
    name = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        name = chr(65 + digit) + name
    return name


def read_legend(lines: Sequence[str], entry: re.Pattern[str]) -> tuple[dict[str, str], Sequence[str]]:
    """What the letters of a legend stand for, in order, and the lines below the empty line that ends it.

    Args:
        entry: what a line of the legend is: its letters and what they stand for are its groups.

    Raises:
        NotFolded: a letter out of order, or no empty line.
    """
    legend: dict[str, str] = {}
    for position, line in enumerate(lines):
        if line == "":
            return legend, lines[position + 1 :]
        found = entry.fullmatch(line)
        if not found or found[1] != letters(len(legend)):
            raise NotFolded("a legend out of order")
        legend[found[1]] = found[2]
    raise NotFolded("a legend without an end")


@dataclass(frozen=True, slots=True)
class Row:
    """A line as a pattern and its values."""

    pattern: int
    values: tuple[str, ...]


RESTATED = 20
"""A value is written out again after so many rows with a ditto, so that no reader looks far up."""


def write(patterns: Sequence[Pattern], body: Sequence[str | Row], unnamed: bool) -> list[str]:
    """The legend, an empty line, and the body: a `str` is a line of no pattern.

    unnamed: rows of the first pattern carry no letter.
    """
    names = [letters(index) for index in range(len(patterns))]
    known = frozenset(names)
    written = [f"{name}: {pattern}" for name, pattern in zip(names, patterns, strict=True)]
    written.append("")
    above: tuple[str, ...] = ()
    run = [0] * 64
    for item in body:
        if isinstance(item, str):
            if item == "" or not (unnamed or _like_row(item, known)):
                written.append(item)
            else:
                written.append(VERBATIM + item)
            continue
        shown = []
        for place, value in enumerate(item.values):
            if place < len(above) and above[place] == value and _long(value) and run[place] < RESTATED:
                run[place] += 1
                shown.append(DITTO)
            else:
                run[place] = 0
                shown.append(value)
        above = item.values
        if not (unnamed and item.pattern == 0):
            shown.insert(0, names[item.pattern])
        written.append(" ".join(shown))
    return written


def dittoed(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows of one pattern, one below the other, as they would be written."""
    return rows[:1] + [
        tuple(
            DITTO if value == over and _long(value) else value for value, over in zip(row, above, strict=True)
        )
        for above, row in pairwise(rows)
    ]


def _long(value: str) -> bool:
    return len(value) > 5 or (len(value) > 1 and any("0" <= sign <= "9" for sign in value))


def _like_row(line: str, names: frozenset[str]) -> bool:
    return line.startswith(VERBATIM) or line.partition(" ")[0] in names


def fits(row: Row, names: frozenset[str], unnamed: bool) -> bool:
    """Whether the row, written, reads back as this row."""
    values = row.values
    if DITTO in values or len(values) > 60:
        return False
    if any(" " in value or not value for value in values[:-1]):
        return False
    if unnamed and row.pattern == 0:
        text = " ".join(values)
        return text != "" and not _like_row(text, names) and not text.startswith(DITTO)
    return True


def _unfold(lines: Sequence[str], room: Room, unnamed: bool) -> list[str]:
    legend, body = read_legend(lines, _LEGEND)
    patterns = {name: Pattern.parse(shape) for name, shape in legend.items()}
    if not patterns:
        raise NotFolded("no patterns")
    fillers = {name: pattern.filler() for name, pattern in patterns.items()}
    default = patterns["A"] if unnamed else None
    read: list[str] = []
    above: list[str] = []
    for line in body:
        if line == "":
            read.append(line)
            continue
        if line.startswith(VERBATIM):
            read.append(line[1:])
            continue
        name, space, rest = line.partition(" ")
        pattern = patterns.get(name)
        if pattern is None:
            if default is None:
                read.append(line)
                continue
            name, pattern, rest, space = "A", default, line, " "
        count = len(pattern.slots)
        if count == 0:
            if space:
                raise NotFolded("a value without a place")
            values = []
        else:
            values = rest.split(" ", count - 1)
            if not space or len(values) != count:
                raise NotFolded("a row without a value")
            for place, value in enumerate(values):
                if value == DITTO:
                    if place >= len(above):
                        raise NotFolded("a ditto under nothing")
                    values[place] = above[place]
        above = values
        whole = fillers[name](*values)
        room.take(len(whole))
        read.append(whole)
    return read


def _unfold_named(lines: Sequence[str], room: Room) -> list[str]:
    return _unfold(lines, room, unnamed=False)


def _unfold_unnamed(lines: Sequence[str], room: Room) -> list[str]:
    return _unfold(lines, room, unnamed=True)


NAMED = Form(
    name="patterns",
    phrase='a line "A x y" fills the {} of pattern A, " is the value above',
    unfold=_unfold_named,
)
UNNAMED = Form(
    name="patterns with a main one",
    phrase='a line "B x y" fills the {} of pattern B, one without letter those of A, " is the value above',
    unfold=_unfold_unnamed,
)
