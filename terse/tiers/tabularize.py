"""`tabularize`: lists of records as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from terse.layout.cost import Cost
from terse.layout.document import (
    ABSENT,
    Block,
    Cell,
    Cells,
    Column,
    Embedded,
    Group,
    Items,
    Node,
    Plain,
    Rows,
    Spelled,
    Table,
    tables,
)
from terse.layout.header import write_table_header
from terse.layout.sample import spread
from terse.layout.tabulate import (
    repeated_names,
    tabulate,
    tabulate_keyed,
    tabulate_kinds,
    tabulate_lists,
    tabulate_regular,
)
from terse.payload.exact import JsonValue
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

FEW_ROWS = 8
"""Up to so many records the alternative is tried too: each for itself, with tables of its own inside."""
SPARED = 12
"""So many names less are more than the title of a table costs, whatever they are."""
APART = 1.05
"""Up to this much more is paid for tables apart: each has constants and templates of its own later."""
LOOK_ROWS = 24
"""Rows of a table that are looked at for what it gains."""
MAX_TRIES = 64
"""The alternative is tried so often at most: in a tree, every level would try all levels below it."""


_CONTAINERS = frozenset({dict, list, Embedded})


def lay_out(value: Cell, cost: Cost, name: str = "") -> Node:
    """A value with tables wherever they cost less; `Plain` where there is none."""
    if cost.expired():
        return Plain(value)
    if isinstance(value, list):
        return _list(value, cost, name)
    if isinstance(value, dict):
        return _object(value, cost, name)
    if isinstance(value, Embedded):
        inner = lay_out(value.value, cost, name)
        return Plain(value) if isinstance(inner, Plain) else Spelled(inner, value.style)
    return Plain(value)


def _list(value: list[JsonValue], cost: Cost, name: str) -> Node:
    if _CONTAINERS.isdisjoint(map(type, value)):
        return Plain(value)
    best: Node | None = None
    table = tabulate_regular(value, cost.cheapest)
    if table is not None and (len(value) > FEW_ROWS or _is_sure(table)):
        # Every name is written once for each row otherwise: there is nothing to weigh.
        return table
    if len(value) > 1 and _may_be_shorter(value):
        table = tabulate(value, cost.cheapest) or tabulate_lists(value, cost.cheapest)
        if table is not None and cost.table(name, table) < cost.plain(value):
            best = table
        kinds = tabulate_kinds(value, cost.cheapest)
        if kinds is not None:
            known = cost.node(name, best) if best is not None else cost.plain(value)
            if cost.node(name, kinds) < known:
                best = kinds
        decided = len(value) > FEW_ROWS or cost.tries > MAX_TRIES
        if best is not None and decided:
            return best
    cost.tries += best is not None
    nodes = [lay_out(item, cost, "-") if type(item) in _CONTAINERS else Plain(item) for item in value]
    if all(isinstance(node, Plain) for node in nodes):
        return best or Plain(value)
    items = Items(nodes)
    if best is None or cost.node(name, items) < APART * cost.node(name, best):
        return items
    return best


def _is_sure(table: Table) -> bool:
    """Whether a table of few records is shorter for certain.

    It spares enough names, and nothing in it could be a table of its own instead.
    """
    return (table.count - 1) * len(table.columns) >= SPARED and _is_flat(table.columns)


def _is_flat(columns: Sequence[Column]) -> bool:
    for column in columns:
        if isinstance(column, Group):
            if column.whole or not _is_flat(column.columns):
                return False
        elif not isinstance(column, Cells) or not _CONTAINERS.isdisjoint(map(type, column.values)):
            return False
    return True


def _may_be_shorter(value: Sequence[Any]) -> bool:
    """Whether a table of the values could be: it writes names once, or lists without brackets."""
    objects = [item for item in value if type(item) is dict]
    if objects:
        return repeated_names(objects) > 0
    return True


def _object(value: dict[str, JsonValue], cost: Cost, name: str) -> Node:
    best: Node | None = None
    if len(value) > 2 and set(map(type, value.values())) == {dict} and _may_be_shorter([*value.values()]):
        table = tabulate_keyed(value, cost.cheapest)
        if table is not None and cost.table(name, table) < cost.plain(value):
            best = table
            if len(value) > FEW_ROWS:
                return best
    if _CONTAINERS.isdisjoint(map(type, value.values())):
        return best or Plain(value)
    entries = [
        (key, lay_out(item, cost, key) if type(item) in _CONTAINERS else Plain(item))
        for key, item in value.items()
    ]
    if all(isinstance(node, Plain) for _, node in entries):
        return best or Plain(value)
    block = Block(entries)
    if best is None or cost.node(name, block) < cost.node(name, best):
        return block
    return best


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no JSON that can be carried exactly")
    if document.legend or document.filled:
        return Skip("has references or templates already")
    before = sum(1 for _ in tables(document.root))
    cost = context.cost
    cost.tries = 0
    root = _node(document.root, cost, "")
    found = list(tables(root))
    if len(found) == before:
        return Skip("no list of records")
    gain = sum(_gain(table, cost) for table in found) if before == 0 else 0.0
    changed = replace(document, root=root)
    return Applied(Draft(State.LAYOUT, None, changed, cost), _note(found), gain)


def _gain(table: Table, cost: Cost) -> float:
    """Tokens that a table of records saves at least.

    Each name stood in each record, in quotes and beside a colon, which are two tokens. Beside the header, an
    absent cell costs one, and a cell half of one: what is left of its separator where that is no part of it.
    """
    if table.rows is not Rows.RECORDS or table.whole:
        return 0.0
    shown = spread(table.count, LOOK_ROWS)
    marks = sum(
        1
        for column in table.columns
        if isinstance(column, Cells)
        for row in shown
        if column.values[row] is ABSENT
    )
    absent = marks / max(1, len(shown))
    width = len(table.columns)
    header = cost.word(write_table_header(table))
    marks_only = table.count * (2 * width - 3 * absent) - header
    names = (table.count - 1) * header - table.count * (width / 2 + absent * (1 + header / width))
    return max(marks_only, names)


def _node(node: Node, cost: Cost, name: str) -> Node:
    if isinstance(node, Plain):
        return lay_out(node.value, cost, name)
    if isinstance(node, Block):
        return Block([(key, _node(inner, cost, key)) for key, inner in node.entries])
    if isinstance(node, Items):
        return Items([_node(inner, cost, "-") for inner in node.nodes])
    if isinstance(node, Spelled):
        return replace(node, node=_node(node.node, cost, name))
    return node


def _note(found: list[Table]) -> str:
    rows = sum(table.count for table in found)
    return f"{len(found)} table{'s' if len(found) > 1 else ''}, {rows} rows"


TIER = Tier(
    name="tabularize",
    sentence="Writes lists of records as tables: the names once, then one line for each record.",
    reads="`30 rows of id,title,user{login}`: that many lines follow, each with its cells in that order; "
    "an empty cell (or `-`) is a missing key, `items[]{sku}` holds a count of indented rows below.",
    takes=frozenset({State.JSON, State.LAYOUT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            '{"items":[{"id":1,"name":"bolt","stock":40},{"id":2,"name":"nut, hex","stock":0},'
            '{"id":3,"name":null,"stock":7},{"id":4,"name":"washer"},{"id":5,"name":"007","stock":12}],"more":false}',
            'JSON outline:\nitems: 5 rows of id name stock\n1 bolt 40\n2 "nut, hex" 0\n3 null 7\n4 washer -\n'
            "5 007 12\nmore=false",
        ),
    ),
)
