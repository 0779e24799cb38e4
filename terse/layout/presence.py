"""Whether a reader can tell where an object stands: by the cells of its columns.

INVARIANT: a group with cells stands in a row exactly when one of them does; a group without cells
stands wherever the object around it does. Whatever takes cells away has to keep this true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from terse.layout.document import ABSENT, Cell, Cells, Child, Column, Group, Mark, Rows, Table


def rows_beside(count: int, whole: Mapping[int, Cell]) -> Sequence[int]:
    """The rows of so many that are none of those with a whole value."""
    return [row for row in range(count) if row not in whole] if whole else range(count)


def rows_of(group: Group) -> Sequence[int]:
    """The rows in which the group's object stands."""
    if not group.whole and set(map(type, group.source)) == {dict} and all(group.source):
        return range(len(group.source))
    return [
        row
        for row, value in enumerate(group.source)
        if isinstance(value, dict) and value and row not in group.whole
    ]


def has_cells(column: Column) -> bool:
    """Whether anything of the column stands in the rows."""
    if isinstance(column, Group):
        return any(map(has_cells, column.columns))
    return isinstance(column, (Cells, Child))


def group_is_shown(group: Group, columns: Sequence[Column], around: Sequence[int]) -> bool:
    """Whether the group could have these columns, inside an object that stands in the rows `around`."""
    rows = rows_of(group)
    if not any(map(has_cells, columns)):
        return not group.whole and list(rows) == list(around)
    if any(isinstance(column, Cells) and Mark not in set(map(type, column.values)) for column in columns):
        return True
    missing = set(rows)
    for column in columns:
        values: Sequence[object] = ()
        if isinstance(column, Cells):
            values = column.values
        elif isinstance(column, Child):
            values = column.counts
        elif isinstance(column, Group) and has_cells(column):
            values = column.source
        if values:
            missing = {row for row in missing if values[row] is ABSENT}
        if not missing:
            return True
    return not missing


def table_is_shown(table: Table, columns: Sequence[Column]) -> bool:
    """Whether the table could have these columns: some have cells, and a whole value has a place."""
    if table.rows is Rows.KEYED:
        return not table.whole or any(map(has_cells, columns[1:]))
    return any(map(has_cells, columns))
