"""`affixes`: what all strings of a column begin and end with stands in the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from terse.layout.cost import Cost
from terse.layout.document import ABSENT, USUAL, Cells, Column, Constant, Group, Table
from terse.layout.rewrite import each_table, separated
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    cost = Cost(context.count)
    found = 0

    def change(table: Table) -> Table:
        nonlocal found
        columns, here = _columns(table.columns, table, cost)
        found += here
        return replace(table, columns=columns)

    changed = each_table(document, change)
    if not found:
        return Skip("no column with a beginning or end in common")
    return Applied(Draft(State.LAYOUT, None, separated(changed, cost)), f"{found} columns")


def _columns(columns: Sequence[Column], table: Table, cost: Cost) -> tuple[list[Column], int]:
    made: list[Column] = []
    found = 0
    for column in columns:
        if isinstance(column, Group):
            inner, here = _columns(column.columns, table, cost)
            made.append(replace(column, columns=inner))
            found += here
        elif isinstance(column, Cells):
            made.append(_shortened(column, table, cost))
            found += made[-1] is not column
        else:
            made.append(column)
    return made, found


def _shortened(column: Cells, table: Table, cost: Cost) -> Cells:
    if column.prefix or column.suffix:
        return column
    before = column
    if column.usual is not None:
        # A usual value is part of the bargain: without it, the affix may be the better one.
        if not isinstance(column.usual, Constant) or not isinstance(column.usual.value, str):
            return column
        usual = column.usual.value
        values = [usual if value is USUAL else value for value in column.values]
        column = replace(column, values=values, usual=None)
    strings: list[str] = []
    for value in column.values:
        if type(value) is str:
            strings.append(value)
        elif value is not None and value is not ABSENT:
            return before
    first, last = min(strings, default=""), max(strings, default="")
    if first == last:
        return before
    prefix = _common(first, last)
    rests = [text[len(prefix) :] for text in strings]
    turned = [text[::-1] for text in rests]
    suffix = _common(min(turned), max(turned))[::-1]
    if len(prefix) + len(suffix) < 2:
        return before
    ways = [before]
    for start in dict.fromkeys((prefix, _whole_words(prefix))):
        for end in dict.fromkeys((suffix, _whole_words(suffix[::-1])[::-1])):
            if start or end:
                ways.append(replace(column, text=True, prefix=start, suffix=end))
    return min(ways, key=lambda way: cost.column(way, table.count, table.separator))


def _common(one: str, other: str) -> str:
    """What both begin with. Of the first and last in sorted order: what all in between begin with."""
    for at, sign in enumerate(one):
        if not other.startswith(sign, at):
            return one[:at]
    return one


def _whole_words(text: str) -> str:
    """The text up to the last sign that is no letter and no digit: cells read better in whole words."""
    while text and text[-1].isalnum():
        text = text[:-1]
    return text


TIER = Tier(
    name="affixes",
    sentence="Takes what all strings of a column begin and end with out of the rows.",
    reads="`id=tenant-{}` in a header: every cell of the column has that around it; `{}` is the cell.",
    takes=frozenset({State.LAYOUT}),
    leaves=None,
    run=_run,
    examples=(
        Example(
            '[{"at":"2026-03-01T10:00:00Z","n":1},{"at":"2026-03-01T11:30:00Z","n":2},'
            '{"at":"2026-03-01T11:45:00Z","n":3}]',
            "JSON outline: 3 rows of at=2026-03-01T1{}:00Z,n\n0:00,1\n1:30,2\n1:45,3",
            following=("tabularize",),
        ),
    ),
)
