"""A large table in parts of a few thousand rows, so that its cells as text are never all in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from msgspec.structs import replace

from terse.layout.document import Cells, Child, Column, Count, Group, Table

PART_ROWS = 2_000
"""Rows of a part."""

Span = tuple[int, int]
"""Rows of a table: from one up to another."""


def parts(table: Table, size: int | None = None) -> Iterator[Table]:
    """Tables that have the rows of this one between them, in order."""
    size = size or PART_ROWS
    if table.count <= size:
        yield table
    else:
        yield from _parts(table, [(at, min(at + size, table.count)) for at in range(0, table.count, size)])


def _parts(table: Table, spans: Sequence[Span]) -> Iterator[Table]:
    columns = zip(*(_column(column, spans) for column in table.columns), strict=True)
    for (start, end), part in zip(spans, columns, strict=True):
        whole = {row - start: table.whole[row] for row in range(start, end) if row in table.whole}
        yield replace(table, count=end - start, columns=part, whole=whole)


def _column(column: Column, spans: Sequence[Span]) -> Iterator[Column]:
    if isinstance(column, Cells):
        for start, end in spans:
            yield replace(column, values=column.values[start:end])
    elif isinstance(column, Group):
        inner = zip(*(_column(each, spans) for each in column.columns), strict=True)
        for (start, end), part in zip(spans, inner, strict=True):
            whole = {row - start: column.whole[row] for row in range(start, end) if row in column.whole}
            yield Group(column.name, part, whole, column.source[start:end])
    elif isinstance(column, Child):
        for (start, end), rows in zip(spans, _parts(column.table, _below(column.counts, spans)), strict=True):
            yield Child(column.name, column.counts[start:end], rows, column.source[start:end])
    else:
        yield from repeat(column, len(spans))


def _below(counts: Sequence[Count], spans: Sequence[Span]) -> list[Span]:
    """The child rows of each span of rows."""
    made: list[Span] = []
    at = 0
    for start, end in spans:
        # A boolean is a value; no list has so many rows.
        number = sum(count for count in counts[start:end] if type(count) is int)
        made.append((at, at + number))
        at += number
    return made
