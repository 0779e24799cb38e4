"""Walks over a Document that give back a changed one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import TypeVar

from msgspec.structs import replace

from terse.layout.document import Block, Child, Column, Document, Group, Items, Kinds, Node, Spelled, Table

Owner = TypeVar("Owner", Table, Group)


def each_table(document: Document, change: Callable[[Table], Table]) -> Document:
    """The document with every table changed, child tables before the tables they stand in."""
    return replace(document, root=_node(document.root, change))


def _node(node: Node, change: Callable[[Table], Table]) -> Node:
    if isinstance(node, Table):
        return _table(node, change)
    if isinstance(node, Block):
        return Block([(key, _node(inner, change)) for key, inner in node.entries])
    if isinstance(node, Items):
        return Items([_node(inner, change) for inner in node.nodes])
    if isinstance(node, Kinds):
        return replace(node, tables=[_table(table, change) for table in node.tables])
    if isinstance(node, Spelled):
        return replace(node, node=_node(node.node, change))
    return node


def with_columns(owner: Owner, columns: Sequence[Column]) -> Owner:
    """The table or group with these columns; the same one if they are its own.

    What is known of its cost stays known then.
    """
    if all(map(is_, columns, owner.columns)):
        return owner
    return replace(owner, columns=columns)


def _table(table: Table, change: Callable[[Table], Table]) -> Table:
    return change(with_columns(table, [_column(column, change) for column in table.columns]))


def _column(column: Column, change: Callable[[Table], Table]) -> Column:
    if isinstance(column, Group):
        return with_columns(column, [_column(inner, change) for inner in column.columns])
    if isinstance(column, Child):
        table = _table(column.table, change)
        return column if table is column.table else replace(column, table=table)
    return column


def separated(document: Document, choose: Callable[[Table], Table]) -> Document:
    """The document with a separator chosen for every table that is not a child table."""

    def change(node: Node) -> Node:
        if isinstance(node, Table):
            return choose(node)
        if isinstance(node, Block):
            return Block([(key, change(inner)) for key, inner in node.entries])
        if isinstance(node, Items):
            return Items([change(inner) for inner in node.nodes])
        if isinstance(node, Kinds):
            return replace(node, tables=list(map(choose, node.tables)))
        if isinstance(node, Spelled):
            return replace(node, node=change(node.node))
        return node

    return replace(document, root=change(document.root))
