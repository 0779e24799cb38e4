"""`constants`: a column that holds one value leaves the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from terse.layout.cost import Cost, each_cells
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
from terse.layout.inline import Place, write_value
from terse.layout.presence import group_is_shown, rows_beside, rows_of, table_is_shown
from terse.layout.rewrite import each_table, with_columns
from terse.layout.sample import spread
from terse.layout.template import KEY_NAME
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

USUAL_SHARE = 0.3
"""A value is a column's usual one if at least this part of its cells holds it."""
LOOK_ROWS = 200
"""Rows of a column that are looked at before all of them are."""
UNCLEAR = 0.4
"""Tokens a cell. Where the separators are no further apart, which of them costs less is measured."""
MIN_USUAL_GAIN = 6
"""Tokens that leaving a usual value out has to save: it asks the reader for a look at the header."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    work = _Constants(context.cost)
    changed = each_table(document, work.table)
    constants, usual = (
        after - before for after, before in zip(_found(changed), _found(document), strict=True)
    )
    if not constants and not usual:
        return Skip("no column holds one value")
    note = f"{constants} columns of one value"
    if usual:
        note += f", {usual} of a usual one"
    return Applied(Draft(State.LAYOUT, None, changed, context.cost), note, work.gain)


def _found(document: Document) -> tuple[int, int]:
    """How many columns there are of one value, and how many with a usual one."""
    every = [column for table in tables(document.root) for column in each_column(table.columns)]
    constants = sum(isinstance(column, Constant) for column in every)
    return constants, sum(isinstance(column, Cells) and column.usual is not None for column in every)


@dataclass(slots=True)
class _LeftOut:
    """Columns without their usual values, between separators of one kind.

    Attributes:
        columns: what takes the place of a column, by the id of that.
        tokens: of all columns that have a usual value, those included that keep it in their cells.
        saved: what leaving it out saves.
    """

    columns: dict[int, Cells] = field(default_factory=dict)
    tokens: float = 0.0
    saved: float = 0.0


class _Constants:
    """Takes values out of tables.

    Attributes:
        gain: the tokens that this saves, about.
    """

    def __init__(self, cost: Cost) -> None:
        self.cost = cost
        self.gain = 0.0

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
        self.gain += self.saved(table.columns, columns, table.count)
        usual = list(self.usual(columns, table))
        if not usual:
            return with_columns(table, columns)
        # What leaving a value out saves depends on the separator, and which is the cheaper one on that.
        ways = [self.worth_it(usual, table.count, separator) for separator in (",", " ")]
        candidates = {id(column) for column, _ in usual}
        others = (column for column in each_cells(columns) if id(column) not in candidates)
        spared = self.cost.spared_by_spaces(others, table.count) + ways[0].tokens - ways[1].tokens
        made = [with_columns(table, _put(columns, way.columns)) for way in ways]
        if (
            abs(spared) < UNCLEAR * table.count * len(columns)
            and ways[0].columns.keys() != ways[1].columns.keys()
        ):
            spared = self.cost.rows(made[0], ",") - self.cost.rows(made[1], " ")
        self.gain += ways[spared > 0].saved
        return made[spared > 0]

    def saved(self, before: Sequence[Column], after: Sequence[Column], count: int) -> float:
        """Tokens that constants save: each stands in the header, and not in the rows."""
        gain = 0.0
        for one, other in zip(before, after, strict=True):
            if isinstance(one, Group) and isinstance(other, Group):
                gain += self.saved(one.columns, other.columns, count)
            elif isinstance(other, Constant) and isinstance(one, Cells):
                gain += (count - 1) * self.cost.word(write_value(other.value, Place.INSIDE)) - 1
        return gain

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

    def usual(self, columns: Sequence[Column], table: Table) -> Iterator[tuple[Cells, Cells]]:
        """The columns that have a usual value, each beside the one without it."""
        for column in columns:
            if isinstance(column, Group):
                yield from self.usual(column.columns, table)
            elif isinstance(column, Cells) and column.name != KEY_NAME:
                made = self.without_usual(column, table)
                if made is not None:
                    yield column, made

    def worth_it(self, usual: Sequence[tuple[Cells, Cells]], count: int, separator: str) -> _LeftOut:
        """What is worth a reader's look at the header."""
        found = _LeftOut()
        for column, made in usual:
            tokens = self.cost.column(column, count, separator)
            saved = tokens - self.cost.column(made, count, separator)
            if saved >= MIN_USUAL_GAIN:
                found.columns[id(column)] = made
                found.saved += saved
                tokens -= saved
            found.tokens += tokens
        return found

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


def _put(columns: Sequence[Column], chosen: Mapping[int, Cells]) -> list[Column]:
    """The columns, those without their usual values in the place of those that were chosen, by id."""
    made: list[Column] = []
    for column in columns:
        if isinstance(column, Group):
            made.append(with_columns(column, _put(column.columns, chosen)))
        else:
            made.append(chosen.get(id(column), column))
    return made


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
