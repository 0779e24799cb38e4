"""A Document as text: the layout of `docs/format.md`, or plain JSON where nothing is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from terse.layout.document import (
    ABSENT,
    Block,
    Cell,
    Cells,
    Child,
    Column,
    Count,
    Document,
    Group,
    Items,
    Kinds,
    Node,
    Plain,
    Rows,
    Spelled,
    Table,
)
from terse.layout.header import write_table_header
from terse.layout.inline import Place, is_text, write_cells, write_key, write_texts, write_value
from terse.layout.parts import parts
from terse.payload.exact import dump

LETTERS = "ABCDEFGH"
"""The names of kinds; there are no more kinds in a list."""

ABSENT_WORD = {",": "", " ": "-"}
USUAL_WORD = {",": "", " ": "."}
ABSENT_BESIDE_USUAL = "-"
"""How an absent cell is written in a column with a usual value."""
PLACE = {",": Place.COMMAS, " ": Place.SPACES}
WIDTH = 200
"""Pairs of a block share lines up to about this many characters."""


def write(document: Document) -> str:
    """The document's text."""
    if document.is_plain:
        assert isinstance(document.root, Plain)
        return dump(document.root.value)  # type: ignore[arg-type]
    writer = _Writer(document.texts)
    legend = [f"*{number} = {writer.entry(value)}" for number, value in enumerate(document.legend, 1)]
    lines = writer.named(document.form.mark, document.root, "", True)
    lines[1:1] = legend
    lines[:0] = document.form.before
    return "\n".join(lines)


def write_kinds(node: Kinds) -> str:
    """`11 rows of 2 kinds: 2B A B 7A`: the title of a list of records of several kinds."""
    runs = []
    for kind, run in groupby(node.order):
        times = len(list(run))
        runs.append(f"{times if times > 1 else ''}{LETTERS[kind]}")
    return f"{len(node.order)} rows of {len(node.tables)} kinds: {' '.join(runs)}"


def write_column(column: Cells, separator: str) -> list[str]:
    """The cells of a column as they stand in the rows of a table."""
    return _Writer().cells(column, PLACE[separator], separator)


def write_pair(name: str, value: Cell) -> str:
    """`name=value`: what a plain value adds to a block."""
    return f"{write_key(name)}={write_value(value, Place.SPACES)}"


def announcement(text: str) -> str:
    """`(12 lines)`: the cell of a text whose lines follow."""
    return f"({text.count(_END) + 1} lines)"


_END = "\n"


