"""Listings in columns: what all lines share once, in the first line, and the values without padding.

    {} {>} root root {>} Nov 30 {} {}

    total 152
    drwxr-xr-x 8 4096 05:55 docs
    -rw-r--r-- 1 456 " README.rst

`{}` is a word; `{>}` and `{<}` a word padded with spaces on its left or right to the widest of its column,
among the lines that no empty line parts; `{>8}` and `{<20}` one padded to that width. The last value takes
the rest of the line. `"` is the value in the row above. A value with spaces that is not the last stands in
`'`. A line that does not follow has `…` before it.

Where a row has its values in another order than the columns, the columns are numbered: `{2<} {1}` has the
second value of the row first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.patterns import braced
from terse.folds.weight import weight

DITTO = '"'
RESTATED = 20
MOST_COLUMNS = 20
SAMPLE_LINES = 1000
MOST_JUDGED = 250
_SLOT = re.compile(r"\{([1-9][0-9]?)?([<>](?:[1-9][0-9]{0,2})?)?\}")
_GAPS = (re.compile(r"( +)"), re.compile(r"( {2,})"))
"""Between words, and between cells that may hold words: one of the two fits a listing better."""

_VALUE = re.compile(r"(?:'([^']*)'|([^ ]*))(?: |$)")


@dataclass(frozen=True, slots=True)
class Shape:
    """`literals[0] slot literals[1] … literals[-1]`, a slot being `""`, `"<"`, `">8"`, ….

    last_first: the value of the last column stands first in a row.
    """

    literals: tuple[str, ...]
    slots: tuple[str, ...]
    last_first: bool = False

    def __str__(self) -> str:
        parts = [self.literals[0]]
        for place, (slot, literal) in enumerate(zip(self.slots, self.literals[1:], strict=True)):
            number = self._number(place) if self.last_first else ""
            parts.append(f"{{{number}{slot}}}{literal}")
        return "".join(parts)

    def _number(self, place: int) -> str:
        return "1" if place == len(self.slots) - 1 else str(place + 2)

    def ordered(self, values: Sequence[str]) -> Sequence[str]:
        """The values of the columns in the order of a row."""
        return [values[-1], *values[:-1]] if self.last_first else values

    @classmethod
    def parse(cls, text: str) -> Shape:
        parts = _SLOT.split(text)
        if len(parts) < 4:
            raise NotFolded("no columns")
        shape = cls(tuple(parts[::3]), tuple(slot or "" for slot in parts[2::3]), parts[1] is not None)
        if str(shape) != text:
            raise NotFolded("columns in no order")
        return shape

    def filler(self, widths: Sequence[int]) -> Callable[..., str]:
        """What writes the line of a row from its values, for columns of these widths."""
        parts = [braced(self.literals[0])]
        for slot, width, literal in zip(self.slots, widths, self.literals[1:], strict=True):
            # A width of 0 would stand for a fill character.
            parts.append(f"{{:{slot[0]}{width}}}" if slot and width else "{}")
            parts.append(braced(literal))
        return "".join(parts).format


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
        widths = [
            int(slot[1:]) if len(slot) > 1 else max(map(len, column)) if slot else 0
            for slot, column in zip(shape.slots, zip(*rows, strict=True), strict=False)
        ]
        fill = shape.filler(widths) if rows else str
        written.extend([item if isinstance(item, str) else fill(*item) for item in items[at:end]])
        if end < len(items):
            written.append("")
        at = end + 1
    return written


def fold(lines: Sequence[str], padded: bool = True, said: int = 0) -> list[str] | None:
    """The lines as columns, or `None` for text that is not in columns.

    padded: columns must be padded somewhere. Without, the lines must have nearly the same number of words.
    said: the least weight of what all lines share.
    """
    best: list[str] | None = None
    for narrowest in (1, 2) if padded else (1,):
        written = _folded(lines, padded, said, narrowest)
        if written and (best is None or sum(map(weight, written)) < sum(map(weight, best))):
            best = written
    return best


def _folded(lines: Sequence[str], padded: bool, said: int, narrowest: int) -> list[str] | None:
    # With a gap before it, every line starts with one, and padding before the first word is like any other.
    gaps = _GAPS[narrowest - 1]
    lead = " " * narrowest
    sample = _sample(lines)
    parted = [gaps.split(lead + line) for line in sample]
    number = _number_of_columns(parted)
    if number < 3 or (not padded and (number > 11 or not _regular(parted, number))):
        return None
    rows = _cut(parted, number)
    if padded and narrowest == 1 and len(rows) >= 5:
        number = _where_prose_begins(rows, number)
        rows = _cut(parted, number)
    blocks = _blocks(sample)
    for _ in range(6):
        if len(rows) < 5:
            return None
        shape, held, fixed = _shape(rows, blocks, narrowest)
        if not shape.slots or (padded and not any(shape.slots)) or sum(map(weight, shape.literals)) < said:
            return None
        # A line that says something else where the others agree is no row, and must not widen their columns.
        agreed = _agreed(fixed)
        wrong = [index for index in rows if not agreed(parted[index])]
        if not wrong:
            wrong = _wrong(shape, {index: _picked(words, held) for index, (words, _) in rows.items()}, sample)
        if not wrong:
            break
        for index in wrong:
            del rows[index]
    values: dict[int, _Row] = {}
    for index, line in enumerate(lines):
        parts = gaps.split(lead + line, number - 1)
        if len(parts) == 2 * number - 1 and "" not in parts[2 : 2 * number - 2 : 2]:
            row = _picked(parts[::2], held)
            if agreed(parts) and _legible(row):
                values[index] = row
    for _ in range(4):
        wrong = _wrong(shape, values, lines)
        for index in wrong:
            del values[index]
        if len(values) * 10 < sum(map(bool, lines)) * 6:
            return None
        if not wrong:
            break
    else:
        return None
    items = [values.get(index, line) for index, line in enumerate(lines)]
    return _written(_best_order(shape, items), items)


def _agreed(fixed: Sequence[tuple[int, str]]) -> Callable[[Sequence[str]], bool]:
    """Whether the parts of a line are at these places what they are to be."""
    if len(fixed) < 2:
        return lambda parts: all(parts[place] == part for place, part in fixed)
    here = itemgetter(*(place for place, _ in fixed))
    agreed = tuple(part for _, part in fixed)
    return lambda parts: here(parts) == agreed


def _sample(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= SAMPLE_LINES:
        return lines
    half = SAMPLE_LINES // 2
    middle = len(lines) // 2
    return [*lines[:half], "", *lines[middle : middle + half]]


def _picked(words: Sequence[str], held: Sequence[int]) -> _Row:
    return tuple([words[place] for place in held])


def _wrong(shape: Shape, values: dict[int, _Row], lines: Sequence[str]) -> list[int]:
    """The lines that their rows do not stand for."""
    laid = _laid_out(shape, [values.get(index, line) for index, line in enumerate(lines)])
    return [index for index in values if laid[index] != lines[index]]


def _cut(parted: Sequence[list[str]], number: int) -> dict[int, tuple[list[str], list[str]]]:
    """For each line with as many words: its words, the last with the rest of the line, and its gaps."""
    rows: dict[int, tuple[list[str], list[str]]] = {}
    for index, parts in enumerate(parted):
        if len(parts) >= 2 * number - 1 and "" not in parts[2 : 2 * number - 2 : 2]:
            words = [*parts[: 2 * number - 2 : 2], "".join(parts[2 * number - 2 :])]
            rows[index] = (words, parts[1 : 2 * number - 2 : 2])
    return rows


def _where_prose_begins(rows: dict[int, tuple[list[str], list[str]]], number: int) -> int:
    """The number of columns: behind the last padded one only numbers and set words are columns too."""
    gaps = list(zip(*(between for _, between in rows.values()), strict=True))
    columns = list(zip(*(words for words, _ in rows.values()), strict=True))
    last = max((place for place, gap in enumerate(gaps) if len(set(gap)) > 1), default=0) + 1
    few = max(3, len(rows) // 10)
    while last < number - 1 and (
        len(set(columns[last])) <= few or sum(map(_holds_digit, columns[last])) * 5 >= len(rows) * 4
    ):
        last += 1
    return last + 1


def _holds_digit(word: str) -> bool:
    return any("0" <= sign <= "9" for sign in word)


def _best_order(shape: Shape, items: Sequence[str | _Row]) -> Shape:
    """Names after numbers, where it is safe: a tokenizer knows most words with a space before them."""
    rows = [item for item in items if not isinstance(item, str)]
    fits = (
        len(shape.slots) == 2
        and not any(" " in row[-1] or row[-1].startswith(VERBATIM) or row[-1] == "" for row in rows)
        and sum(row[-1][0].isdigit() and row[0][0].isalpha() for row in rows) * 5 >= len(rows) * 4
    )
    return Shape(shape.literals, shape.slots, last_first=True) if fits else shape


def _legible(values: _Row) -> bool:
    return (
        DITTO not in values
        and values[0] != ""
        and not values[0].startswith(VERBATIM)
        and not any("'" in value or not value for value in values[:-1])
        and not values[-1].startswith("'")
    )


def _number_of_columns(parted: Sequence[Sequence[str]]) -> int:
    """The most words that nine lines of ten have, of the text's longer lines."""
    sizes = [(len(parts) + 1) // 2 for parts in parted if len(parts) > 4]
    if len(sizes) < 5:
        return 0
    counts = Counter(sizes)
    enough = len(sizes) * 0.85
    for size in sorted(counts, reverse=True):
        if sum(often for other, often in counts.items() if other >= size) >= enough:
            return min(size, MOST_COLUMNS)
    return 0


def _regular(parted: Sequence[Sequence[str]], number: int) -> bool:
    sizes = [(len(parts) + 1) // 2 for parts in parted if len(parts) > 4]
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
    rows: dict[int, tuple[list[str], list[str]]], blocks: Sequence[int], narrowest: int
) -> tuple[Shape, list[int], list[tuple[int, str]]]:
    """What the rows share, the numbers of the words that differ, and what does not differ, by place."""
    indices = list(rows)
    columns = [list(column) for column in zip(*(words for words, _ in rows.values()), strict=True)]
    gaps = [list(column) for column in zip(*(between for _, between in rows.values()), strict=True)]
    places = [blocks[index] for index in indices]
    usually = len(indices) * 49 / 50
    literals = [""]
    slots: list[str] = []
    held: list[int] = []
    fixed: list[tuple[int, str]] = []
    padded = ""
    for place, column in enumerate(columns):
        last = place == len(columns) - 1
        align, padded = padded, ""
        between = ""
        if not last:
            usual, often = Counter(gaps[place]).most_common(1)[0]
            if often >= usually:
                between = usual
                fixed.append((2 * place + 1, usual))
            else:
                left, padded, least = _padding(
                    column, gaps[place], columns[place + 1], places, only_right=bool(align) or not place
                )
                align = align or left
                between = " " * least
        usual, often = Counter(column).most_common(1)[0]
        if not align and often >= usually and not _SLOT.search(usual):
            literals[-1] += usual + between
            fixed.append((2 * place, usual))
        else:
            slots.append(align)
            held.append(place)
            literals.append(between)
    literals[0] = literals[0][narrowest:]  # the gap that every line was given
    return Shape(tuple(literals), tuple(slots)), held, fixed


_Way = tuple[str, str, int, Sequence[int], Sequence[int]]


def _padding(
    left: Sequence[str], gap: Sequence[str], right: Sequence[str], places: Sequence[int], only_right: bool
) -> tuple[str, str, int]:
    """How the words on both sides of a gap are padded, and how many spaces stand between them in any case.

    Words are padded to the widest of their block, or to a fixed width.
    """
    lefts, gaps, rights = list(map(len, left)), list(map(len, gap)), list(map(len, right))
    widest_left, widest_right = _widest(lefts, places), _widest(rights, places)
    nothing = [0] * len(lefts)
    ways: list[_Way] = []
    for least in sorted({1, min(gaps)}, reverse=True):
        before = _usual(b + c - least for b, c in zip(gaps, rights, strict=True))
        if not only_right:
            ways.append(("<", "", least, widest_left, nothing))
        ways.append(("", ">", least, nothing, widest_right))
        if not only_right:
            after = _usual(a + b - least for a, b in zip(lefts, gaps, strict=True))
            wide = max(lefts)
            both = _usual(a + b + c - least for a, b, c in zip(lefts, gaps, rights, strict=True))
            ways.append((f"<{after}", "", least, [after] * len(lefts), nothing))
            ways.append(("<", ">", least, widest_left, widest_right))
            if both > wide:
                ways.append(
                    (f"<{wide}", f">{both - wide}", least, [wide] * len(lefts), [both - wide] * len(lefts))
                )
        ways.append(("", f">{before}", least, nothing, [before] * len(lefts)))

    def wrong(way: _Way) -> int:
        rows = zip(lefts, gaps, rights, way[3], way[4], strict=True)
        return sum(
            b != way[2] + max(0, width_left - a) + max(0, width_right - c)
            for a, b, c, width_left, width_right in islice(rows, MOST_JUDGED)
        )

    ways = [way for way in ways if all(not slot[1:] or 0 < int(slot[1:]) < 1000 for slot in way[:2])]
    best = min(ways, key=wrong)
    return best[0], best[1], best[2]


def _usual(widths: Iterable[int]) -> int:
    return Counter(widths).most_common(1)[0][0]


def _widest(lengths: Sequence[int], places: Sequence[int]) -> list[int]:
    widest: dict[int, int] = {}
    for length, place in zip(lengths, places, strict=True):
        widest[place] = max(widest.get(place, 0), length)
    return [widest[place] for place in places]


def _written(shape: Shape, items: Sequence[str | _Row]) -> list[str]:
    written = [str(shape), ""]
    above: _Row = ()
    run = [0] * len(shape.slots)
    for item in items:
        if isinstance(item, str):
            written.append(VERBATIM + item if item else item)
            continue
        item = tuple(shape.ordered(item))
        shown = []
        for place, value in enumerate(item):
            if above and above[place] == value and len(value) > 1 and run[place] < RESTATED:
                run[place] += 1
                shown.append(DITTO)
            else:
                run[place] = 0
                shown.append(f"'{value}'" if " " in value and place < len(item) - 1 else value)
        above = item
        row = " ".join(shown)
        written.append(row)
    return written


def _values(row: str, wanted: int) -> list[str]:
    if "'" not in row:
        values = row.split(" ", wanted - 1)
    else:
        values = []
        at = 0
        while len(values) < wanted - 1:
            found = _VALUE.match(row, at)
            if not found or found.end() == len(row):
                break
            values.append(found[2] if found[1] is None else found[1])
            at = found.end()
        values.append(row[at:])
    if len(values) != wanted:
        raise NotFolded("a row without a value")
    return values


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
        values = _values(line, wanted)
        for place, value in enumerate(values):
            if value == DITTO:
                if above is None:
                    raise NotFolded("a ditto under nothing")
                values[place] = above[place]
        above = values
        if shape.last_first:
            values = [*values[1:], values[0]]
        room.take(sum(map(len, values)) + sum(map(len, shape.literals)))
        items.append(tuple(values))
    return _laid_out(shape, items)


FORM = Form(
    name="columns",
    phrase='columns as in the line below, {>} {<} padded, " is the value above',
    unfold=unfold,
)
