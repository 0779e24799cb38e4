"""A reader of the layout, written from docs/format.md and nothing else.

INVARIANT: nothing of `terse` is imported here. What this reader needs to know a page must say.
It is lenient where the program's own reader is strict: it reads, it does not check.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

ABSENT = object()
MARK = re.compile(r"(JSON|JSON lines|Python) outline(?: \([a-z0-9 ]+\))?:")
PROSE = re.compile(r"(\d+) lines?, then JSON(?: \([a-z0-9 ]+\))?(?:, then (\d+) lines?)?:")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity")
NAME = re.compile(r'[^\s,"\[\]{}()<>=:*#~?]+|#\d+')
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
EMBEDDED = re.compile(r"json((?:_[a-z0-9]+)*)(?=[\[{])")
SLOT = re.compile(r"\{((?:#?[\w@$-]+)(?:\.[\w@$-]+)*)?\}")
TITLE = re.compile(r"(\d+) (row|list)s?( by key(?:=(f\"(?:[^\"\\]|\\.)*\"|\S+))?)? of (.*)")
BARE_END = {
    "pair": re.compile(r"\s"),
    "inside": re.compile(r'[\s,"\[\]{}]'),
    ",": re.compile(","),
    " ": re.compile(" "),
}


class Number(str):
    """A number, as it is spelt."""


class Again(str):
    """A name that stands in its object before. It equals no other, so that an object holds all of them."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with every pair; a slot that names one of two names that are the same means the first."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        made[Again(name) if name in made else name] = value
    return made


@dataclass
class Filled:
    """A text with slots, to be filled from the record or object it stands in."""

    parts: list[Any]


@dataclass
class Slot:
    path: tuple[str, ...]


@dataclass
class Column:
    name: str
    kind: str = "cell"
    inner: Table | None = None
    value: Any = None
    prefix: str = ""
    suffix: str = ""
    is_text: bool = False
    usual: Any = ABSENT


@dataclass
class Table:
    separator: str
    columns: list[Column] = field(default_factory=list)
    kind: str = "row"
    key: Column | None = None

    def leaves(self) -> list[Column]:
        found = [self.key] if self.key else []
        for column in self.columns:
            if column.kind == "group":
                found += column.inner.leaves()
            elif column.kind in ("cell", "child"):
                found.append(column)
        return found


def read(text: str) -> Any:
    """The value that a layout stands for, numbers as `Decimal`; for JSON lines, the list of their values."""
    return plain(Reader(text).root())


def declared(text: str) -> dict[str, int]:
    """The counts that headers state, by the name before them: what a reader knows without reading a row."""
    found = re.findall(
        r'^ *("(?:[^"\\]|\\.)*"|[^\s:]+|JSON outline): (\d+) (?:rows?|lists?|items?)\b', text, re.M
    )
    return {name.strip('"'): int(count) for name, count in found}


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return Decimal(value) if isinstance(value, Number) else value


class Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.legend: list[Any] = []

    def take(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]

    def root(self) -> Any:
        first = self.take()
        prose = PROSE.fullmatch(first)
        if prose:
            self.at += int(prose[1]) + int(prose[2] or 0)
            first = self.take()
        rest = first[MARK.match(first).end() :]
        while self.at < len(self.lines) and (entry := re.match(r"\*\d+ = ", self.lines[self.at])):
            line = self.take()[entry.end() :]
            lines = re.fullmatch(r"\((\d+) lines\)", line)
            self.legend.append(self.text(int(lines[1])) if lines else self.value(line, 0, "pair")[0])
        if rest.startswith((" {", " [", " *")):
            return self.value(rest, 1, "pair")[0]
        return self.opened(rest.strip(" "), "")

    def text(self, lines: int) -> str:
        return "\n".join(self.take() for _ in range(lines))

    # ---- blocks

    def opened(self, title: str, indent: str) -> Any:
        if not title:
            return filled(as_object(self.entries(indent)))
        if spelled := re.match(r"json((?:_[a-z0-9]+)*)(?: |$)", title):
            return spell(self.opened(title[spelled.end() :], indent), spelled[1])
        if lines := re.fullmatch(r"(\d+) lines", title):
            return self.text(int(lines[1]))
        if kinds := re.fullmatch(r"\d+ rows of \d+ kinds: (.*)", title):
            rows = {name: iter(value) for name, value in self.entries(indent)}
            runs = [re.fullmatch(r"(\d*)([A-Z])", run) for run in kinds[1].split(" ")]
            return [next(rows[run[2]]) for run in runs for _ in range(int(run[1] or 1))]
        if re.fullmatch(r"\d+ items?", title):
            return [value for _, value in self.entries(indent)]
        count, table = self.header(title)
        return self.rows(table, count, "")

    def entries(self, indent: str) -> list[tuple[str, Any]]:
        found = []
        while self.at < len(self.lines) and self.lines[self.at].startswith(indent):
            line, at = self.take(), len(indent)
            while at < len(line):
                name, at = self.name(line, at)
                if line[at] == ":":
                    found.append((name, self.opened(line[at + 2 :], indent + " ")))
                    break
                value, at = self.value(line, at + 1, "pair")
                found.append((name, value))
                at += 1
        return found

    # ---- values

    def name(self, text: str, at: int) -> tuple[str, int]:
        if text[at] == '"':
            return self.quoted(text, at)
        found = NAME.match(text, at)
        return found[0], found.end()

    def quoted(self, text: str, at: int) -> tuple[str, int]:
        found = QUOTED.match(text, at)
        return json.loads(found[0], strict=False), found.end()

    def value(self, text: str, at: int, place: str) -> tuple[Any, int]:
        """The value that begins at `at`, and where it ends."""
        special = self.special(text, at)
        if special:
            return special
        found = BARE_END[place].search(text, at)
        end = found.start() if found else len(text)
        return atom(text[at:end]), end

    def special(self, text: str, at: int) -> tuple[Any, int] | None:
        if text.startswith('"', at):
            return self.quoted(text, at)
        if text.startswith('f"', at):
            return self.template(text, at)
        if text.startswith("{", at):
            pairs, at = [], at + 1
            while text[at] != "}":
                name, at = self.name(text, at)
                value, at = self.value(text, at + 1, "inside")
                pairs.append((name, value))
                at += text[at] == " "
            return filled(as_object(pairs)), at + 1
        if text.startswith("[", at):
            items, at = [], at + 1
            while text[at] != "]":
                item, at = self.value(text, at, "inside")
                items.append(item)
                at += text[at] in " ,"
            return items, at + 1
        if reference := re.compile(r"\*(\d+)").match(text, at):
            return self.legend[int(reference[1]) - 1], reference.end()
        if embedded := EMBEDDED.match(text, at):
            value, end = self.value(text, embedded.end(), "inside")
            return spell(value, embedded[1]), end
        return None

    def template(self, text: str, at: int) -> tuple[Filled, int]:
        """`f"…"`: JSON escapes, braces doubled, slots in single braces."""
        end = QUOTED.match(text, at + 1).end()
        parts: list[Any] = []
        for doubled, slot, other in re.findall(r"(\{\{|\}\})|\{([^{}]*)\}|([^{}]+)", text[at + 2 : end - 1]):
            if doubled:
                parts.append(doubled[0])
            elif other:
                parts.append(json.loads(f'"{other}"', strict=False))
            else:
                parts.append(Slot(tuple(slot.split(".")) if slot else ()))
        return Filled(parts), end

    # ---- headers

    def header(self, title: str) -> tuple[int, Table]:
        found = TITLE.fullmatch(title)
        for separator in ", ":
            table = Table(separator, kind="key" if found[3] else found[2])
            try:
                table.columns, end = self.columns(found[5], 0, separator, "")
            except (TypeError, AttributeError, IndexError):
                continue
            if end == len(found[5]):
                break
        if table.kind == "key":
            table.key = self.key(found[4] or "")
        return int(found[1]), table

    def key(self, affix: str) -> Column:
        column = Column("#key", is_text=True)
        if affix:
            self.formula(column, affix, 0)
        return column

    def columns(self, text: str, at: int, separator: str, end: str) -> tuple[list[Column], int]:
        found = []
        while True:
            column, at = self.column(text, at, separator)
            found.append(column)
            if not text.startswith(separator, at):
                return found, at + len(end)
            at += 1

    def column(self, text: str, at: int, separator: str) -> tuple[Column, int]:
        name, at = self.name(text, at)
        column = Column(name)
        if text.startswith("{", at):
            column.kind, column.inner = "group", Table(separator)
            column.inner.columns, at = self.columns(text, at + 1, separator, "}")
        elif text.startswith("[", at):
            column.kind, column.inner = "child", Table(separator)
            if text.startswith("[][", at):
                column.inner.kind = "list"
                column.inner.columns, at = self.columns(text, at + 3, separator, "]")
                return column, at
            if text.startswith("[key", at):
                column.inner.kind, column.inner.key = "key", self.key("")
                at += 4
                if text[at] == "=":
                    at = self.formula(column.inner.key, text, at + 1)
                at -= 1
            column.inner.columns, at = self.columns(text, at + 3, separator, "}")
        elif text.startswith("=", at):
            at = self.formula(column, text, at + 1)
        else:
            if text.startswith(":text", at):
                column.is_text, at = True, at + 5
            if text.startswith("?=", at):
                usual = Column(name)
                at = self.formula(usual, text, at + 2)
                column.usual = usual.value
        return column, at

    def formula(self, column: Column, text: str, at: int) -> int:
        """What stands after `=`: an affix (one slot `{}`), a template (slots with names), or a value."""
        if text.startswith('f"', at):
            made, end = self.template(text, at)
            parts = made.parts
        else:
            run = re.compile(r'(?:[^\s,"\[\]{}]|\{[^{}",\s=]*\})*').match(text, at)
            if "{" not in run[0] or run[0] == "{}":
                column.kind = "constant"
                column.value, end = self.value(text, at, "inside")
                return end
            pieces = SLOT.split(run[0])
            parts = [
                Slot(tuple(piece.split(".")) if piece else ()) if index % 2 else piece
                for index, piece in enumerate(pieces)
                if index % 2 or piece
            ]
            end = run.end()
        own = [index for index, part in enumerate(parts) if part == Slot(())]
        if own:
            column.is_text = True
            column.prefix, column.suffix = "".join(parts[: own[0]]), "".join(parts[own[0] + 1 :])
        else:
            column.kind, column.value = "template", Filled(parts)
        return end

    # ---- rows

    def rows(self, table: Table, count: int, margin: str) -> Any:
        found = []
        for _ in range(count):
            cells = self.cells(self.take()[len(margin) :], table)
            for index, cell in enumerate(cells):
                if lines := re.fullmatch(r"\((\d+) lines\)", cell):
                    cells[index] = json.dumps(self.text(int(lines[1])))
            children = {}
            for index, leaf in enumerate(table.leaves()):
                if leaf.kind == "child" and cells[index].isdigit():
                    children[index] = self.rows(leaf.inner, int(cells[index]), margin + " ")
            found.append(Row(self, table, cells, children).value())
        if table.kind == "key":
            return as_object(found)
        return [
            list(row.values()) if table.kind == "list" and isinstance(row, dict) else row for row in found
        ]

    def cells(self, line: str, table: Table) -> list[str]:
        cells, at = [], 0
        while True:
            start = at
            while line.startswith("=", at):
                at += 1
            texts = re.compile(r"\(\d+ lines\)").match(line, at)
            special = (None, texts.end()) if texts else self.special(line, at)
            end = special[1] if special else line.find(table.separator, at)
            end = len(line) if end < 0 else end
            cells.append(line[start:end])
            if end == len(line):
                return cells
            at = end + 1


