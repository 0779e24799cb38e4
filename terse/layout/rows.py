"""The rows of a table, read column by column and put together as records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from json.encoder import encode_basestring
from typing import Any

from terse.layout.document import ABSENT, USUAL, Cell, Rows, Slot
from terse.layout.header import Spec, TableSpec
from terse.layout.inline import (
    Reader,
    announcement,
    are_bare_texts,
    column_of_bare,
    column_of_numbers,
    read_atom,
    read_text,
    text_lines,
)
from terse.layout.strict import NotLayout
from terse.layout.template import KEY_NAME, quote, read_string
from terse.layout.write import ABSENT_BESIDE_USUAL, ABSENT_WORD, PLACE, USUAL_WORD
from terse.payload.exact import JsonValue, Number, Verbatim, as_object, dump

ROWS_AT_ONCE = 2_000
"""Rows of a long table that are read and written as JSON before the next."""


class Lines:
    """The lines of a text, taken one after another."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def peek(self) -> str | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    @property
    def left(self) -> int:
        """How many lines there still are."""
        return len(self._lines) - self._at

    def take(self) -> str:
        if self._at >= len(self._lines):
            raise NotLayout("fewer lines than announced")
        self._at += 1
        return self._lines[self._at - 1]

    def take_many(self, count: int) -> list[str]:
        if self._at + count > len(self._lines):
            raise NotLayout("fewer lines than announced")
        self._at += count
        return self._lines[self._at - count : self._at]

    def put_back(self, count: int) -> None:
        """The lines taken last are to be taken again."""
        self._at -= count


_OTHER_CELLS = "a row with more or fewer cells than the header"
_MARKED = re.compile(r"[\"\[{]|json| lines\)")
"""Signs of a cell in which a separator may stand, or of lines that belong to it."""


