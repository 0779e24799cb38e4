"""How a row of a CSV-like text is written short, and the line that it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from terse.folds.frame import NotFolded

SLOT = re.compile(r"\{([^{}=…\n]+)(…?)\}")
_EQUALS = " = "
BETWEEN = ", "


@dataclass(frozen=True, slots=True)
class Column:
    """A value of a row. `text`: it may hold spaces."""

    name: str
    text: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """How a row is written and what it stands for.

    Attributes:
        columns: in the order of the row.
        separators: what stands between them: one fewer.
        line: literals and, at odd places, numbers of columns.
    """

    columns: tuple[Column, ...]
    separators: tuple[str, ...]
    line: tuple[str | int, ...]

    def __str__(self) -> str:
        shown = [f"{{{column.name}{'…' if column.text else ''}}}" for column in self.columns]
        row = shown[0] + "".join(map("".join, zip(self.separators, shown[1:], strict=True)))
        line = "".join(shown[part] if isinstance(part, int) else part for part in self.line)
        return row + _EQUALS + line

    @classmethod
    def parse(cls, text: str) -> Layout:
        """The layout that `text` shows. Raises `NotFolded`."""
        row, equals, line = text.partition(_EQUALS)
        if not equals:
            raise NotFolded("no pattern of rows")
        columns: list[Column] = []
        separators: list[str] = []
        end = 0
        for slot in SLOT.finditer(row):
            between = row[end : slot.start()]
            if columns:
                separators.append(between)
            elif between:
                raise NotFolded("a row pattern that starts with no column")
            columns.append(Column(slot[1], bool(slot[2])))
            end = slot.end()
        if not columns or end != len(row) or not all(separators):
            raise NotFolded("no columns")
        places = {column: place for place, column in enumerate(columns)}
        if len({column.name for column in columns}) != len(columns):
            raise NotFolded("a column twice")
        parts: list[str | int] = []
        end = 0
        for slot in SLOT.finditer(line):
            column = Column(slot[1], bool(slot[2]))
            if column not in places:
                raise NotFolded("an unknown column")
            parts.append(line[end : slot.start()])
            parts.append(places[column])
            end = slot.end()
        parts.append(line[end:])
        layout = cls(tuple(columns), tuple(separators), tuple(parts))
        if len(set(separators)) > 1 and layout.zone is None:
            raise NotFolded("separators that cannot be told apart")
        return layout

    @property
    def zone(self) -> tuple[int, int] | None:
        """The first and the last column that may hold spaces."""
        texts = [place for place, column in enumerate(self.columns) if column.text]
        return (texts[0], texts[-1]) if texts else None

    def reader(self) -> Callable[[str], list[str] | None]:
        """A function that gives the values of a written row, or `None`."""
        wanted = len(self.columns)
        zone = self.zone
        if zone is None:
            separator = self.separators[0] if self.separators else "\n"

            def simple(row: str) -> list[str] | None:
                values = row.split(separator)
                return values if len(values) == wanted else None

            return simple
        first, last = zone
        before, after, within = first, wanted - 1 - last, last - first + 1

        def zoned(row: str) -> list[str] | None:
            head = row.split(" ", before)
            if len(head) <= before:
                return None
            tail = head.pop().rsplit(" ", after)
            if len(tail) <= after:
                return None
            middle = tail[0].split(BETWEEN) if within > 1 else [tail[0]]
            if len(middle) != within:
                return None
            return head + middle + tail[1:]

        return zoned

    def write(self, values: Sequence[str]) -> str:
        parts = [values[0]]
        for separator, value in zip(self.separators, values[1:], strict=True):
            parts.append(separator)
            parts.append(value)
        return "".join(parts)

    def fill(self, values: Sequence[str]) -> str:
        return "".join([values[part] if isinstance(part, int) else part for part in self.line])
