"""What a way of writing costs, in tokens: counted on a sample where the whole is large.

An estimate decides between two ways of writing the same thing, so it only has to rank them; what is
sent is counted whole, by the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from terse.layout.document import Block, Cell, Column, Kinds, Node, Plain, Rows, Spelled, Table
from terse.layout.header import leaves, write_table_header
from terse.layout.inline import Place, write_value
from terse.layout.sample import clip, clip_table, pick, spread
from terse.layout.write import write_kinds, write_pair, write_rows

SAMPLE_ROWS = 48
"""Rows measured of a longer table or list, fewer where each of them holds much."""
SAMPLE_VALUES = 4_000
"""Values measured in all, about."""
CLIP = 120
"""Characters measured of a longer string: the rest of it costs the same in every way of writing it."""


class Cost:
    """Estimates of tokens. `count` counts a text exactly."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    def table(self, name: str, table: Table) -> float:
        """Tokens of a table under its name."""
        header = self._count(f"{name}: {write_table_header(table)}\n")
        return header + self.rows(table)

    def rows(self, table: Table) -> float:
        """Tokens of a table's rows."""
        size = _sample_size(sum(1 for _ in leaves(table.columns)))
        shown = clip_table(pick(table, spread(table.count, size)), CLIP)
        counted = self._count("\n".join(write_rows(shown)))
        return counted * table.count / max(1, shown.count)

    def column(self, column: Column, count: int, separator: str = ",") -> float:
        """Tokens of one column of a table: its part of the header and its cells."""
        return self.table("", Table(Rows.RECORDS, count, [column], separator=separator))

    def plain(self, value: Cell) -> float:
        """Tokens of a value on the spot."""
        part = 1.0
        if isinstance(value, (list, dict)) and len(value) > 6:
            items = value if isinstance(value, list) else list(value.items())
            size = _sample_size(max(_weight(item) for item in items[:3]))
            if size < len(items):
                some = [items[at] for at in spread(len(items), size)]
                value = some if isinstance(value, list) else dict(some)  # type: ignore[assignment,arg-type]
                part = len(items) / size
        return self._count(write_value(clip(value, CLIP), Place.INSIDE)) * part

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
        if len(columns) == 1:
            return columns[0]
        return min(columns, key=lambda column: self.column(column, count))

    def separated(self, name: str, table: Table) -> Table:
        """The table with the separator that costs less; commas, if there is nothing in it."""
        spaced = replace(table, separator=" ")
        if write_table_header(spaced) == write_table_header(table):
            return table  # INVARIANT: the header shows the separator; one that cannot means commas.
        return spaced if self.table(name, spaced) < self.table(name, table) else table


def _sample_size(values: int) -> int:
    """How many rows to look at, if each holds so many values."""
    return max(6, min(SAMPLE_ROWS, SAMPLE_VALUES // max(1, values)))


def _weight(value: object, limit: int = SAMPLE_VALUES) -> int:
    """How many values are in a value, or more than `limit`."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return 1
    total = 1
    for item in value:
        total += _weight(item, limit - total)
        if total > limit:
            break
    return total
