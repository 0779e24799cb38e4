"""`constants`: a column that holds one value leaves the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from terse.layout.cost import Cost
from terse.layout.document import (
    ABSENT,
    USUAL,
    Cell,
    Cells,
    Column,
    Constant,
    Embedded,
    Group,
    Rows,
    Table,
)
from terse.layout.presence import group_is_shown, rows_of, table_is_shown
from terse.layout.rewrite import each_table, separated
from terse.layout.sample import spread
from terse.layout.template import KEY_NAME
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

USUAL_SHARE = 0.3
"""A value is a column's usual one if at least this part of its cells holds it."""
LOOK_ROWS = 200
"""Rows of a column that are looked at before all of them are."""
MIN_USUAL_GAIN = 6
"""Tokens that leaving a usual value out has to save: it asks the reader for a look at the header."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    work = _Constants(Cost(context.count))
    changed = each_table(document, work.table)
    if not work.constants and not work.usual:
        return Skip("no column holds one value")
    note = f"{work.constants} columns of one value"
    if work.usual:
        note += f", {work.usual} of a usual one"
    return Applied(Draft(State.LAYOUT, None, separated(changed, work.cost)), note)


class _Constants:
    def __init__(self, cost: Cost) -> None:
        self.cost = cost
        self.constants = 0
        self.usual = 0

    def table(self, table: Table) -> Table:
        if table.count < 2:
            return table
        first = 1 if table.rows is Rows.KEYED else 0
        present = [row for row in range(table.count) if row not in table.whole]
        columns = [*table.columns[:first], *self.columns(table.columns[first:], present, table)]
        at = first
        while not table_is_shown(table, columns):
            columns[at] = table.columns[at]
            at += 1
        return replace(table, columns=[self.left_out(column, table) for column in columns])

    def columns(self, columns: Sequence[Column], present: Sequence[int], table: Table) -> list[Column]:
        """The columns of an object that stands in the rows `present`, the constant ones without cells."""
        made: list[Column] = []
        for column in columns:
            if isinstance(column, Group):
                made.append(self.group(column, present, table))
            elif isinstance(column, Cells) and column.name != KEY_NAME:
                value = _only_value([column.values[row] for row in present])
                made.append(column if value is ABSENT else Constant(column.name, value))  # type: ignore[arg-type]
            else:
                made.append(column)
        return made

    def group(self, group: Group, around: Sequence[int], table: Table) -> Group:
        columns = self.columns(group.columns, rows_of(group), table)
        at = 0
        while not group_is_shown(group, columns, around):
            columns[at] = group.columns[at]
            at += 1
        return replace(group, columns=columns)

    def left_out(self, column: Column, table: Table) -> Column:
        """The column with its usual values left out, and so with those of the columns in it."""
        if isinstance(column, Constant):
            self.constants += 1
        elif isinstance(column, Group):
            return replace(column, columns=[self.left_out(inner, table) for inner in column.columns])
        elif isinstance(column, Cells) and column.name != KEY_NAME:
            return self.with_usual(column, table)
        return column

    def with_usual(self, column: Cells, table: Table) -> Cells:
        """The column with its usual value left out of the cells, where that is worth a reader's look."""
        if column.usual is not None or column.prefix or column.suffix or table.count < 5:
            return column
        shown = [column.values[row] for row in spread(table.count, LOOK_ROWS)]
        if _largest(shown) < USUAL_SHARE * 0.8 * len(shown):
            return column
        counts = Counter(filter(_is_plain, column.values))
        empty_lists = sum(1 for value in column.values if value == [])
        if not counts and not empty_lists:
            return column
        value: Cell = []
        times = empty_lists
        if counts and counts.most_common(1)[0][1] > empty_lists:
            value, times = counts.most_common(1)[0]
        if times < USUAL_SHARE * table.count:
            return column
        usual = replace(
            column,
            values=[USUAL if cell == value and type(cell) is type(value) else cell for cell in column.values],
            usual=Constant(column.name, value),  # type: ignore[arg-type]
        )
        before = self.cost.column(column, table.count, table.separator)
        if self.cost.column(usual, table.count, table.separator) > before - MIN_USUAL_GAIN:
            return column
        self.usual += 1
        return usual


def _is_plain(value: Cell) -> bool:
    return not isinstance(value, (list, dict, Embedded)) and value is not ABSENT


def _largest(values: Sequence[Cell]) -> int:
    """How often the most frequent value stands there, a plain one or `[]`."""
    plain = Counter(filter(_is_plain, values))
    return max(sum(1 for value in values if value == []), max(plain.values(), default=0))


def _only_value(values: Sequence[Cell]) -> Cell:
    """The value that all cells hold, or `ABSENT`."""
    first, last = values[0], values[-1]
    if first is ABSENT or type(first) is not type(last) or len(values) < 2:
        return ABSENT
    if isinstance(first, Embedded):
        return ABSENT
    if isinstance(first, dict):
        return first if not first and all(type(value) is dict and not value for value in values) else ABSENT
    if isinstance(first, list):
        # A long list read off a header is no help.
        if any(isinstance(item, (dict, list, Embedded)) for item in first):
            return ABSENT
        return first if all(type(value) is list and value == first for value in values) else ABSENT
    return first if first == last and all(value == first for value in values) else ABSENT


TIER = Tier(
    name="constants",
    sentence="Takes columns that hold one value out of the rows: the header states it.",
    reads="`state=open` in a header: every row has that value. `draft?=false`: an empty cell (or `.`) means "
    "that value, and `-` a missing key.",
    takes=frozenset({State.LAYOUT}),
    leaves=None,
    run=_run,
    examples=(
        Example(
            '[{"id":1,"state":"open","locked":false},{"id":2,"state":"open","locked":false},'
            '{"id":3,"state":"open","locked":false},{"id":4,"state":"open","locked":false}]',
            "JSON outline: 4 rows of id state=open locked=false\n1\n2\n3\n4",
            following=("tabularize",),
        ),
    ),
)
