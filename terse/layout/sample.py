"""A few rows of a table, as a table: what a decision is measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from terse.layout.document import Cell, Cells, Child, Column, Group, Table


def spread(count: int, size: int) -> list[int]:
    """`size` row numbers (all, if there are no more) spread evenly over `count` rows."""
    if count <= size:
        return list(range(count))
    return [index * count // size for index in range(size)]


def pick(table: Table, rows: Sequence[int]) -> Table:
    """The table with those rows only, child rows included."""
    columns = [_pick(column, rows) for column in table.columns]
    return replace(table, count=len(rows), columns=columns, whole=_pick_whole(table.whole, rows))


def _pick(column: Column, rows: Sequence[int]) -> Column:
    if isinstance(column, Cells):
        return replace(column, values=[column.values[row] for row in rows])
    if isinstance(column, Group):
        return replace(
            column,
            columns=[_pick(inner, rows) for inner in column.columns],
            whole=_pick_whole(column.whole, rows),
            source=[column.source[row] for row in rows],
        )
    if isinstance(column, Child):
        starts = [0, *accumulate(count if type(count) is int else 0 for count in column.counts)]
        inner_rows = [at for row in rows for at in range(starts[row], starts[row + 1])]
        return replace(
            column,
            counts=[column.counts[row] for row in rows],
            table=pick(column.table, inner_rows),
            source=[column.source[row] for row in rows],
        )
    return column


def _pick_whole(whole: Mapping[int, Cell], rows: Sequence[int]) -> dict[int, Cell]:
    if not whole:
        return {}
    return {at: whole[row] for at, row in enumerate(rows) if row in whole}