class TableReader:
    """Reads a table. One reader serves all child rows of a column: they stand under one header."""

    def __init__(self, lines: Lines, values: Reader, spec: TableSpec) -> None:
        self.lines = lines
        self.values = values
        self.spec = spec
        self.separator = spec.separator
        self.columns = spec.columns if spec.key is None else [spec.key, *spec.columns]
        self.leaves = list(_leaves(self.columns))
        self.children = {
            at: TableReader(lines, values, leaf.inner)
            for at, leaf in enumerate(self.leaves)
            if leaf.kind == "child" and leaf.inner is not None
        }
        self.rows: list[list[str]] = []
        # The usual line has no quote and no bracket at the start of a cell, and can just be split.
        sep = re.escape(spec.separator)
        self.has_bracket = re.compile(rf"(?:^|{sep})=*(?:[\[{{]|json|\([0-9]+ lines\))").search
        self.quoted_cells = re.compile(rf'(=*"(?:[^"\\]|\\.)*"|[^{sep}]*){sep}').findall
        if not self.leaves:
            raise NotLayout("a table without cells")

    def read(self, count: int) -> JsonValue:
        """The value of a table of so many rows: a list of records or of lists, or a keyed object."""
        self.read_rows(count, "")
        return self.spans([count])[0]

    def read_verbatim(self, count: int) -> JsonValue:
        """As `read`, but a list as its JSON text, some rows at a time: never whole in memory."""
        if self.spec.key is not None or not count:
            return self.read(count)
        pieces: list[str] = []
        for start in range(0, count, ROWS_AT_ONCE):
            part = min(ROWS_AT_ONCE, count - start)
            self.read_rows(part, "")
            records = self.records()
            rows = spelled(records)
            pieces.append(dump(records.values())[1:-1] if rows is None else ",".join(rows))
        # Put together without a copy more than it takes.
        pieces[0] = f"[{pieces[0]}"
        pieces[-1] += "]"
        joined = ",".join(pieces)
        del pieces
        return Verbatim(joined)

    # ---- lines -----------------------------------------------------------------------------------

    def read_rows(self, count: int, margin: str) -> None:
        if not margin and not self.children:
            lines = self.lines.take_many(count)
            if _MARKED.search("\n".join(lines)) is None:
                # Nothing but cells and separators: no line has to be looked at for itself.
                rows = [line.split(self.separator) for line in lines]
                if set(map(len, rows)) - {len(self.leaves)}:
                    raise NotLayout(_OTHER_CELLS)
                self.rows += rows
                return
            self.lines.put_back(count)
        for _ in range(count):
            line = self.lines.take()
            cells = self.cells(line, margin)
            if " lines)" in line:
                cells = list(map(self.with_text, cells))
            self.rows.append(cells)
            for at, child in self.children.items():
                number = child_count(cells[at])
                if number:
                    child.read_rows(number, margin + " ")

    def with_text(self, cell: str) -> str:
        """The cell, or the text below it that it announces, quoted as it could have stood in the cell."""
        lines = text_lines(cell)
        return cell if lines is None else quote("\n".join(self.lines.take_many(lines)))

    def cells(self, line: str, margin: str) -> list[str]:
        if margin:
            if not line.startswith(margin):
                raise NotLayout("a child row that is not indented")
            line = line[len(margin) :]
        if ("[" in line or "{" in line or "json" in line or " lines)" in line) and self.has_bracket(line):
            cells = self.split(line)
        elif '"' in line:
            # INVARIANT: a cell that begins with a quote and is no whole string is refused when it is decoded.
            cells = self.quoted_cells(line + self.separator)
        else:
            cells = line.split(self.separator)
        if len(cells) != len(self.leaves):
            raise NotLayout(_OTHER_CELLS)
        return cells

    def split(self, line: str) -> list[str]:
        """The cells of a line in which a quote or bracket begins a cell: that one is read whole."""
        cells: list[str] = []
        at, separator = 0, self.separator
        while True:
            start = at
            while line.startswith("=", at):
                at += 1
            special = self.values.special(line, at) or announcement(line, at)
            end = line.find(separator, at) if special is None else special[1]
            if end < 0:
                end = len(line)
            cells.append(line[start:end])
            if end == len(line):
                return cells
            if line[end] != separator:
                raise NotLayout("text after a cell")
            at = end + 1

    # ---- values ----------------------------------------------------------------------------------

    def spans(self, counts: Sequence[int]) -> list[JsonValue]:
        """The rows read, cut into one value (list, or keyed object) for each count."""
        records = self.records()
        values = records.values()
        made: list[JsonValue] = []
        at = 0
        for number in counts:
            part = values[at : at + number]
            made.append(part if self.spec.key is None else _keyed(records.keys[at : at + number], part))
            at += number
        return made

    def records(self) -> _Records:
        """The rows read, column by column."""
        count = len(self.rows)
        raw = list(zip(*self.rows, strict=True)) if count else [()] * len(self.leaves)
        self.rows = []
        return _Records(self, raw, count)


def child_count(cell: str) -> int | None:
    """How many child rows a cell announces; `None` where it holds something else."""
    return int(cell) if _COUNT.fullmatch(cell) else None


_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")


def _leaves(columns: Sequence[Spec]) -> Iterator[Spec]:
    for column in columns:
        if column.kind == "group":
            assert column.inner is not None
            yield from _leaves(column.inner.columns)
        elif column.kind in ("cells", "child"):
            yield column


def _keyed(keys: list[Cell], values: list[JsonValue]) -> JsonValue:
    if not all(isinstance(key, str) for key in keys):
        raise NotLayout("no key in a row of an object")
    return as_object(list(zip(keys, values, strict=True)))  # type: ignore[arg-type]


@dataclass(slots=True)
class _Part:
    """A column of a group under assembly.

    Attributes:
        cells: by row; those of a template are made once those it follows from are known.
        gaps: some cells may be `ABSENT`.
        template: also where only the `USUAL` cells follow from others.
        is_leaf: its cells stood in the rows, and show that the group is there.
        is_constant: all cells are the same.
    """

    cells: list[Cell]
    gaps: bool = False
    is_leaf: bool = False
    is_constant: bool = False
    template: tuple[str | Slot, ...] = ()
    group: _Group | None = None


