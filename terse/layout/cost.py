"""What a way of writing costs, in tokens: counted on a sample where the whole is large.

An estimate decides between two ways of writing the same thing, so it only has to rank them; what is
sent is counted whole, by the plan. It is a sum over parts, each of which is counted once however many
alternatives it stands in: so deciding is linear in the document, whatever its depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

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
    Node,
    Plain,
    Rows,
    Spelled,
    Table,
)
from terse.layout.header import leaves, write_table_header
from terse.layout.inline import Place, write_key, write_value
from terse.layout.sample import clip, spread
from terse.layout.write import write_column, write_kinds, write_pair
from terse.payload.exact import Number

SAMPLE_ROWS = 48
"""Rows measured of a longer table or list, fewer where each of them holds much."""
SAMPLE_KEYS = 1_000
"""Values measured of a larger object."""
SEPARATOR_ROWS = 16
"""Rows measured to choose the separator: it makes the same difference in every row."""
SAMPLE_VALUES = 4_000
"""Values measured in all, about."""
CLIP = 120
"""Characters measured of a longer string: the rest of it costs the same in every way of writing it."""


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
        self._shown: dict[tuple[int, int, int], _Shown] = {}

    def table(self, name: str, table: Table) -> float:
        """Tokens of a table under its name."""
        return self._count(f"{name}: {write_table_header(table)}\n") + self.rows(table, table.separator)

    def rows(self, table: Table, separator: str) -> float:
        """Tokens of a table's rows, and of the child rows below them."""
        known = self._tables.get((id(table), separator))
        if known is None:
            known = (table, self._rows(table, separator))
            self._tables[id(table), separator] = known
        return known[1]

    def _rows(self, table: Table, separator: str, size: int = 0) -> float:
        size = size or _sample_size(sum(1 for _ in leaves(table.columns)))
        rows = spread(table.count, size)
        flat: list[_Shown] = []
        inside: list[Cell] = [table.whole[row] for row in rows if row in table.whole]
        below = self._flatten(table.columns, rows, separator, flat, inside)
        cells = [column.written(separator) for column in flat]
        lines = map(separator.join, zip(*cells, strict=True))
        tokens = self._count("\n".join(lines)) + sum(map(self.plain, inside))
        return tokens * table.count / max(1, len(rows)) + below

    def _flatten(
        self,
        columns: Sequence[Column],
        rows: Sequence[int],
        separator: str,
        flat: list[_Shown],
        inside: list[Cell],
    ) -> float:
        """Collect the cells of some rows in `flat`, containers in them in `inside`; tokens of child rows."""
        below = 0.0
        for column in columns:
            if isinstance(column, Cells):
                shown = self._some(column, rows)
                flat.append(shown)
                inside.extend(shown.inside)
            elif isinstance(column, Group):
                inside.extend(column.whole[row] for row in rows if row in column.whole)
                below += self._flatten(column.columns, rows, separator, flat, inside)
            elif isinstance(column, Child):
                counts: list[Cell] = []
                for row in rows:
                    count = column.counts[row]
                    if count is not ABSENT and type(count) is not int:
                        inside.append(count)  # type: ignore[arg-type]
                    counts.append(Number(count) if type(count) is int else ABSENT)
                flat.append(_Shown(column, Cells(column.name, counts)))
                below += self.rows(column.table, separator)
        return below

    def _some(self, column: Cells, rows: Sequence[int]) -> _Shown:
        """Some rows of a column, taken once: the columns of a table mostly stand in the next one too."""
        key = (id(column), len(rows), rows[-1] if rows else 0)
        known = self._shown.get(key)
        if known is None:
            values = [column.values[row] for row in rows]
            inside: list[Cell] = []
            if not _CONTAINERS.isdisjoint(map(type, values)):
                inside = [value for value in values if type(value) in _CONTAINERS]
                values = [ABSENT if type(value) in _CONTAINERS else value for value in values]
            # An affix is cut off by its length, so a string that has one keeps it.
            room = CLIP + 2 * (len(column.prefix) + len(column.suffix))
            values = [clip(value, room) for value in values]
            known = self._shown[key] = _Shown(column, replace(column, values=values), inside)
        return known

    def column(self, column: Column, count: int, separator: str = ",") -> float:
        """Tokens of one column of a table: its part of the header and its cells."""
        return self.table("", Table(Rows.RECORDS, count, [column], separator=separator))

    def plain(self, value: Cell) -> float:
        """Tokens of a value on the spot."""
        if isinstance(value, Embedded):
            return self.plain(value.value) + 1
        if not isinstance(value, (dict, list)):
            return self._count(write_value(clip(value, CLIP), Place.INSIDE))
        known = self._values.get(id(value))
        if known is None:
            known = (value, self._container(value))
            self._values[id(value)] = known
        return known[1]

    def _container(self, value: dict[str, Any] | list[Any]) -> float:
        pairs = list(value.items()) if isinstance(value, dict) else [("", item) for item in value]
        # The items of a list are alike; the values of an object are not.
        shown = [
            pairs[at] for at in spread(len(pairs), SAMPLE_ROWS if isinstance(value, list) else SAMPLE_KEYS)
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
            title = self._count(f"{name}: {write_kinds(node)}\n")
            return title + sum(self.table("A", table) for table in node.tables)
        if isinstance(node, Spelled):
            return self.node(name, node.node, depth) + 2
        if isinstance(node, Plain):
            if isinstance(node.value, (list, dict)):
                return self._count(name) + 1 + self.plain(node.value)
            return self._count(write_pair(name, clip(node.value, CLIP)))
        entries = node.entries if isinstance(node, Block) else [("-", item) for item in node.nodes]
        inner = sum(self.node(key, entry, depth + 1) for key, entry in entries)
        return self._count(name) + 2 + inner

    def cheapest(self, columns: Sequence[Column], count: int) -> Column:
        """The column that costs least of several that say the same; the first of equals."""
        if len(columns) == 1 or self.expired():
            return columns[-1]
        return min(columns, key=lambda column: self.column(column, count))

    def separated(self, name: str, table: Table) -> Table:
        """The table with the separator that costs less; commas, if there is nothing in it."""
        spaced = replace(table, separator=" ")
        headers = write_table_header(spaced), write_table_header(table)
        if headers[0] == headers[1]:
            return table  # INVARIANT: the header shows the separator; one that cannot means commas.
        size = min(SEPARATOR_ROWS, _sample_size(sum(1 for _ in leaves(table.columns))))
        costs = [
            self._count(f"{name}: {header}\n") + self._rows(table, separator, size)
            for header, separator in zip(headers, (" ", ","), strict=True)
        ]
        return spaced if costs[0] < costs[1] else table


_CONTAINERS = frozenset({dict, list, Embedded})


class _Shown:
    """Some cells of a column, and how they are written with each separator.

    Attributes:
        inside: the containers among them, which are measured by themselves.
    """

    def __init__(self, column: Column, cells: Cells, inside: Sequence[Cell] = ()) -> None:
        """`column` is only held: INVARIANT: an id is only good while its object lives."""
        self.column = column
        self.cells = cells
        self.inside = inside
        self._written: dict[str, list[str]] = {}

    def written(self, separator: str) -> list[str]:
        known = self._written.get(separator)
        if known is None:
            known = self._written[separator] = write_column(self.cells, separator)
        return known


def _sample_size(values: int) -> int:
    """How many rows to look at, if each holds so many values."""
    return max(6, min(SAMPLE_ROWS, SAMPLE_VALUES // max(1, values)))
