"""Rows of a CSV-like text: what all rows share is said once, in the first line.

    {id} {name…} {lat} = {id},"{name…}",USA,{lat},https://example.org/{id}
    …id,name,country,lat,url
    00M Bay Springs 31.95
    00R Livingston 30.68

The left side of the first line shows how a row is written below, the right side the line that it stands for.
`…` in a name says that its value may hold spaces. A line that does not follow is written with `…` before it.
There may be a second pattern after ` or `, with more values: a row follows the one that has as many.

In the second form the lines `A: value` up to an empty line give letters to values that come often, and a
value that is one of these letters stands for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from terse.folds.alike import shared_start
from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.grid import Grid, cells, grid_of
from terse.folds.patterns import letters
from terse.folds.row_layout import BETWEEN, SLOT, Column, Layout
from terse.folds.weight import weight

_OR = " or "
DELIMITERS = (",", "\t", ";", "|")
MOST_COLUMNS = 60
SAMPLE = 400


def delimiter_of(lines: Sequence[str]) -> tuple[str, int] | None:
    """The delimiter and the number of columns that nine lines of ten agree on."""
    sample = [line for line in lines[:80] if line and not line.endswith(VERBATIM)]
    if len(sample) < 6:
        return None
    for delimiter in DELIMITERS:
        if sum(1 for line in sample if delimiter in line) * 10 < len(sample) * 9:
            continue
        counts = Counter(len(cells(line, delimiter)) for line in sample)
        width, often = counts.most_common(1)[0]
        if not 2 <= width <= MOST_COLUMNS or often * 10 < len(sample) * 9:
            continue
        words = sum(line.count(" ") + line.count(delimiter) + 1 for line in sample)
        spaced = sum(line.count(delimiter + " ") for line in sample)
        most = 2.5 if width == 2 else 4  # words in a cell: more are prose with a comma in it
        if words > most * width * len(sample) or spaced * 4 > (width - 1) * len(sample):
            continue
        return delimiter, width
    return None


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a cell is: `before` + the value of column `source` (itself, when it is its own) + `after`.

    `source` is `None` for a cell that is always the same: `before`.
    """

    before: str
    source: int | None
    after: str = ""


@dataclass(frozen=True, slots=True)
class _Way:
    """A layout with the rules it came from."""

    layout: Layout
    rules: Sequence[_Rule]