class _Writer:
    """Writes nodes. `texts`: long strings as the lines they are."""

    def __init__(self, texts: bool = False) -> None:
        self.texts = texts

    def entry(self, value: Cell) -> str:
        """A value of the legend."""
        if self.texts and isinstance(value, str) and is_text(value):
            return f"{announcement(value)}\n{value}"
        return self.value(value)

    def value(self, value: Cell) -> str:
        return write_value(value, Place.SPACES)

    def named(self, name: str, node: Node, indent: str, is_root: bool = False) -> list[str]:
        """`name: …`, and the lines that belong to it. The root is named by the mark of its form."""
        if isinstance(node, Spelled):
            # The same lines, with the word between the colon and what follows it.
            first, *rest = self.named(name, node.node, indent, is_root)
            start = len(indent) + len(name) + 1
            return [f"{first[:start]} json{node.style}{first[start:]}", *rest]
        if isinstance(node, Kinds):
            lines = [f"{indent}{name}: {write_kinds(node)}"]
            for letter, table in zip(LETTERS, node.tables, strict=False):
                lines.extend(self.named(letter, table, "" if is_root else indent + " "))
            return lines
        if isinstance(node, Table):
            lines = [f"{indent}{name}: {write_table_header(node)}"]
            for part in parts(node):
                # Of a large table some rows at a time: its cells as text take more memory than its lines.
                lines += self.rows(part, node.separator, 0)
            return lines
        if isinstance(node, Block):
            return [f"{indent}{name}:", *self.block(node, "" if is_root else indent + " ")]
        if isinstance(node, Items):
            inner = "" if is_root else indent + " "
            title = f"{indent}{name}: {len(node.nodes)} item{'' if len(node.nodes) == 1 else 's'}"
            return [title, *self.entries([("-", item) for item in node.nodes], inner)]
        if self.texts and is_text(node.value):
            assert isinstance(node.value, str)
            return [f"{indent}{name}: {node.value.count(_END) + 1} lines", node.value]
        if is_root:
            if isinstance(node.value, dict) and node.value:
                pairs: list[tuple[str, Node]] = [(key, Plain(item)) for key, item in node.value.items()]
                return self.named(name, Block(pairs), indent, True)
            return [f"{indent}{name}: {self.value(node.value)}"]
        return [f"{indent}{name}={self.value(node.value)}"]

    def block(self, block: Block, indent: str) -> list[str]:
        return self.entries([(write_key(key), node) for key, node in block.entries], indent)

    def entries(self, entries: Sequence[tuple[str, Node]], indent: str) -> list[str]:
        lines: list[str] = []
        pairs: list[str] = []
        width = 0
        for name, node in entries:
            if not isinstance(node, Plain) or (self.texts and is_text(node.value)):
                if pairs:
                    lines.append(indent + " ".join(pairs))
                    pairs, width = [], 0
                lines.extend(self.named(name, node, indent))
                continue
            pair = f"{name}={self.value(node.value)}"
            if pairs and width + len(pair) > WIDTH:
                lines.append(indent + " ".join(pairs))
                pairs, width = [], 0
            pairs.append(pair)
            width += len(pair) + 1
        if pairs:
            lines.append(indent + " ".join(pairs))
        return lines

    def rows(self, table: Table, separator: str, depth: int) -> list[str]:
        """One text a row: its line, indented by `depth`, and below it the lines of its child rows."""
        columns: list[list[str]] = []
        children: list[tuple[Child, list[str]]] = []
        below: dict[int, list[str]] = {}
        first = 1 if table.rows is Rows.KEYED else 0
        # A keyed table's first cell is the key, which stands outside the record.
        self.columns(table.columns[:first], [], separator, depth, columns, children, below)
        self.columns(table.columns[first:], [table.whole], separator, depth, columns, children, below)
        lines = list(map(separator.join, zip(*columns, strict=True)))
        if depth:
            margin = " " * depth
            lines = [margin + line for line in lines]
        for row, texts in below.items():
            lines[row] = "\n".join([lines[row], *texts])
        for child, blocks in children:
            at = 0
            for row, count in enumerate(child.counts):
                if type(count) is int and count:
                    lines[row] = "\n".join([lines[row], *blocks[at : at + count]])
                    at += count
        return lines

    def columns(
        self,
        columns: Sequence[Column],
        wholes: list[Mapping[int, Cell]],
        separator: str,
        depth: int,
        out: list[list[str]],
        children: list[tuple[Child, list[str]]],
        below: dict[int, list[str]],
    ) -> None:
        """Append the cells of every leaf to `out`, and to `below` by row the texts that they announce.

        wholes: of the groups that begin here, outer first.
        """
        place, absent = PLACE[separator], ABSENT_WORD[separator]
        for column in columns:
            if isinstance(column, Group):
                before = len(out)
                self.columns(column.columns, [*wholes, column.whole], separator, depth, out, children, below)
                if len(out) > before:
                    wholes = []
                continue
            if isinstance(column, Cells):
                cells = self.cells(column, place, separator)
                if self.texts and not column.prefix and not column.suffix:
                    for row, value in enumerate(column.values):
                        if is_text(value):
                            cells[row] = announcement(value)  # type: ignore[arg-type]
                            below.setdefault(row, []).append(value)  # type: ignore[arg-type]
            elif isinstance(column, Child):
                cells = [self.count(count, place, absent) for count in column.counts]
                children.append((column, self.rows(column.table, separator, depth + 1)))
            else:
                continue
            # In a child column one = is taken: a value that is no list of records stands behind it.
            for level, whole in enumerate(reversed(wholes), 2 if isinstance(column, Child) else 1):
                for row, value in whole.items():
                    cells[row] = "=" * level + write_value(value, place)
            wholes = []
            out.append(cells)

    def count(self, count: Count, place: Place, absent: str) -> str:
        if count is ABSENT:
            return absent
        # A boolean is a value; no list has so many rows.
        return str(count) if type(count) is int else f"={write_value(count, place)}"  # type: ignore[arg-type]

    def cells(self, column: Cells, place: Place, separator: str) -> list[str]:
        absent = ABSENT_WORD[separator] if column.usual is None else ABSENT_BESIDE_USUAL
        usual = USUAL_WORD[separator]
        if not column.text:
            return write_cells(column.values, place, absent, usual)
        start, end = len(column.prefix), len(column.suffix)
        if not start and not end:
            return write_texts(column.values, place, absent, usual)
        return write_texts(
            [value[start : len(value) - end] if isinstance(value, str) else value for value in column.values],
            place,
            absent,
            usual,
        )
