"""`texts`: long strings with line breaks as the lines they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from terse.layout.document import (
    Block,
    Cell,
    Cells,
    Child,
    Column,
    Document,
    Group,
    Items,
    Kinds,
    Node,
    Plain,
    Spelled,
    Table,
)
from terse.layout.inline import is_text
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no layout")
    if "\\n" not in draft.text:
        return Skip("no string of several lines")
    texts = sum(map(is_text, _places(document)))
    if not texts:
        return Skip("no string of several lines")
    changed = replace(document, texts=True)
    return Applied(
        Draft(State.LAYOUT, None, changed, context.cost), f"{texts} text{'s' if texts > 1 else ''}"
    )


def _places(document: Document) -> Iterator[Cell]:
    """The values that may be written over several lines: pairs of blocks, cells, the legend."""
    yield from document.legend
    yield from _in_node(document.root)


def _in_node(node: Node) -> Iterator[Cell]:
    if isinstance(node, Plain):
        yield node.value
    elif isinstance(node, Block):
        for _, inner in node.entries:
            yield from _in_node(inner)
    elif isinstance(node, Items):
        for inner in node.nodes:
            yield from _in_node(inner)
    elif isinstance(node, Kinds):
        for table in node.tables:
            yield from _in_table(table)
    elif isinstance(node, Spelled):
        yield from _in_node(node.node)
    else:
        yield from _in_table(node)


def _in_table(table: Table) -> Iterator[Cell]:
    yield from _in_columns(table.columns)


def _in_columns(columns: Sequence[Column]) -> Iterator[Cell]:
    for column in columns:
        if isinstance(column, Cells):
            if not column.prefix and not column.suffix:
                yield from column.values
        elif isinstance(column, Group):
            yield from _in_columns(column.columns)
        elif isinstance(column, Child):
            yield from _in_table(column.table)


TIER = Tier(
    name="texts",
    sentence="Writes long strings with line breaks as the lines they are, without escapes.",
    reads="`(12 lines)` in a cell, or `body: 12 lines`: the string is the 12 lines below, as they stand.",
    takes=frozenset({State.LAYOUT}),
    leaves=None,
    run=_run,
    examples=(
        Example(
            '{"path":"notes.md","content":"# Notes\\n\\n- one\\n- two\\n- \\"three\\"\\n","size":31}',
            'JSON outline:\npath=notes.md\ncontent: 6 lines\n# Notes\n\n- one\n- two\n- "three"\n\nsize=31',
            following=("outline",),
        ),
    ),
)