def fold(lines: Sequence[str], count: Callable[[str], int]) -> tuple[Form, list[str]] | None:
    """The form and the rows, or `None` for lines that are no table or that share too little."""
    shape = delimiter_of(lines)
    if shape is None:
        return None
    delimiter, width = shape
    # Cells of all lines at once would fill the memory: they are made line by line, whenever needed.
    some = [line for line in lines[1 :: 1 + len(lines) // SAMPLE] if len(cells(line, delimiter)) == width]
    if len(some) < 5:
        return None
    table = [cells(line, delimiter) for line in some]
    grid = grid_of(delimiter, table)
    sample = [row for row in map(grid.cells, some) if row is not None]
    names = grid.names(_names(cells(lines[0], delimiter), table))
    rules = _rules(sample)
    plain, spaced = _layouts(rules, names, sample, grid)
    candidates = [[_Way(layout, rules)] for layout in (plain, spaced) if layout]
    closer = _closer(rules, sample)
    if closer and plain:
        narrow = _layouts(closer, names, sample, grid)[0]
        if narrow:
            candidates.append([_Way(narrow, closer), _Way(plain, rules)])
    best: tuple[int, list[_Way]] | None = None
    for ways in candidates:
        head = _OR.join(str(way.layout) for way in ways)
        try:
            if _layouts_of(head) != [way.layout for way in ways]:
                continue
        except NotFolded:
            continue
        written = _rows(ways, some, grid)
        tokens = count("\n".join([head, *written]))
        if best is None or tokens < best[0]:
            best = (tokens, ways)
    if best is None:
        return None
    head = _OR.join(str(way.layout) for way in best[1])
    frequent = _frequent(best[1][-1].rules, lines, grid)
    rows = _rows(best[1], lines, grid, frequent)
    if not frequent:
        return FORM, [head, *rows]
    legend = [f"{letter}: {value}" for value, letter in frequent.items()]
    return NAMED, [head, *legend, "", *rows]


MOST_NAMED = 100
MOST_VALUES = 100_000
_LIGHTEST_NAMED = 5


def _frequent(rules: Sequence[_Rule], lines: Sequence[str], grid: Grid) -> dict[str, str]:
    """Letters for whole values that are long and come often, if that takes a tenth of the rows away."""
    if len(lines) < 100:
        return {}
    own = [(place, rule) for place, rule in enumerate(rules) if rule.source == place]
    often: Counter[str] = Counter()
    for line in lines:
        row = grid.cells(line)
        if row is not None:
            often.update([_inner(row[place], rule) or "" for place, rule in own])
        if len(often) > MOST_VALUES:
            often = Counter({value: times for value, times in often.items() if times > 1})
    gains: list[tuple[int, str]] = []
    for value, times in often.most_common(4 * MOST_NAMED):
        weighs = weight(value)
        gain = (times - 1) * (weighs - 1) - weighs - 3
        if times >= 8 and weighs >= _LIGHTEST_NAMED and gain > 0:
            gains.append((gain, value))
    gains.sort(key=lambda item: (-item[0], item[1]))
    gains = gains[:MOST_NAMED]
    whole = sum(map(weight, lines[:200])) / min(200, len(lines)) * len(lines)
    if sum(gain for gain, _ in gains) * 10 < whole:
        return {}
    return {value: letters(number) for number, (_, value) in enumerate(gains)}


def _closer(rules: Sequence[_Rule], sample: Sequence[Sequence[str]]) -> list[_Rule] | None:
    """The rules for the rows in which a column says the same as one before it, where many but not most do."""
    for place, rule in enumerate(rules):
        if rule.source != place:
            continue
        for other in range(place):
            if rules[other].source != other:
                continue
            same = [row for row in sample if _inner(row[place], rule) == _inner(row[other], rules[other])]
            if len(same) * 4 >= len(sample):
                return [
                    _Rule(rule.before, other, rule.after) if at == place else known
                    for at, known in enumerate(rules)
                ]
    return None


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9 _.()%$#-]{0,39}")


def _names(header: Sequence[str], sample: Sequence[Sequence[str]]) -> list[str]:
    """The names of a header, or numbers where the first line is a row like the others."""
    names = [cell.strip('" ') for cell in header]
    told = (
        len(names) == len(sample[0])
        and len(set(names)) == len(names)
        and all(map(_NAME.fullmatch, names))
        and not any(cell in column for cell, column in zip(header, zip(*sample, strict=True), strict=True))
    )
    return names if told else [str(number) for number in range(1, len(sample[0]) + 1)]


def _rules(sample: Sequence[Sequence[str]]) -> list[_Rule]:
    columns = list(zip(*sample, strict=True))
    rules: list[_Rule] = []
    rows = len(sample)
    for place, column in enumerate(columns):
        value, often = Counter(column).most_common(1)[0]
        if often * 20 >= rows * 19 and not SLOT.search(value) and "{" not in value:
            rules.append(_Rule(value, None))
            continue
        found = None
        for other in range(place):
            if rules[other].source == other:
                found = _from_other(columns, rules, place, other)
                if found:
                    break
        rules.append(found or _own(column, place))
    return rules


def _from_other(
    columns: Sequence[Sequence[str]], rules: Sequence[_Rule], place: int, other: int
) -> _Rule | None:
    """The cell as text around another column's value, if nine rows of ten are that."""
    rule = rules[other]
    values = [_inner(cell, rule) for cell in columns[other]]
    candidates: Counter[tuple[str, str]] = Counter()
    for cell, value in list(zip(columns[place], values, strict=True))[:12]:
        if value is not None and len(value) >= 3:
            at = cell.find(value)
            if at >= 0:
                candidates[cell[:at], cell[at + len(value) :]] += 1
    if not candidates:
        return None
    (before, after), often = candidates.most_common(1)[0]
    if often < 6 or "{" in before + after:
        return None
    same = sum(
        value is not None and cell == before + value + after
        for cell, value in zip(columns[place], values, strict=True)
    )
    return _Rule(before, other, after) if same * 10 >= len(values) * 9 else None


def _inner(cell: str, rule: _Rule) -> str | None:
    end = len(cell) - len(rule.after)
    if end < len(rule.before) or not cell.startswith(rule.before) or not cell.endswith(rule.after):
        return None
    return cell[len(rule.before) : end]


_LEADING = re.compile(r"[^A-Za-z0-9]*")
_TRAILING = re.compile(r"[^A-Za-z0-9]*$")


def _own(column: Sequence[str], place: int) -> _Rule:
    """The cell as what (nearly) all cells of the column begin and end with, around its value."""
    before = _usual([_lead(cell) for cell in column])
    held = [cell[len(before) :] for cell in column if cell.startswith(before)]
    after = _usual([_lead(cell[::-1])[::-1] for cell in held])
    held = [cell[: len(cell) - len(after)] for cell in held if cell.endswith(after)]
    more = _whole(shared_start(held), held)
    held = [cell[len(more) :] for cell in held]
    end = _whole(shared_start([cell[::-1] for cell in held]), [cell[::-1] for cell in held])[::-1]
    before, after = before + more, end + after
    if "{" in before + after:
        return _Rule("", place)
    return _Rule(before, place, after)


def _lead(cell: str) -> str:
    found = _LEADING.match(cell)
    return found[0] if found and len(found[0]) < len(cell) else ""


def _usual(parts: Sequence[str]) -> str:
    if not parts:
        return ""
    shared = shared_start(parts) if len(set(parts)) <= 3 else ""
    value, often = Counter(parts).most_common(1)[0]
    return value if often * 50 >= len(parts) * 49 else shared


def _whole(common: str, column: Sequence[str]) -> str:
    """`common` cut back so that it ends between a name, a number and a sign, and leaves a value."""
    length = len(common)
    while length:
        a = common[length - 1]
        for cell in column:
            if (
                len(cell) <= length
                or (a.isdigit() and cell[length].isdigit())
                or (a.isalpha() and cell[length].isalpha())
            ):
                break
        else:
            return common[:length]
        length -= 1
    return ""


def _layouts(
    rules: Sequence[_Rule], names: Sequence[str], sample: Sequence[Sequence[str]], grid: Grid
) -> tuple[Layout | None, Layout | None]:
    """The values between the delimiter of the text, and the values between spaces where they allow it."""
    own = [place for place, rule in enumerate(rules) if rule.source == place]
    if not own:
        return None, None
    order = {place: number for number, place in enumerate(own)}
    separators = grid.separators()
    line: list[str | int] = [""]
    for place, rule in enumerate(rules):
        start = line.pop()
        assert isinstance(start, str)
        line.append(start + separators[place] + rule.before)
        if rule.source is not None:
            line.append(order[rule.source])
            line.append(rule.after)
    if any("{" in part for part in line if isinstance(part, str)):
        return None, None
    columns = tuple(Column(names[place], False) for place in own)
    plain = Layout(columns, (grid.delimiter,) * (len(own) - 1), tuple(line))
    spaced = tuple(Column(names[place], _is_text(sample, place, rules[place])) for place in own)
    texts = [place for place, column in enumerate(spaced) if column.text]
    between = [" "] * (len(own) - 1)
    if texts:
        between[texts[0] : texts[-1]] = [BETWEEN] * (texts[-1] - texts[0])
    return plain, Layout(spaced, tuple(between), tuple(line))


def _is_text(sample: Sequence[Sequence[str]], place: int, rule: _Rule) -> bool:
    """Whether the values of a column may hold spaces, or nothing; a row of fifty may be left aside."""
    odd = sum(1 for row in sample if " " in row[place] or not _inner(row[place], rule))
    return odd * 50 > len(sample)


def _rows(
    ways: Sequence[_Way],
    lines: Sequence[str],
    grid: Grid,
    frequent: dict[str, str] | None = None,
) -> list[str]:
    frequent = frequent or {}
    reader = _reader([way.layout for way in ways], {letter: value for value, letter in frequent.items()})
    wanted = [
        (way.layout, [(place, rule) for place, rule in enumerate(way.rules) if rule.source == place])
        for way in ways
    ]
    written: list[str] = []
    for line in lines:
        row = grid.cells(line)
        text = VERBATIM + line
        if row is not None:
            for layout, own in wanted:
                values = [_inner(row[place], rule) for place, rule in own]
                held = [value for value in values if value is not None]
                if len(held) < len(values):
                    continue
                short = layout.write([frequent.get(value, value) for value in held] if frequent else held)
                if not short.startswith(VERBATIM) and reader(short) == line:
                    text = short
                    break
        written.append(text)
    return written


def _layouts_of(head: str) -> list[Layout]:
    layouts = [Layout.parse(part) for part in re.split(r" or (?=\{)", head)]
    if len(layouts) > 1 and (
        any(len(set(layout.separators)) > 1 for layout in layouts)
        or len({layout.separators[:1] for layout in layouts}) > 1
        or len({len(layout.columns) for layout in layouts}) != len(layouts)
    ):
        raise NotFolded("patterns that cannot be told apart")
    return layouts


def _reader(layouts: Sequence[Layout], legend: dict[str, str]) -> Callable[[str], str | None]:
    """A function that gives the line that a written row stands for, or `None`."""
    readers = [(layout.reader(), layout.fill) for layout in layouts]

    def line_of(row: str) -> str | None:
        for values_of, fill in readers:
            values = values_of(row)
            if values is not None:
                return fill([legend.get(value, value) for value in values] if legend else values)
        return None

    return line_of


_LEGEND = re.compile(r"([A-Z]{1,3}): (.+)", re.DOTALL)


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines that the rows stand for.

    Raises:
        NotFolded: no pattern in the first line, or a row that does not follow it.
    """
    if not lines:
        raise NotFolded("no rows")
    return _lines(lines[1:], _reader(_layouts_of(lines[0]), {}), room)


def unfold_named(lines: Sequence[str], room: Room) -> list[str]:
    """The lines that the rows stand for, with letters for values.

    Raises:
        NotFolded: as `unfold`, or a legend out of order.
    """
    legend: dict[str, str] = {}
    position = 1
    for line in lines[1:]:
        position += 1
        if line == "":
            break
        entry = _LEGEND.fullmatch(line)
        if not entry or entry[1] != letters(len(legend)):
            raise NotFolded("a legend out of order")
        legend[entry[1]] = entry[2]
    else:
        raise NotFolded("a legend without an end")
    return _lines(lines[position:], _reader(_layouts_of(lines[0]), legend), room)


def _lines(rows: Sequence[str], line_of: Callable[[str], str | None], room: Room) -> list[str]:
    read: list[str] = []
    for line in rows:
        if line.startswith(VERBATIM):
            read.append(line[1:])
            continue
        whole = line_of(line)
        if whole is None:
            raise NotFolded("a row that does not follow the pattern")
        room.take(len(whole))
        read.append(whole)
    return read


FORM = Form(
    name="rows",
    phrase="rows written as on the left of = below",
    unfold=unfold,
)
NAMED = Form(
    name="rows with letters",
    phrase="rows written as on the left of = below, a letter stands for its value",
    unfold=unfold_named,
)
