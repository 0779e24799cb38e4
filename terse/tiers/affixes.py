"""`affixes`: what all strings of a column begin and end with stands in the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from terse.layout.cost import Cost
from terse.layout.document import USUAL, Cells, Column, Constant, Group, Mark, Table
from terse.layout.rewrite import each_table, separated, with_columns
from terse.layout.sample import spread
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

LOOK_ROWS = 32
"""Strings of a column that are looked at before all of them are."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    cost = context.cost
    document = separated(document, cost.likely_separated)
    gains: list[float] = []
    changed = each_table(
        document, lambda table: with_columns(table, _columns(table.columns, table, cost, gains))
    )
    if not gains:
        return Skip("no column with a beginning or end in common")
    return Applied(Draft(State.LAYOUT, None, changed, cost), f"{len(gains)} columns", sum(gains))


def _columns(columns: Sequence[Column], table: Table, cost: Cost, gains: list[float]) -> list[Column]:
    """The columns, those shortened that have an affix; `gains` gets the tokens that each of these saves."""
    made: list[Column] = []
    for column in columns:
        if isinstance(column, Group):
            made.append(with_columns(column, _columns(column.columns, table, cost, gains)))
        elif isinstance(column, Cells):
            shorter = _shortened(column, table, cost)
            made.append(shorter)
            if shorter is not column:
                gains.append(_tokens(column, table, cost) - _tokens(shorter, table, cost))
        else:
            made.append(column)
    return made


def _tokens(column: Cells, table: Table, cost: Cost) -> float:
    return cost.column(column, table.count, table.separator)


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
    kinds = set(map(type, column.values))
    if str not in kinds or not kinds <= _TEXT_KINDS or (Mark in kinds and USUAL in column.values):
        return before
    strings: Sequence[str] = column.values  # type: ignore[assignment]
    if len(kinds) > 1:
        strings = [value for value in column.values if type(value) is str]
    shown = [strings[at] for at in spread(len(strings), LOOK_ROWS)]
    if not any(_affixes(shown, shown)) or min(strings) == max(strings):
        return before
    prefix, suffix = _affixes(strings, shown)
    if len(prefix) + len(suffix) < 2:
        return before
    ways = [before]
    for start in dict.fromkeys((prefix, _whole_words(prefix))):
        for end in dict.fromkeys((suffix, _whole_words(suffix[::-1])[::-1])):
            if start or end:
                ways.append(replace(column, text=True, prefix=start, suffix=end))
    return min(ways, key=lambda way: _tokens(way, table, cost))


_TEXT_KINDS = frozenset({str, type(None), Mark})


def _affixes(strings: Sequence[str], shown: Sequence[str]) -> tuple[str, str]:
    """What all of the strings begin and end with; `shown` are some of them."""
    prefix = _common(min(strings), max(strings))
    suffix = _end([text[len(prefix) :] for text in shown])
    if suffix and len(strings) > len(shown):
        suffix = _end([text[len(prefix) :] for text in strings])
    return prefix, suffix


def _end(texts: Sequence[str]) -> str:
    turned = [text[::-1] for text in texts]
    return _common(min(turned), max(turned))[::-1]


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
            "JSON outline: 3 rows of at=2026-03-01T1{}:00Z n\n0:00 1\n1:30 2\n1:45 3",
            following=("tabularize",),
        ),
    ),
)
