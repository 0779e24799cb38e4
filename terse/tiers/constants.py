"""`constants`: a column that holds one value leaves the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from terse.layout.cost import Cost
from terse.layout.document import (
    ABSENT,
    USUAL,
    Cell,
    Cells,
    Column,
    Constant,
    Document,
    Embedded,
    Group,
    Rows,
    Table,
    each_column,
    tables,
)
from terse.layout.presence import group_is_shown, rows_beside, rows_of, table_is_shown
from terse.layout.rewrite import each_table, separated, with_columns
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
    cost = context.cost
    changed = each_table(document, _Constants(cost).table)
    constants, usual = (
        after - before for after, before in zip(_found(changed), _found(document), strict=True)
    )
    if not constants and not usual:
        return Skip("no column holds one value")
    note = f"{constants} columns of one value"
    if usual:
        note += f", {usual} of a usual one"
    changed = separated(changed, cost)
    gain = cost.tables(document.root) - cost.tables(changed.root)
    return Applied(Draft(State.LAYOUT, None, changed), note, gain)


def _found(document: Document) -> tuple[int, int]:
    """How many columns there are of one value, and how many with a usual one."""
    every = [column for table in tables(document.root) for column in each_column(table.columns)]
    constants = sum(isinstance(column, Constant) for column in every)
    return constants, sum(isinstance(column, Cells) and column.usual is not None for column in every)


class _Constants:
    def __init__(self, cost: Cost) -> None:
        self.cost = cost
        # By identity, with the column itself: INVARIANT: an id is only good while its object lives.
        self.ways: dict[int, tuple[Cells, Cells | None]] = {}

    def table(self, table: Table) -> Table:
        if table.count < 2:
            return table
        first = 1 if table.rows is Rows.KEYED else 0
        present = rows_beside(table.count, table.whole)
        columns = [*table.columns[:first], *self.columns(table.columns[first:], present, table)]
        at = first
        while not table_is_shown(table, columns):
            columns[at] = table.columns[at]
            at += 1
        # What leaving a value out saves depends on the separator, and which is the cheaper one on that.
        ways = [
            with_columns(table, [self.left_out(column, table, separator) for column in columns])
            for separator in (",", " ")
        ]
        return ways[0] if self.cost.rows(ways[0], ",") <= self.cost.rows(ways[1], " ") else ways[1]

    def columns(self, columns: Sequence[Column], present: Sequence[int], table: Table) -> list[Column]:
        """The columns of an object that stands in the rows `present`, the constant ones without cells."""
        made: list[Column] = []
        for column in columns:
            if isinstance(column, Group):
                made.append(self.group(column, present, table))
            elif isinstance(column, Cells) and column.name != KEY_NAME:
                whole = len(present) == table.count
                value = _only_value(column.values if whole else [column.values[row] for row in present])
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
        return with_columns(group, columns)

    def left_out(self, column: Column, table: Table, separator: str) -> Column:
        """The column with its usual values left out, and so with those of the columns in it."""
        if isinstance(column, Group):
            return with_columns(column, [self.left_out(inner, table, separator) for inner in column.columns])
        if isinstance(column, Cells) and column.name != KEY_NAME:
            return self.with_usual(column, table, separator)
        return column

    def with_usual(self, column: Cells, table: Table, separator: str) -> Cells:
        """The column with its usual value left out of the cells, where that is worth a reader's look."""
        known = self.ways.get(id(column))
        if known is None:
            known = self.ways[id(column)] = (column, self.without_usual(column, table))
        usual = known[1]
        if usual is None:
            return column
        before = self.cost.column(column, table.count, separator)
        is_worth_it = self.cost.column(usual, table.count, separator) <= before - MIN_USUAL_GAIN
        return usual if is_worth_it else column

    def without_usual(self, column: Cells, table: Table) -> Cells | None:
        """The column with its usual value left out of the cells; `None` if it has none."""
        if column.usual is not None or column.prefix or column.suffix or table.count < 5:
            return None
        shown = [column.values[row] for row in spread(table.count, LOOK_ROWS)]
        if _largest(shown) < USUAL_SHARE * 0.8 * len(shown):
            return None
        counts, empty_lists = _counted(column.values)
        if not counts and not empty_lists:
            return None
        value: Cell = []
        times = empty_lists
        if counts and counts.most_common(1)[0][1] > empty_lists:
            value, times = counts.most_common(1)[0]
        if times < USUAL_SHARE * table.count:
            return None
        return replace(
            column,
            values=[USUAL if cell == value and type(cell) is type(value) else cell for cell in column.values],
            usual=Constant(column.name, value),  # type: ignore[arg-type]
        )


def _counted(values: Sequence[Cell]) -> tuple[Counter[Cell], int]:
    """How often each plain value stands there, and how often `[]`."""
    kinds = set(map(type, values))
    empty_lists = sum(1 for value in values if value == []) if list in kinds else 0
    if not _CONTAINERS.isdisjoint(kinds):
        values = [value for value in values if type(value) not in _CONTAINERS]
    counts = Counter(values)
    del counts[ABSENT]
    return counts, empty_lists


_CONTAINERS = frozenset({list, dict, Embedded})


def _largest(values: Sequence[Cell]) -> int:
    """How often the most frequent value stands there, a plain one or `[]`."""
    counts, empty_lists = _counted(values)
    return max(empty_lists, max(counts.values(), default=0))


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
    if first != last or len(set(map(type, values))) > 1:
        return ABSENT
    return first if values.count(first) == len(values) else ABSENT


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