@dataclass(slots=True)
class _Group:
    """An object column under assembly. `whole`: by row, what stands there instead of an object."""

    parts: dict[str, _Part] = field(default_factory=dict)
    whole: dict[int, JsonValue] = field(default_factory=dict)
    present: list[bool] = field(default_factory=list)


class _Records:
    """Puts the records of a table together from the cells of its leaves."""

    def __init__(self, table: TableReader, raw: Sequence[Sequence[str]], count: int) -> None:
        self.table = table
        self.count = count
        self.place = PLACE[table.separator]
        self.absent = ABSENT_WORD[table.separator]
        self.raw = iter(enumerate(raw))
        self.keys: list[Cell] = []
        if table.spec.key is not None:
            self.keys = self.leaf(table.spec.key, []).cells
        self.root = _Group()
        self.fill(self.root, table.spec.columns, [self.root.whole])
        self.following: set[int] = set()
        self.followed: set[int] = set()
        self.find_presence(self.root)
        self.root.present = [True] * self.count
        for row in self.root.whole:
            self.root.present[row] = False

    def fill(self, group: _Group, columns: Sequence[Spec], wholes: list[dict[int, JsonValue]]) -> None:
        """Decode the cells of a group. `wholes`: those of the groups that begin here, outer first."""
        for column in columns:
            if column.kind == "constant":
                part = _Part([column.value] * self.count, is_constant=True)
            elif column.kind == "template":
                part = _Part([], template=column.parts)
            elif column.kind == "group":
                assert column.inner is not None
                inner = _Group()
                pending = [*wholes, inner.whole]
                self.fill(inner, column.inner.columns, pending)
                has_leaves = next(_leaves(column.inner.columns), None) is not None
                if has_leaves:
                    wholes = []
                part = _Part([], is_leaf=has_leaves, group=inner)
            else:
                part = self.leaf(column, wholes)
                wholes = []
            group.parts[column.name] = part

    def leaf(self, column: Spec, wholes: list[dict[int, JsonValue]]) -> _Part:
        at, raw = next(self.raw)
        own: dict[int, JsonValue] = {}
        absent = self.absent if column.usual is None else ABSENT_BESIDE_USUAL
        levels = [own, *reversed(wholes)] if column.kind == "child" else list(reversed(wholes))
        joined = "\n".join(raw)
        if joined.startswith("=") or "\n=" in joined:
            raw = list(raw)
            for row, cell in enumerate(raw):
                if cell.startswith("="):
                    level = len(cell) - len(cell.lstrip("="))
                    if level > len(levels):
                        raise NotLayout("a whole value where no group begins")
                    levels[level - 1][row] = self.whole(cell[level:])
                    raw[row] = absent
        gaps = absent in raw
        if column.kind == "child":
            cells = self.child(self.table.children[at], raw, own)
        else:
            # The marks are read first: in some columns an empty cell is one thing, in some the other.
            marks: dict[str, Cell] = {absent: ABSENT}
            template: tuple[str | Slot, ...] = ()
            if column.usual is not None:
                template = column.usual.parts
                marks[USUAL_WORD[self.table.separator]] = USUAL if template else column.usual.value
            if column.text:
                cells = self.texts(raw, joined, column, marks)
            else:
                cells = self.decoded(raw, joined, marks)
            return _Part(cells, gaps, is_leaf=True, template=template)
        return _Part(cells, gaps, is_leaf=True)

    def whole(self, text: str) -> JsonValue:
        special = self.table.values.special(text, 0)
        if special is None:
            return read_atom(text, self.place)
        value, end = special
        if end != len(text):
            raise NotLayout("text after a value")
        return value

    def child(self, child: TableReader, raw: Sequence[str], own: dict[int, JsonValue]) -> list[Cell]:
        counts = [child_count(cell) for cell in raw]
        if any(count is None and cell != self.absent for count, cell in zip(counts, raw, strict=True)):
            raise NotLayout("no count of child rows")
        spans = iter(child.spans([count for count in counts if count is not None]))
        cells: list[Cell] = [ABSENT if count is None else next(spans) for count in counts]
        for row, value in own.items():
            cells[row] = value
        return cells

    def decoded(self, raw: Sequence[str], joined: str, marks: dict[str, Cell]) -> list[Cell]:
        bulk = column_of_numbers(raw, joined) or column_of_bare(raw, joined, self.place)
        if bulk is not None:
            return bulk
        known = dict(marks)
        for cell in dict.fromkeys(raw):
            if cell in known:
                continue
            if cell[:1] == '"':
                text, end = read_string(cell, 0)
                if end != len(cell):
                    raise NotLayout("text after a cell")
                known[cell] = text
            else:
                known[cell] = self.whole(cell)
        return list(map(known.__getitem__, raw))

    def texts(self, raw: Sequence[str], joined: str, column: Spec, marks: dict[str, Cell]) -> list[Cell]:
        if are_bare_texts(joined, self.place):
            if not column.prefix and not column.suffix:
                return list(raw)
            return [f"{column.prefix}{cell}{column.suffix}" for cell in raw]
        cells: list[Cell] = []
        for cell in raw:
            value: Cell
            if cell in marks:
                cells.append(marks[cell])
                continue
            if not cell:
                raise NotLayout("an empty cell where it means nothing")
            sign = cell[0]
            if sign == '"' or sign == "*":
                value = self.whole(cell)
                if not isinstance(value, str) or isinstance(value, Number):
                    raise NotLayout("no text in a text column")
            else:
                value = read_text(cell, self.place)
            # A reference stands for the whole string, affixes and all.
            whole = value is None or sign == "*"
            cells.append(value if whole else f"{column.prefix}{value}{column.suffix}")
        return cells

    # ---- putting together ------------------------------------------------------------------------

    def values(self) -> list[JsonValue]:
        """The records in order; for a table of lists, the lists."""
        root = self.root
        self.settle(root)
        rows = self.assemble(root)
        if self.table.spec.rows is Rows.LISTS:
            rows = [
                list(value.values()) if row not in root.whole and isinstance(value, dict) else value
                for row, value in enumerate(rows)
            ]
        return rows  # type: ignore[return-value]

    def find_presence(self, group: _Group) -> None:
        """Find out in which rows a group stands: where any cell of it does."""
        shown: list[list[bool]] = []
        everywhere = False
        for part in group.parts.values():
            if part.group is not None:
                self.find_presence(part.group)
                if part.is_leaf:
                    inner = part.group
                    shown.append([here or row in inner.whole for row, here in enumerate(inner.present)])
            elif part.is_leaf:
                everywhere = everywhere or not part.gaps
                shown.append([cell is not ABSENT for cell in part.cells] if part.gaps else [])
        # A group without a cell of its own is there whenever the object around it is.
        if everywhere or not shown:
            group.present = [True] * self.count
        else:
            group.present = list(map(any, zip(*shown, strict=True)))
        for row in group.whole:
            if shown and group.present[row]:
                raise NotLayout("a whole value, and cells beside it")
            group.present[row] = False

    def settle(self, group: _Group) -> None:
        """Make the cells of templates, then those of inner groups."""
        for part in group.parts.values():
            if part.template:
                self.follow(group, part)
        for part in group.parts.values():
            if part.group is not None:
                self.settle(part.group)
                part.cells = self.assemble(part.group)
                part.gaps = part.is_leaf

    def follow(self, group: _Group, part: _Part) -> None:
        """Make the cells of a template from the columns it names."""
        if id(part) in self.followed:
            return
        if id(part) in self.following:
            raise NotLayout("a template that follows from itself")
        self.following.add(id(part))
        columns = [self.slot(piece.path) if isinstance(piece, Slot) else piece for piece in part.template]
        self.followed.add(id(part))
        if not part.is_leaf:
            part.cells = [USUAL if here else ABSENT for here in group.present]
        if len(columns) > 1 and not part.is_leaf and all(group.present):
            try:
                pieces = (repeat(piece) if isinstance(piece, str) else piece for piece in columns)
                rows = zip(*pieces, strict=False)  # a repeated piece has no end
                part.cells = list(map("".join, rows))
            except TypeError:
                raise NotLayout("a template with a slot that is no text") from None
            return
        for row, cell in enumerate(part.cells):
            if cell is not USUAL:
                continue
            values = [column if isinstance(column, str) else column[row] for column in columns]
            if len(values) == 1:
                if values[0] is ABSENT:
                    raise NotLayout("a template with an absent slot")
                part.cells[row] = values[0]
            elif all(isinstance(value, str) for value in values):
                part.cells[row] = "".join(values)  # type: ignore[arg-type]
            else:
                raise NotLayout("a template with a slot that is no text")

    def slot(self, path: tuple[str, ...]) -> list[Cell]:
        if path == (KEY_NAME,):
            return self.keys
        owner: _Group | None = None
        group: _Group | None = self.root
        part: _Part | None = None
        for name in path:
            part = group.parts.get(name) if group is not None else None
            if part is None:
                raise NotLayout("a slot that names no column")
            owner, group = group, part.group
        if part is None or owner is None or part.group is not None:
            raise NotLayout("a slot that names no column")
        if part.template:
            self.follow(owner, part)
        return part.cells

    def assemble(self, group: _Group) -> list[Cell]:
        """One object a row, or what stands there instead."""
        names = list(group.parts)
        rows = zip(*(part.cells for part in group.parts.values()), strict=True)
        if all(group.present) and not any(part.gaps for part in group.parts.values()):
            return [dict(zip(names, cells, strict=True)) for cells in rows]
        return [
            {name: cell for name, cell in zip(names, cells, strict=True) if cell is not ABSENT}
            if here
            else group.whole.get(row, ABSENT)
            for row, (here, cells) in enumerate(zip(group.present, rows, strict=True))
        ]


