"""`dictionary`: values that stand in a result several times are written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from terse.layout.cost import COLUMN_ROWS, Cost
from terse.layout.document import (
    Cell,
    Cells,
    Child,
    Column,
    Document,
    Group,
    Slot,
    Table,
    Template,
    each_column,
    tables,
)
from terse.layout.header import write_table_header
from terse.layout.inline import Place, write_value
from terse.layout.repeats import Key, Repeats, referred
from terse.layout.rewrite import each_table
from terse.layout.sample import spread
from terse.layout.write import write
from terse.tiers.spec import Applied, Context, Draft, Example, Option, Skip, State, Tier

MAX_ENTRIES = 200
"""Entries of a legend: a longer one is no help to a reader."""
LOOK_ROWS = 200
"""Rows of a group that are looked at for repetition before all of them are."""
SMALL_CHARACTERS = 40_000
"""A result up to this long is counted whole to decide."""
MIN_TOKENS = 5
"""Values of fewer tokens get no reference."""
LEGEND_TOKENS = 6
"""What an entry costs beside its value: `*12 = ` and the line end."""
REFERENCE_TOKENS = 2
"""`*12`"""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no JSON that can be carried exactly")
    if document.legend:
        return Skip("has references already")
    min_uses = int(options["min-uses"])
    cost = context.cost
    keys = Repeats()
    closed = document
    if any(isinstance(column, (Group, Child)) for table in tables(document.root) for column in table.columns):
        closed = each_table(document, lambda table: _closed(table, cost, keys))
        if _closes(closed) == _closes(document):
            closed = document
    tries = [closed]
    if closed is not document and len(draft.text) <= SMALL_CHARACTERS:
        tries.append(document)
    ways = [way for each in tries if (way := _referred(each, min_uses, context)) is not None]
    if not ways:
        return Skip("nothing long enough repeats")
    if len(ways) > 1:
        # Whether a group is better as one cell is an estimate: where it is cheap, both are counted.
        ways.sort(key=lambda way: context.count(write(way[0])))
    made, gain = ways[0]
    entries = len(made.legend)
    note = f"{entries} value{'s' if entries > 1 else ''}"
    return Applied(Draft(State.LAYOUT, None, made, context.cost), note, gain if closed is document else 0.0)


def _closes(document: Document) -> int:
    """How many columns a document has that hold more than cells."""
    every = (column for table in tables(document.root) for column in each_column(table.columns))
    return sum(isinstance(column, (Group, Child)) for column in every)


def _referred(document: Document, min_uses: int, context: Context) -> tuple[Document, float] | None:
    """The document with references, and the tokens that they save; `None` where there are none."""
    repeats = Repeats()
    repeats.node(document.root)
    keys, gain = _worth_it(repeats, min_uses, context)
    if not keys:
        return None
    made, has_lists = referred(document, repeats, keys)
    return made, 0.0 if has_lists else gain


def _worth_it(repeats: Repeats, min_uses: int, context: Context) -> tuple[list[Key], float]:
    """The keys of the values worth an entry, inner ones before those they stand in; and what they gain."""
    gains: list[tuple[float, int, Key]] = []
    for order, (key, uses) in enumerate(repeats.uses.items()):
        if uses < min_uses:
            continue
        tokens = context.cost.word(write_value(repeats.example[key], Place.SPACES))
        shown = repeats.shown.get(key)
        saved = tokens if shown is None else context.cost.word(shown)
        if tokens < MIN_TOKENS or saved <= REFERENCE_TOKENS:
            continue
        gain = uses * (saved - REFERENCE_TOKENS) - tokens - LEGEND_TOKENS
        if gain > 0:
            gains.append((gain, order, key))
    gains.sort(key=lambda each: (-each[0], each[1]))
    kept = [(len(write_value(repeats.example[key], Place.SPACES)), order, key) for _, order, key in gains]
    # The shorter first: a value that stands in another is shorter, and has to be known before it.
    saved_by_all = sum(each[0] for each in gains[:MAX_ENTRIES])
    return [key for _, _, key in sorted(kept[:MAX_ENTRIES], key=lambda each: each[:2])], saved_by_all


def _closed(table: Table, cost: Cost, keys: Repeats) -> Table:
    """The table with groups and child tables as single cells where references will be shorter."""
    needed = {path[0] for path in _slots(table.columns)}
    columns: list[Column] = []
    for column in table.columns:
        if isinstance(column, (Group, Child)) and column.name not in needed:
            columns.append(_close(column, table.count, cost, keys))
        else:
            columns.append(column)
    made = replace(table, columns=columns)
    # INVARIANT: the header shows the separator; one that cannot means commas.
    commas = replace(made, separator=",")
    return commas if write_table_header(made) == write_table_header(commas) else made


def _slots(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for column in columns:
        if isinstance(column, Template):
            found.extend(part.path for part in column.parts if isinstance(part, Slot))
        elif isinstance(column, Group):
            found.extend(_slots(column.columns))
    return found


def _close(column: Group | Child, count: int, cost: Cost, keys: Repeats) -> Column:
    """`keys` only gives keys here: it knows a value again whatever column it is seen from."""
    shown = [column.source[row] for row in spread(count, LOOK_ROWS)]
    if len(shown) < count and len({keys.key(value) for value in shown}) * 2 > len(shown):
        return column
    uses: Counter[Key] = Counter()
    examples: dict[Key, Cell] = {}
    for value in column.source:
        if isinstance(value, (dict, list)) and value:
            key = keys.key(value)
            uses[key] += 1
            examples.setdefault(key, value)
    if len(uses) * 2 > uses.total():
        return column
    closed: float = 2 * count
    for key, times in uses.items():
        tokens = cost.plain(examples[key])
        closed += min(times * tokens, tokens + LEGEND_TOKENS + times * REFERENCE_TOKENS)
    return (
        Cells(column.name, column.source) if closed < cost.column(column, count, most=COLUMN_ROWS) else column
    )


TIER = Tier(
    name="dictionary",
    sentence="Writes a value that repeats once, in a legend at the top, and `*1` in its places.",
    reads="`*1 = value` lines at the top say what `*1` stands for wherever it is the whole of a value.",
    takes=frozenset({State.JSON, State.LAYOUT}),
    leaves=State.LAYOUT,
    run=_run,
    options=(Option("min-uses", "How often a value has to stand in the result.", 2, 2, 1000),),
    examples=(
        Example(
            '{"from":{"name":"Ann Example","mail":"ann@mail.example"},"to":{"name":"Ann Example",'
            '"mail":"ann@mail.example"},"copy":{"name":"Ann Example","mail":"ann@mail.example"}}',
            'JSON outline:\n*1 = {name="Ann Example" mail=ann@mail.example}\nfrom=*1 to=*1 copy=*1',
        ),
    ),
)
