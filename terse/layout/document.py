"""The Document: a JSON document, and how it is to be written. Data, shared by all JSON tiers.

A Document starts as one plain value. Each tier returns a new one in which some values have become
tables, columns have become constants or templates, and repeated values references; `write` turns
the result into text, `read` turns the text back into the value. No tier changes a Document in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, StrEnum

from msgspec import Struct, field

from terse.layout.forms import JSON, Form
from terse.payload.exact import JsonValue


class Mark(Enum):
    """What a cell can be besides a JSON value."""

    ABSENT = "absent"
    """The record has no such key."""
    USUAL = "usual"
    """The column's usual value, which its header states: `draft?=false`."""


ABSENT = Mark.ABSENT
USUAL = Mark.USUAL


class Ref(Struct, frozen=True):
    """`*3`: the value stands in the legend under this number."""

    number: int


class Embedded(Struct, frozen=True):
    """A string that holds JSON: `style` says how its text was spelt, `value` is the document in it."""

    value: JsonValue
    style: str


class Slot(Struct, frozen=True):
    """A place in a template: the text of another value, by its path of names.

    In a column, the names are those of other columns of the same row; in an object, of its own values.
    """

    path: tuple[str, ...]


class Filled(Struct, frozen=True):
    """A string in an object that follows from the object's other values: `forks=f"{url}/forks"`."""

    parts: tuple[str | Slot, ...]


Cell = JsonValue | Mark | Ref | Embedded | Filled
"""Containers may hold `Ref`, `Embedded` and `Filled` at any depth: only the tiers and the writer see them."""


Count = int | Cell
"""The cell of a child column: how many child rows, or the value where it is no list of records."""


# ---- columns -------------------------------------------------------------------------------------


class Cells(Struct, frozen=True):
    """A column with one cell a row.

    Attributes:
        values: what the record holds under this name, whole.
        text: every value is a string or null, and numbers need no quotes: `zip:text`.
        prefix, suffix: what every string of the column begins and ends with: `id=tenant-{}`. The
            cells hold the rest. Such a column is a text column.
        usual: the value of the cells that are `USUAL`.
    """

    name: str
    values: Sequence[Cell]
    text: bool = False
    prefix: str = ""
    suffix: str = ""
    usual: Constant | Template | None = None


class Constant(Struct, frozen=True):
    """A column without cells: the same value in every record (of the group it stands in)."""

    name: str
    value: JsonValue


class Template(Struct, frozen=True):
    """A column without cells whose string follows from others: `forks_url={url}/forks`.

    A template that is one slot and nothing else copies the value whatever its type.
    """

    name: str
    parts: tuple[str | Slot, ...]


class Group(Struct, frozen=True):
    """Nested objects: `user{login,id}`. Where every cell of the group is absent, so is the object.

    Attributes:
        whole: by row, the values that are no object of this shape: null, another type, `{}`.
        source: the column's values, as they would stand in cells of their own.
    """

    name: str
    columns: Sequence[Column]
    whole: Mapping[int, Cell]
    source: Sequence[Cell]


class Child(Struct, frozen=True):
    """Lists of records inside records: `items[]{sku,qty}`. The cell holds how many there are.

    Attributes:
        counts: by row, the number of child rows, or the value where it is no such list, or `ABSENT`.
        table: the child rows of all rows, one after another, under one header.
        source: the column's values, as they would stand in cells of their own.
    """

    name: str
    counts: Sequence[Count]
    table: Table
    source: Sequence[Cell]


Column = Cells | Constant | Template | Group | Child


# ---- nodes ---------------------------------------------------------------------------------------


class Rows(StrEnum):
    """What a row of a table stands for."""

    RECORDS = "rows"
    """An object; the header names its keys."""
    KEYED = "keyed"
    """A key and its object: the first cell of a row is the key in the object that holds them all."""
    LISTS = "lists"
    """A list of fixed length; the header numbers its places."""


class Table(Struct, frozen=True):
    """Rows under one header.

    Attributes:
        columns: in an order of which every record's keys are a subsequence. A `KEYED` table's first
            column holds the keys.
        whole: by row, the values that are no record of this shape.
        separator: what stands between names and between cells, a comma or a space. A child table has
            that of the table around it, whatever it says here.
    """

    rows: Rows
    count: int
    columns: Sequence[Column]
    whole: Mapping[int, Cell] = field(default_factory=dict)
    separator: str = ","


class Block(Struct, frozen=True):
    """An object opened over several lines, because something in it is."""

    entries: Sequence[tuple[str, Node]]


class Items(Struct, frozen=True):
    """A list opened over several lines, because something in it is."""

    nodes: Sequence[Node]


class Plain(Struct, frozen=True):
    """A value written on the spot."""

    value: Cell


class Kinds(Struct, frozen=True):
    """A list of records of several kinds: a table for each kind, and whose row comes when.

    Attributes:
        order: for every record of the list, the number of its table; each table's rows are in order.
    """

    tables: Sequence[Table]
    order: Sequence[int]


class Spelled(Struct, frozen=True):
    """A string that holds JSON, laid out: `result: json 30 rows of …`. `style`: see `Embedded`."""

    node: Node
    style: str


Node = Plain | Block | Items | Table | Kinds | Spelled


class Document(Struct, frozen=True):
    """A JSON document and the way it is written.

    Attributes:
        root: what is written.
        legend: the values that `*1`, `*2`, … stand for.
        form: what kind of text the document stands for.
        filled: some values are `Filled`: no more tables can be made of the objects that hold them.
        embedded: some values are `Embedded`, so that mere JSON cannot say them.
        texts: long strings with line breaks are written as the lines they are, see `inline.is_text`.
    """

    root: Node
    legend: Sequence[Cell] = ()
    form: Form = JSON
    texts: bool = False
    embedded: bool = False
    filled: bool = False

    @classmethod
    def of(cls, value: JsonValue) -> Document:
        """The document before any tier: one plain value."""
        return cls(Plain(value))

    @property
    def is_plain(self) -> bool:
        """Whether it would be written as mere JSON."""
        if self.legend or self.embedded or self.filled:
            return False
        return isinstance(self.root, Plain) and self.form is JSON


def each_column(columns: Sequence[Column]) -> Iterator[Column]:
    """Every column, those inside groups and of child tables too."""
    for column in columns:
        yield column
        if isinstance(column, Group):
            yield from each_column(column.columns)
        elif isinstance(column, Child):
            yield from each_column(column.table.columns)


def tables(node: Node) -> Iterator[Table]:
    """Every table that stands in a node by itself (child tables stand in columns)."""
    if isinstance(node, Table):
        yield node
    elif isinstance(node, Block):
        for _, inner in node.entries:
            yield from tables(inner)
    elif isinstance(node, Items):
        for inner in node.nodes:
            yield from tables(inner)
    elif isinstance(node, Kinds):
        yield from node.tables
    elif isinstance(node, Spelled):
        yield from tables(node.node)


def cells(table: Table) -> int:
    """How many cells a table and its child tables have, but for those of columns with a usual value."""
    return _cells(table.columns, table.count)


def _cells(columns: Sequence[Column], count: int) -> int:
    number = 0
    for column in columns:
        if isinstance(column, Cells):
            number += count if column.usual is None else 0
        elif isinstance(column, Group):
            number += _cells(column.columns, count)
        elif isinstance(column, Child):
            number += count + cells(column.table)
    return number
