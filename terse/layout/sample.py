"""A few rows of a table, as a table: what a decision is measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from terse.layout.document import Cell, Cells, Child, Column, Embedded, Group, Table


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


def clip(value: Cell, limit: int) -> Cell:
    """The value with the middle of every long string cut out."""
    if type(value) is str:
        return value if len(value) <= limit else value[: limit // 2] + value[-(limit // 2) :]
    if isinstance(value, dict):
        return {key: clip(item, limit) for key, item in value.items()}  # type: ignore[misc]
    if isinstance(value, list):
        return [clip(item, limit) for item in value]  # type: ignore[misc]
    if isinstance(value, Embedded):
        return Embedded(clip(value.value, limit), value.style)  # type: ignore[arg-type]
    return value


def clip_table(table: Table, limit: int) -> Table:
    """The table with every value clipped."""
    columns = [_clip(column, limit) for column in table.columns]
    whole = {row: clip(value, limit) for row, value in table.whole.items()}
    return replace(table, columns=columns, whole=whole)


def _clip(column: Column, limit: int) -> Column:
    if isinstance(column, Cells):
        # An affix is cut off by its length, so a string that has one keeps it.
        room = limit + 2 * (len(column.prefix) + len(column.suffix))
        return replace(column, values=[clip(value, room) for value in column.values])
    if isinstance(column, Group):
        whole = {row: clip(value, limit) for row, value in column.whole.items()}
        return replace(column, columns=[_clip(inner, limit) for inner in column.columns], whole=whole)
    if isinstance(column, Child):
        counts = [count if isinstance(count, int) else clip(count, limit) for count in column.counts]
        return replace(column, counts=counts, table=clip_table(column.table, limit))
    return column