class Row:
    """One row: its cells, put together as a record."""

    def __init__(self, reader: Reader, table: Table, cells: list[str], children: dict[int, Any]) -> None:
        self.reader, self.table, self.cells, self.children = reader, table, cells, children
        self.next = 0
        self.absent = "" if table.separator == "," else "-"

    def value(self) -> Any:
        key = None
        if self.table.key:
            key = self.cell(self.table.key)
        record = self.object(self.table.columns, True)
        if isinstance(record, dict):
            record = filled(record, key)
        return (key, record) if self.table.key else record

    def object(self, columns: list[Column], around: bool) -> Any:
        """An object, or the whole value in its place, or `ABSENT`."""
        level = first_level(columns)
        signs = 0
        if level:
            cell = self.cells[self.next]
            signs = len(cell) - len(cell.lstrip("="))
        if level and signs == level:
            value, _ = self.reader.value(self.cells[self.next][level:], 0, self.table.separator)
            self.next += len(Table("", columns).leaves())
            return value
        pairs, shown = [], around or not level
        for column in columns:
            if column.kind in ("constant", "template"):
                value = column.value
            elif column.kind == "group":
                value = self.object(column.inner.columns, False)
                shown = shown or (value is not ABSENT and bool(column.inner.leaves()))
            else:
                value = self.cell(column)
                shown = shown or value is not ABSENT
            if value is not ABSENT:
                pairs.append((column.name, value))
        return as_object(pairs) if shown else ABSENT

    def cell(self, column: Column) -> Any:
        at, cell = self.next, self.cells[self.next]
        self.next += 1
        if column.kind == "child":
            if cell.startswith("="):
                return (
                    self.reader.value(cell.lstrip("="), 0, self.table.separator)[0]
                    if cell[1:2] != "="
                    else ABSENT
                )
            return ABSENT if cell == self.absent else self.children[at]
        if cell.startswith("="):
            # The value of an object around this column, which is read there.
            return ABSENT
        if column.usual is not ABSENT:
            if cell == "-":
                return ABSENT
            if cell == ("" if self.table.separator == "," else "."):
                return column.usual
        elif cell == self.absent:
            return ABSENT
        if column.is_text:
            if cell == "null":
                return None
            if cell[0] == "*":
                return self.reader.value(cell, 0, self.table.separator)[0]
            text = self.reader.quoted(cell, 0)[0] if cell[0] == '"' else cell
            return f"{column.prefix}{text}{column.suffix}"
        return self.reader.value(cell, 0, self.table.separator)[0]


