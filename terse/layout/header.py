"""The header of a table: its columns in one line, and what of them needs no cells.

`30 rows of id,user{login,type=User},tags,items[]{sku,qty},url=https://x.example/{id}`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from terse.layout.document import Cells, Child, Column, Constant, Group, Rows, Slot, Table, Template
from terse.layout.inline import (
    Place,
    Reader,
    read_atom,
    read_key,
    write_key,
    write_value,
)
from terse.layout.strict import NotLayout
from terse.layout.template import KEY_NAME, read_bare, read_quoted, write_template
from terse.payload.exact import JsonValue, next_key

# ---- writing -------------------------------------------------------------------------------------


def write_table_header(table: Table) -> str:
    """`30 rows of …`, `4 rows by key of …` or `9 lists of …`."""
    noun = "list" if table.rows is Rows.LISTS else "row"
    words = f"{table.count} {noun}" if table.count == 1 else f"{table.count} {noun}s"
    columns = table.columns
    if table.rows is Rows.KEYED:
        words += f" by key{_affix(columns[0])}"
        columns = columns[1:]
    return f"{words} of {write_columns(columns, table.separator, table.rows)}"


def has_separator(table: Table) -> bool:
    """Whether the header shows the table's separator: beside a name, its own or one in it, stands another."""
    columns = table.columns[1:] if table.rows is Rows.KEYED else table.columns
    return len(columns) > 1 or any(map(_is_wide, columns))


def _is_wide(column: Column) -> bool:
    if isinstance(column, Group):
        inner = column.columns
    elif isinstance(column, Child):
        inner = column.table.columns[1:] if column.table.rows is Rows.KEYED else column.table.columns
    else:
        return False
    return len(inner) > 1 or any(map(_is_wide, inner))


def write_columns(columns: Sequence[Column], separator: str, rows: Rows = Rows.RECORDS) -> str:
    return separator.join(_column(column, separator, rows) for column in columns)


def _column(column: Column, separator: str, rows: Rows) -> str:
    # The places of a list are named #1, #2, …; a key that looks so is quoted.
    name = column.name if rows is Rows.LISTS else write_key(column.name)
    if isinstance(column, Cells):
        kind = _affix(column) or (":text" if column.text else "")
        usual = f"?={_formula(column.usual)}" if column.usual is not None else ""
        return f"{name}{kind}{usual}"
    if isinstance(column, (Constant, Template)):
        return f"{name}={_formula(column)}"
    if isinstance(column, Group):
        return f"{name}{{{write_columns(column.columns, separator)}}}"
    inner = column.table
    if inner.rows is Rows.LISTS:
        return f"{name}[][{write_columns(inner.columns, separator, Rows.LISTS)}]"
    if inner.rows is Rows.KEYED:
        return f"{name}[key{_affix(inner.columns[0])}]{{{write_columns(inner.columns[1:], separator)}}}"
    return f"{name}[]{{{write_columns(inner.columns, separator)}}}"


_PLACE = re.compile(r"#[1-9][0-9]*")


def _formula(column: Constant | Template) -> str:
    if isinstance(column, Template):
        return write_template(column.parts)
    return write_value(column.value, Place.INSIDE)


def _affix(column: Column) -> str:
    if isinstance(column, Cells) and (column.prefix or column.suffix):
        return "=" + write_template((column.prefix, Slot(()), column.suffix))
    return ""


# ---- reading -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Spec:
    """A column as its header states it.

    Attributes:
        kind: `cells`, `constant`, `template`, `group` or `child`.
        usual: what a usual cell stands for, a constant or a template.
        inner: the columns of a group, or of a child table.
    """

    name: str
    kind: str = "cells"
    text: bool = False
    prefix: str = ""
    suffix: str = ""
    value: JsonValue = None
    parts: tuple[str | Slot, ...] = ()
    inner: TableSpec | None = None
    usual: Spec | None = None


@dataclass(slots=True)
class TableSpec:
    """A table (or group) as its header states it. `key` is the key column of a keyed table."""

    rows: Rows
    separator: str
    columns: list[Spec] = field(default_factory=list)
    key: Spec | None = None


_TITLE = re.compile(
    r"(0|[1-9][0-9]{0,8}) (row|list)(s?)"
    r'( by key(?:=(?P<affix>f"(?:[^"\\]|\\.)*"|\S+))?)? of (?=.)'
)


def read_table_header(text: str, reader: Reader) -> tuple[int, TableSpec]:
    """The count and columns that a header line states.

    Raises:
        NotLayout: it is no header.
    """
    for separator in (",", " "):
        try:
            return _HeaderReader(text, separator, reader).table()
        except NotLayout:
            if separator == " ":
                raise
    raise AssertionError("unreachable")


