"""Values that stand in a document more than once, and the document with references in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import is_not
from typing import Any

from msgspec.structs import replace

from terse.layout.document import (
    Block,
    Cell,
    Cells,
    Child,
    Column,
    Document,
    Embedded,
    Group,
    Items,
    Kinds,
    Node,
    Plain,
    Ref,
    Spelled,
    Table,
)
from terse.layout.rewrite import with_columns
from terse.layout.sample import spread
from terse.payload.exact import JsonValue

Key = object
"""Stands for a value: equal keys, equal values. Strings stand for themselves, containers for a number."""

LOOK_ROWS = 200
"""Rows of a column that are looked at before all of them are."""
MIN_CHARACTERS = 12
"""Shorter strings get no reference: it would save a token or two, and cost a look back."""


_CONTAINERS = frozenset({dict, list, Embedded})


class Repeats:
    """Counts values, each container once for all its uses: what is inside a repeated one is not repeated.

    Attributes:
        uses: how often each value stands in the document.
        example: the value of a key.
        shown: what of a string stands in its cells, where that is not all of it.
    """

    def __init__(self) -> None:
        self.uses: Counter[Key] = Counter()
        self.example: dict[Key, JsonValue] = {}
        self.shown: dict[Key, str] = {}
        self._numbers: dict[object, int] = {}
        self._known: dict[int, Key] = {}
        self._alive: list[object] = []

    def key(self, value: Cell) -> Key:
        """The key of a value. Linear: a container is looked into once."""
        if isinstance(value, Embedded):
            return ("json", value.style, self.key(value.value))
        if not isinstance(value, (dict, list)):
            # A string and a number of the same text have keys of their own: they never compare equal.
            return value
        known = self._known.get(id(value))
        if known is None:
            inner = tuple(map(self.key, value.values() if isinstance(value, dict) else value))
            shape: object = (tuple(value), inner) if isinstance(value, dict) else inner
            # A one-tuple, so that no number of a container equals a value.
            known = (self._numbers.setdefault(shape, len(self._numbers)),)
            self._known[id(value)] = known
            self._alive.append(value)  # INVARIANT: an id is only good while its object lives.
        return known

    def node(self, node: Node) -> None:
        if isinstance(node, Plain):
            self.value(node.value, whole=False)
        elif isinstance(node, Block):
            for _, inner in node.entries:
                self.node(inner)
        elif isinstance(node, Items):
            for inner in node.nodes:
                self.node(inner)
        elif isinstance(node, Kinds):
            for table in node.tables:
                self.table(table)
        elif isinstance(node, Spelled):
            self.node(node.node)
        else:
            self.table(node)

    def table(self, table: Table) -> None:
        for value in table.whole.values():
            self.value(value)
        for column in table.columns:
            self.column(column)

    def column(self, column: Column) -> None:
        if isinstance(column, Cells):
            values = column.values
            kinds = set(map(type, values))
            shown: list[str] = []
            if str in kinds:
                shown = [text for row in spread(len(values), LOOK_ROWS) if type(text := values[row]) is str]
            # Strings that are all different in two hundred rows are not worth a look at the others.
            if shown and (len(values) <= LOOK_ROWS or len(set(shown)) < len(shown)):
                strings = Counter(value for value in values if type(value) is str)
                for text, times in strings.items():
                    if len(text) >= MIN_CHARACTERS:
                        self.add(text, text, times)
                        if column.prefix or column.suffix:
                            # A reference stands for the whole string, but only the cell is saved.
                            self.shown[text] = text[len(column.prefix) : len(text) - len(column.suffix)]
            if not _CONTAINERS.isdisjoint(kinds):
                for value in column.values:
                    if isinstance(value, (dict, list, Embedded)):
                        self.value(value)
        elif isinstance(column, Group):
            for value in column.whole.values():
                self.value(value)
            for inner in column.columns:
                self.column(inner)
        elif isinstance(column, Child):
            for count in column.counts:
                if not isinstance(count, int):
                    self.value(count)
            self.table(column.table)

    def add(self, key: Key, value: JsonValue, times: int = 1) -> bool:
        """Note uses of a value; whether they are its first."""
        self.uses[key] += times
        return self.example.setdefault(key, value) is value and self.uses[key] == times

    def value(self, value: Cell, whole: bool = True) -> None:
        """Note a use of a value and, if it is its first, of what is in it."""
        if type(value) is str:
            if len(value) >= MIN_CHARACTERS:
                self.add(value, value)
            return
        if isinstance(value, Embedded):
            self.value(value.value, whole=False)
            return
        if not isinstance(value, (dict, list)) or not value:
            return
        if whole and not self.add(self.key(value), value):
            return
        for inner in value.values() if isinstance(value, dict) else value:
            self.value(inner)


def referred(document: Document, repeats: Repeats, keys: Sequence[Key]) -> tuple[Document, bool]:
    """The document with `*n` for every value with one of the keys, and those values in the legend; and
    whether a list of words was among what changed: it is written with commas then.

    `keys` are in the order of the legend; where one value holds another, the inner one comes first.
    """
    numbers = {key: len(document.legend) + at for at, key in enumerate(keys, 1)}
    change = _Change(repeats, numbers)
    legend: list[Cell] = [change.inner(repeats.example[key]) for key in keys]
    made = replace(document, root=change.node(document.root), legend=[*document.legend, *legend])
    return made, change.has_lists


class _Change:
    def __init__(self, repeats: Repeats, numbers: dict[Key, int]) -> None:
        self.repeats = repeats
        self.numbers = numbers
        self.has_lists = False
        self.strings = {key: Ref(number) for key, number in numbers.items() if isinstance(key, str)}

    def value(self, value: Cell) -> Cell:
        if type(value) is str:
            return self.strings.get(value, value)
        if isinstance(value, Embedded):
            return Embedded(self.inner(value.value), value.style)  # type: ignore[arg-type]
        if not isinstance(value, (dict, list)) or not value:
            return value
        number = self.numbers.get(self.repeats.key(value))
        return Ref(number) if number is not None else self.inner(value)

    def inner(self, value: Cell) -> Cell:
        """A container with its inner values changed, but not itself; anything else as it is."""
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}  # type: ignore[misc]
        if isinstance(value, list):
            items: list[Any] = list(map(self.value, value))
            self.has_lists |= any(map(is_not, items, value))
            return items
        return value

    def cells(self, values: Sequence[Cell]) -> Sequence[Cell]:
        """Cells with references; the same cells where there is nothing to refer to."""
        kinds = set(map(type, values))
        if _CONTAINERS.isdisjoint(kinds):
            texts: Sequence[Any] = values
            if str not in kinds or self.strings.keys().isdisjoint(texts):
                return values
            if len(kinds) == 1:
                return [self.strings.get(text, text) for text in texts]
        return [
            self.value(value) if isinstance(value, (str, dict, list, Embedded)) else value for value in values
        ]

    def node(self, node: Node) -> Node:
        if isinstance(node, Plain):
            return Plain(
                self.inner(node.value) if isinstance(node.value, (dict, list)) else self.value(node.value)
            )
        if isinstance(node, Block):
            return Block([(key, self.node(inner)) for key, inner in node.entries])
        if isinstance(node, Items):
            return Items([self.node(inner) for inner in node.nodes])
        if isinstance(node, Kinds):
            return replace(node, tables=list(map(self.table, node.tables)))
        if isinstance(node, Spelled):
            return replace(node, node=self.node(node.node))
        return self.table(node)

    def table(self, table: Table) -> Table:
        whole = {row: self.value(value) for row, value in table.whole.items()}
        columns = list(map(self.column, table.columns))
        return replace(table, columns=columns, whole=whole) if whole else with_columns(table, columns)

    def column(self, column: Column) -> Column:
        if isinstance(column, Cells):
            if column.name == "#key":
                return column
            cells = self.cells(column.values)
            return column if cells is column.values else replace(column, values=cells)
        if isinstance(column, Group):
            whole = {row: self.value(value) for row, value in column.whole.items()}
            columns = list(map(self.column, column.columns))
            return replace(column, columns=columns, whole=whole) if whole else with_columns(column, columns)
        if isinstance(column, Child):
            counts = [count if isinstance(count, int) else self.value(count) for count in column.counts]
            return replace(column, counts=counts, table=self.table(column.table))
        return column
