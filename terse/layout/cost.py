"""What a way of writing costs, in tokens: counted on a sample where the whole is large.

An estimate decides between two ways of writing the same thing, so it only has to rank them; what is
sent is counted whole, by the plan. It is a sum over parts, each of which is counted once however many
alternatives it stands in: so deciding is linear in the document, whatever its depth. The parts of a table
are its columns: a step that changes one of them pays for that one only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from terse.layout.document import (
    ABSENT,
    Block,
    Cell,
    Cells,
    Child,
    Column,
    Embedded,
    Group,
    Kinds,
    Mark,
    Node,
    Plain,
    Spelled,
    Table,
)
from terse.layout.header import has_separator, write_columns
from terse.layout.inline import Place, write_key, write_value
from terse.layout.sample import clip, spread
from terse.layout.write import write_column, write_kinds, write_pair
from terse.payload.exact import Number

TABLE_ROWS = 8
COLUMN_ROWS = 12
"""Rows measured of a longer table, and of columns that say the same in different ways; fewer where each of
them holds much. What is asked of a table is mostly its separator, which makes the same difference in every
row, and what is asked of one of its columns was mostly measured with the table."""
SAMPLE_ITEMS = 24
"""Items measured of a longer list."""
SAMPLE_KEYS = 1_000
"""Values measured of a larger object."""
FEW_COLUMNS = 40
"""Columns that are looked at in as many rows as there may be."""
SAMPLE_VALUES = 4_000
"""Values measured in all, about."""
CLIP = 120
"""Characters measured of a longer string: the rest of it costs the same in every way of writing it."""
MARK_TOKENS = {",": 0.4, " ": 1.0}
"""What an absent cell costs, with its separator: several commas on end are one token."""
CLEARLY = 0.33
"""Tokens a cell. Separators that are further apart need no measuring."""
AT_ONCE = 64
"""Values of a container that is written and counted in one piece, with all that is in it."""


class Cost:
    """Estimates of tokens. `count` counts a text exactly; `expired` says that there is no more time.

    Attributes:
        tries: how often the caller has worked out a second way of writing the same.
    """

    def __init__(self, count: Callable[[str], int], expired: Callable[[], bool] = lambda: False) -> None:
        self._count = count
        self.expired = expired
        self.tries = 0
        # By identity, with the object itself: INVARIANT: an id is only good while its object lives.
        self._values: dict[int, tuple[object, float]] = {}
        self._tables: dict[tuple[int, str], tuple[Table, float]] = {}
        self._columns: dict[tuple[int, int], _Shown] = {}
        # The objects of these live in those of the others.
        self._tokens: dict[tuple[int, int, str, str], float] = {}
        self._whole: dict[tuple[int, int, str, int], float] = {}
        self._headers: dict[tuple[int, str], tuple[Column, int]] = {}
        self._words: dict[str, int] = {}

    def word(self, text: str) -> int:
        """Tokens of a short text, which is mostly asked for again."""
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = self._count(text)
        return known

    def table(self, name: str, table: Table) -> float:
        """Tokens of a table under its name, with the separator that costs less."""
        title = 6 + self.word(name) if name else 6
        commas = self._under(table, ",")
        return title + (min(commas, self._under(table, " ")) if has_separator(table) else commas)

    def _header(self, columns: Sequence[Column], separator: str) -> float:
        """Tokens of the names of columns, and of what stands beside them."""
        tokens = 0
        for column in columns:
            key = (id(column), separator)
            known = self._headers.get(key)
            if known is None:
                known = (column, self._count(separator + write_columns([column], separator)))
                self._headers[key] = known
            tokens += known[1]
        return tokens

    def rows(self, table: Table, separator: str) -> float:
        """Tokens of a table's rows, and of the child rows below them."""
        known = self._tables.get((id(table), separator))
        if known is None:
            rows = spread(table.count, _sample_size(TABLE_ROWS, table.columns))
            inside = sum(self.plain(table.whole[row]) for row in rows if row in table.whole)
            tokens, below = self._cells(table.columns, rows, separator, "")
            tokens = (tokens + inside) * table.count / max(1, len(rows)) + below
            known = self._tables[id(table), separator] = (table, tokens)
        return known[1]

    def _cells(
        self, columns: Sequence[Column], rows: Sequence[int], separator: str, lead: str
    ) -> tuple[float, float]:
        """Tokens of the cells of some rows, each with the separator before it, the first with `lead`; and of
        all child rows."""
        tokens = below = 0.0
        number = len(rows)
        for column in columns:
            if isinstance(column, Cells):
                key = (id(column), number, separator, lead)
                known = self._tokens.get(key)
                if known is None:
                    known = self._shown(column, rows).tokens(separator, lead, self._count)
                    self._tokens[key] = known
                tokens += known
            elif isinstance(column, Group):
                if column.whole:
                    tokens += sum(self.plain(column.whole[row]) for row in rows if row in column.whole)
                inner, deeper = self._cells(column.columns, rows, separator, lead)
                tokens += inner
                below += deeper
            elif isinstance(column, Child):
                # A count is a sign and a number.
                tokens += 2 * number
                for row in rows:
                    count = column.counts[row]
                    if type(count) is not int and count is not ABSENT:
                        tokens += self.plain(count)  # type: ignore[arg-type]
                below += self.rows(column.table, separator)
            else:
                continue
            lead = separator
        return tokens, below

    def _shown(self, column: Cells, rows: Sequence[int]) -> _Shown:
        """Some rows of a column, taken once: the columns of a table mostly stand in the next one too."""
        key = (id(column), len(rows))
        known = self._columns.get(key)
        if known is None:
            values = [column.values[row] for row in rows]
            inside, marks = 0.0, 0
            kinds = set(map(type, values))
            if not _CONTAINERS.isdisjoint(kinds):
                inside = sum(self.plain(value) for value in values if type(value) in _CONTAINERS)
                values = [value for value in values if type(value) not in _CONTAINERS]
            if Mark in kinds:
                marks = len(values)
                values = [value for value in values if type(value) is not Mark]
                marks -= len(values)
            if str in kinds:
                # An affix is cut off by its length, so a string that has one keeps it.
                room = CLIP + 2 * (len(column.prefix) + len(column.suffix))
                if len(kinds) > 1 or max(map(len, values)) > room:  # type: ignore[arg-type]
                    values = [clip(value, room) for value in values]
            cells = Cells(column.name, values, column.text, column.prefix, column.suffix, column.usual)
            known = self._columns[key] = _Shown(column, cells, inside, marks)
        return known

    def column(self, column: Column, count: int, separator: str = ",", most: int = TABLE_ROWS) -> float:
        """Tokens of one column of a table: its part of the header and its cells.

        Args:
            most: rows to measure of a longer table.
        """
        key = (id(column), count, separator, most)
        known = self._whole.get(key)
        if known is None:
            rows = spread(count, _sample_size(most, [column]))
            tokens, below = self._cells([column], rows, separator, separator)
            known = self._header([column], separator) + tokens * count / max(1, len(rows)) + below
            self._whole[key] = known
        return known

    def plain(self, value: Cell) -> float:
        """Tokens of a value on the spot."""
        if isinstance(value, Embedded):
            return self.plain(value.value) + 1
        if not isinstance(value, (dict, list)):
            return self.word(write_value(clip(value, CLIP), Place.INSIDE))
        known = self._values.get(id(value))
        if known is None:
            known = (value, self._container(value))
            self._values[id(value)] = known
        return known[1]

    def _container(self, value: dict[str, Any] | list[Any]) -> float:
        clipped, left = _clipped(value, AT_ONCE)
        if left >= 0:
            return self._count(write_value(clipped, Place.INSIDE))
        pairs = list(value.items()) if isinstance(value, dict) else [("", item) for item in value]
        # The items of a list are alike; the values of an object are not.
        shown = [
            pairs[at] for at in spread(len(pairs), SAMPLE_ITEMS if isinstance(value, list) else SAMPLE_KEYS)
        ]
        words: list[str] = []
        deeper = 0.0
        for key, item in shown:
            word = f"{write_key(key)}=" if key else ""
            if isinstance(item, (dict, list, Embedded)):
                deeper += self.plain(item)
            else:
                word += write_value(clip(item, CLIP), Place.INSIDE)
            words.append(word)
        between = " " if isinstance(value, dict) else ","
        tokens = self._count(f"{{{between.join(words)}}}") + deeper
        return tokens * len(pairs) / max(1, len(shown))

    def node(self, name: str, node: Node, depth: int = 0) -> float:
        """Tokens of a node under its name."""
        if isinstance(node, Table):
            return self.table(name, node) + depth
        if isinstance(node, Kinds):
            title = self.word(f"{name}: {write_kinds(node)}\n")
            return title + sum(self.table("A", table) for table in node.tables)
        if isinstance(node, Spelled):
            return self.node(name, node.node, depth) + 2
        if isinstance(node, Plain):
            if isinstance(node.value, (list, dict)):
                return self.word(name) + 1 + self.plain(node.value)
            return self._count(write_pair(name, clip(node.value, CLIP)))
        entries = node.entries if isinstance(node, Block) else [("-", item) for item in node.nodes]
        inner = sum(self.node(key, entry, depth + 1) for key, entry in entries)
        return self.word(name) + 2 + inner

    def cheapest(self, columns: Sequence[Column], count: int) -> Column:
        """The column that costs least of several that say the same; the first of equals."""
        if len(columns) == 1 or self.expired():
            return columns[-1]
        return min(columns, key=lambda column: self.column(column, count, most=COLUMN_ROWS))

    def separated(self, table: Table) -> Table:
        """The table with the separator that costs less; commas, if there is nothing in it."""
        # INVARIANT: the header shows the separator; one that cannot, for it has one name, means commas.
        cheapest = ","
        columns = list(each_cells(table.columns))
        spared = self.spared_by_spaces(columns, table.count)
        if abs(spared) > CLEARLY * table.count * len(columns):
            cheapest = " " if spared > 0 and has_separator(table) else ","
        elif has_separator(table) and self._under(table, " ") < self._under(table, ","):
            cheapest = " "
        return table if table.separator == cheapest else replace(table, separator=cheapest)

    def likely_separated(self, table: Table) -> Table:
        """The table with the separator that likely costs less: for what is decided before it is known."""
        spaced = self.spared_by_spaces(each_cells(table.columns), table.count) > 0
        separator = " " if spaced and has_separator(table) else ","
        return table if table.separator == separator else replace(table, separator=separator)

    def spared_by_spaces(self, columns: Iterable[Cells], count: int) -> float:
        """How many tokens fewer some columns have, about, between spaces than between commas.

        A word is one token with the space before it, two with the comma; a string with a space in it needs
        quotes between spaces, which are one more, and so does one with a comma between commas. (Measured on
        27,000 values of results: 0.94 and 0.01.)
        """
        rows = spread(count, TABLE_ROWS)
        spared = 0.0
        for column in columns:
            start = len(column.prefix)
            for row in rows:
                value = column.values[row]
                if type(value) is str:
                    if " " in value[start:]:
                        spared -= "," not in value
                    else:
                        spared += value[start : start + 1].isalpha() or not value
                elif type(value) is Mark:
                    spared -= MARK_TOKENS[" "] - MARK_TOKENS[","]
        return spared * count / max(1, len(rows))

    def _under(self, table: Table, separator: str) -> float:
        return self._header(table.columns, separator) + self.rows(table, separator)