class _HeaderReader:
    def __init__(self, text: str, separator: str, reader: Reader) -> None:
        self.text = text
        self.separator = separator
        self.reader = reader
        self.at = 0

    def table(self) -> tuple[int, TableSpec]:
        title = _TITLE.match(self.text)
        if title is None:
            raise NotLayout("no header of a table")
        count, is_list, keyed = int(title[1]), title[2] == "list", title[4] is not None
        if (count == 1) == bool(title[3]) or (keyed and is_list):
            raise NotLayout("no header of a table")
        rows = Rows.LISTS if is_list else Rows.KEYED if keyed else Rows.RECORDS
        spec = TableSpec(rows, self.separator)
        if keyed:
            spec.key = Spec(KEY_NAME, text=True)
            if title["affix"]:
                self.at = title.start("affix")
                self.affix(spec.key)
                if self.at != title.end("affix"):
                    raise NotLayout("no affix of keys")
        self.at = title.end()
        spec.columns = self.columns("", is_list)
        if self.at != len(self.text):
            raise NotLayout("a header that goes on")
        return count, spec

    def columns(self, end: str, numbered: bool) -> list[Spec]:
        made: list[Spec] = []
        names: set[str] = set()
        times: dict[str, int] = {}
        while True:
            column = self.column(numbered)
            if numbered and column.name != f"#{len(made) + 1}":
                raise NotLayout("a column out of place")
            column.name = next_key(column.name, names, times)
            names.add(column.name)
            made.append(column)
            if not self.text.startswith(self.separator, self.at):
                break
            self.at += 1
        if end:
            self.expect(end)
        return made

    def expect(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            raise NotLayout(f"no {sign} in a header")
        self.at += len(sign)

    def column(self, numbered: bool) -> Spec:
        text = self.text
        if numbered:
            found = _PLACE.match(text, self.at)
            if found is None:
                raise NotLayout("no place number in a header of lists")
            column, self.at = Spec(found[0]), found.end()
        else:
            name, self.at = read_key(text, self.at)
            column = Spec(name)
        sign = text[self.at : self.at + 1]
        if sign == "{":
            self.at += 1
            column.kind, column.inner = "group", TableSpec(Rows.RECORDS, self.separator)
            column.inner.columns = self.columns("}", False)
        elif sign == "[":
            self.child(column)
        elif sign == "=":
            self.at += 1
            self.formula(column)
        else:
            if text.startswith(":text", self.at):
                self.at += len(":text")
                column.text = True
            if text.startswith("?=", self.at):
                self.at += 2
                column.usual = Spec(column.name)
                self.formula(column.usual)
                if column.usual.kind == "cells":
                    raise NotLayout("no usual value")
        return column

    def child(self, column: Spec) -> None:
        column.kind = "child"
        if self.text.startswith("[][", self.at):
            self.at += 3
            column.inner = TableSpec(Rows.LISTS, self.separator)
            column.inner.columns = self.columns("]", True)
        elif self.text.startswith("[]{", self.at):
            self.at += 3
            column.inner = TableSpec(Rows.RECORDS, self.separator)
            column.inner.columns = self.columns("}", False)
        elif self.text.startswith("[key", self.at):
            self.at += 4
            column.inner = TableSpec(Rows.KEYED, self.separator, key=Spec(KEY_NAME, text=True))
            if self.text.startswith("=", self.at):
                self.at += 1
                self.affix(column.inner.key)
            self.expect("]{")
            column.inner.columns = self.columns("}", False)
        else:
            raise NotLayout("no child table in a header")

    def affix(self, column: Spec | None) -> None:
        assert column is not None
        self.formula(column)
        if column.kind != "cells":
            raise NotLayout("no affix of keys")

    def formula(self, column: Spec) -> None:
        """What stands after `=`: a constant, a template, or an affix."""
        text, at = self.text, self.at
        if text.startswith('f"', at):
            parts, self.at = read_quoted(text, at)
            self.template(column, parts)
            return
        found = _RUN.match(text, at)
        run = found[0] if found else ""
        if "{" in run and run != "{}":
            self.at += len(run)
            self.template(column, read_bare(run))
            return
        column.kind = "constant"
        special = self.reader.special(text, at)
        if special is not None:
            column.value, self.at = special
            return
        column.value, self.at = read_atom(run, Place.INSIDE), at + len(run)

    def template(self, column: Spec, parts: tuple[str | Slot, ...]) -> None:
        own = [index for index, part in enumerate(parts) if part == Slot(())]
        if not own:
            if not any(isinstance(part, Slot) for part in parts):
                raise NotLayout("a template without a slot")
            column.kind, column.parts = "template", parts
            return
        if len(own) > 1 or sum(isinstance(part, Slot) for part in parts) > 1:
            raise NotLayout("an affix with more than one slot")
        column.text = True
        column.prefix = "".join(part for part in parts[: own[0]] if isinstance(part, str))
        column.suffix = "".join(part for part in parts[own[0] + 1 :] if isinstance(part, str))


# INVARIANT: outside quotes and brackets a header has spaces only where they separate names.
_RUN = re.compile(r'(?:[^\s,"\[\]{}\x00-\x1f]|\{[^{}",\s]*\})*')


def leaves(columns: Sequence[Column]) -> Iterator[Cells | Child]:
    """The columns that have cells, in the order of the cells."""
    for column in columns:
        if isinstance(column, (Cells, Child)):
            yield column
        elif isinstance(column, Group):
            yield from leaves(column.columns)
