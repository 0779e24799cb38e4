"""What a way of writing costs, in tokens: counted on a sample where the whole is large.

An estimate decides between two ways of writing the same thing, so it only has to rank them; what is
sent is counted whole, by the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from terse.layout.document import Block, Cell, Column, Node, Plain, Rows, Table
from terse.layout.header import write_table_header
from terse.layout.inline import Place, write_value
from terse.layout.sample import pick, spread
from terse.layout.write import write_pair, write_rows

SAMPLE_ROWS = 48
"""Rows measured of a longer table or list."""
SAMPLE_CHARACTERS = 16_000
"""Characters measured of a longer text."""


class Cost:
    """Estimates of tokens. `count` counts a text exactly."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    def text(self, text: str) -> float:
        """Tokens of a text; of a long one, projected from a piece of its beginning and one of its middle."""
        if len(text) <= SAMPLE_CHARACTERS:
            return self._count(text)
        half = SAMPLE_CHARACTERS // 2
        middle = len(text) // 2
        counted = self._count(text[:half]) + self._count(text[middle : middle + half])
        return counted * len(text) / SAMPLE_CHARACTERS

    def table(self, name: str, table: Table) -> float:
        """Tokens of a table under its name."""
        header = self._count(f"{name}: {write_table_header(table)}\n")
        return header + self.rows(table)

    def rows(self, table: Table) -> float:
        """Tokens of a table's rows."""
        if table.count > SAMPLE_ROWS:
            shown = pick(table, spread(table.count, SAMPLE_ROWS))
            return self.text("\n".join(write_rows(shown))) * table.count / SAMPLE_ROWS
        return self.text("\n".join(write_rows(table)))

    def column(self, column: Column, count: int, separator: str = ",") -> float:
        """Tokens of one column of a table: its part of the header and its cells."""
        return self.table("", Table(Rows.RECORDS, count, [column], separator=separator))

    def plain(self, value: Cell) -> float:
        """Tokens of a value on the spot."""
        if isinstance(value, list) and len(value) > SAMPLE_ROWS:
            shown = [value[at] for at in spread(len(value), SAMPLE_ROWS)]
            return self.text(write_value(shown, Place.INSIDE)) * len(value) / SAMPLE_ROWS
        if isinstance(value, dict) and len(value) > SAMPLE_ROWS:
            keys = list(value)
            some = {keys[at]: value[keys[at]] for at in spread(len(keys), SAMPLE_ROWS)}
            return self.text(write_value(some, Place.INSIDE)) * len(value) / SAMPLE_ROWS
        return self.text(write_value(value, Place.INSIDE))

    def node(self, name: str, node: Node, depth: int = 0) -> float:
        """Tokens of a node under its name."""
        if isinstance(node, Table):
            return self.table(name, node) + depth
        if isinstance(node, Plain):
            if isinstance(node.value, (list, dict)):
                return self._count(name) + 1 + self.plain(node.value)
            return self.text(write_pair(name, node.value))
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