_CONTAINERS = frozenset({dict, list, Embedded})


def _clipped(value: Any, left: int) -> tuple[Any, int]:
    """A container with its strings clipped, and how many more values there could have been; negative where
    it holds too many."""
    left -= len(value)
    if left < 0:
        return value, left
    items: list[Any] = []
    for item in value.values() if isinstance(value, dict) else value:
        made = item
        if isinstance(item, (dict, list)):
            made, left = _clipped(item, left)
        elif isinstance(item, Embedded):
            inner, left = _clipped(item.value, left)
            made = Embedded(inner, item.style)
        elif type(item) is str:
            made = clip(item, CLIP)
        if left < 0:
            return value, left
        items.append(made)
    return (dict(zip(value, items, strict=True)) if isinstance(value, dict) else items), left


class _Shown:
    """Some cells of a column, and what they cost with each separator.

    Attributes:
        inside: tokens of the containers among them, which are measured by themselves.
        marks: how many cells are absent, or usual ones.
    """

    def __init__(self, column: Column, cells: Cells, inside: float, marks: int) -> None:
        """`column` is only held: INVARIANT: an id is only good while its object lives."""
        self.column = column
        self.cells = cells
        self.inside = inside
        self.marks = marks
        self.is_numbers = not marks and set(map(type, cells.values)) == {Number}
        self._as_numbers: float | None = None

    def tokens(self, separator: str, lead: str, count: Callable[[str], int]) -> float:
        """Tokens of the cells, each with `lead` before it."""
        if self.is_numbers and lead:
            # A number costs the same behind either sign.
            if self._as_numbers is None:
                self._as_numbers = self.inside + count("," + ",".join(self.cells.values))  # type: ignore[arg-type]
            return self._as_numbers
        # A cell stands between two separators here, too; the line end behind one adds a token at most.
        between = lead or f"{separator}\n"
        tokens = count(lead + between.join(write_column(self.cells, separator)))
        if not lead:
            tokens -= max(0, len(self.cells.values) - 1)
        return tokens + self.inside + self.marks * MARK_TOKENS[separator]


def _sample_size(most: int, columns: Sequence[Column]) -> int:
    """How many rows to look at, of so many at most."""
    if Group not in set(map(type, columns)) and len(columns) <= FEW_COLUMNS:
        return most
    return max(6, min(most, SAMPLE_VALUES // max(1, _leaves(columns))))


def each_cells(columns: Sequence[Column]) -> Iterator[Cells]:
    """The columns of a table that have cells in its rows, and those of its groups."""
    for column in columns:
        if isinstance(column, Cells):
            yield column
        elif isinstance(column, Group):
            yield from each_cells(column.columns)


def _leaves(columns: Sequence[Column]) -> int:
    """How many columns have cells."""
    return sum(
        _leaves(column.columns) if isinstance(column, Group) else isinstance(column, (Cells, Child))
        for column in columns
    )