# ---- as JSON text --------------------------------------------------------------------------------


def spelled(records: _Records) -> list[str] | None:
    """Each record as JSON text, where all are objects of one shape; else `None`.

    The same text as `dump` writes of the records, which need not be put together for it.
    """
    if records.table.spec.rows is not Rows.RECORDS or not _is_regular(records.root):
        return None
    columns: list[list[str]] = []
    form = _form(records, records.root, columns)
    return list(map(form.__mod__, zip(*columns, strict=True)))


def _is_regular(group: _Group) -> bool:
    """Whether every row has the object, with all its keys."""
    return (
        not group.whole
        and all(group.present)
        and all(
            _is_regular(part.group) if part.group is not None else not part.gaps
            for part in group.parts.values()
        )
    )


def _form(records: _Records, group: _Group, columns: list[list[str]]) -> str:
    """The text of a group's object with `%s` for each cell that is no constant; those are appended."""
    pairs: list[str] = []
    for name, part in group.parts.items():
        if part.group is not None:
            value = _form(records, part.group, columns)
        elif part.is_constant:
            value = dump(part.cells[0]).replace("%", "%%")  # type: ignore[arg-type]
        else:
            if part.template:
                records.follow(group, part)
            columns.append(_spelled_cells(part.cells))
            value = "%s"
        pairs.append(quote(name).replace("%", "%%") + ":" + value)
    return "{" + ",".join(pairs) + "}"


_LITERALS = frozenset({bool, type(None)})


def _spelled_cells(cells: list[Any]) -> list[str]:
    kinds = set(map(type, cells))
    if kinds == {Number}:
        return cells
    if kinds == {str}:
        return list(map(encode_basestring if "".join(cells).isascii() else quote, cells))
    if kinds <= _LITERALS:
        return ["null" if cell is None else "true" if cell else "false" for cell in cells]
    return [quote(cell) if type(cell) is str else dump(cell) for cell in cells]