def first_level(columns: list[Column]) -> int:
    """How many `=` before an object's first cell say that something else stands in its place; 0: no cell."""
    for column in columns:
        if column.kind == "cell":
            return 1
        if column.kind == "child":
            return 2
        if column.kind == "group" and (inner := first_level(column.inner.columns)):
            return inner + 1
    return 0


def atom(text: str) -> Any:
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    return Number(text) if NUMBER.fullmatch(text) else text


def filled(record: dict[str, Any], key: Any = None) -> dict[str, Any]:
    """The record with its templates filled from its own values."""

    def look(path: tuple[str, ...]) -> Any:
        if path == ("#key",):
            return key
        value: Any = record
        for name in path:
            value = value[name]
        return fill(value)

    def fill(value: Any) -> Any:
        if isinstance(value, Filled):
            parts = [look(part.path) if isinstance(part, Slot) else part for part in value.parts]
            return parts[0] if len(parts) == 1 else "".join(parts)
        if isinstance(value, dict):
            return {name: fill(item) for name, item in value.items()}
        return value

    return {name: fill(value) for name, value in record.items()}


def spell(value: Any, style: str) -> str:
    """The text of JSON inside a string."""
    indent = next((int(word[-1]) for word in style.split("_") if word.startswith("indent")), None)
    separators = (", ", ": ") if "spaced" in style else (",", ": " if indent else ":")
    numbers: list[str] = []

    def marked(item: Any) -> Any:
        if isinstance(item, Number):
            numbers.append(str(item))
            return f"\x00{len(numbers) - 1}\x00"
        if isinstance(item, dict):
            return {name: marked(inner) for name, inner in item.items()}
        return [marked(inner) for inner in item] if isinstance(item, list) else item

    text = json.dumps(marked(value), indent=indent, separators=separators, ensure_ascii="ascii" in style)
    return re.sub(r'"\\u0000(\d+)\\u0000"', lambda found: numbers[int(found[1])], text)
