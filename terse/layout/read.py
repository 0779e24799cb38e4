"""The layout back to the JSON value. Strict: what `write` could not have written is no layout."""

from __future__ import annotations

import re
from collections.abc import Iterator

from terse.layout.document import Rows
from terse.layout.embedded import STYLES, spell
from terse.layout.forms import JSON, Form, read_form
from terse.layout.header import read_table_header
from terse.layout.inline import Place, Reader, read_atom, read_key, text_lines
from terse.layout.rows import Lines, TableReader
from terse.layout.strict import NotLayout
from terse.layout.template import Parts, fill, read_quoted
from terse.layout.write import LETTERS
from terse.payload.exact import MAX_DEPTH, JsonValue, Verbatim, next_key
from terse.payload.uncollected import uncollected


def read(text: str) -> JsonValue:
    """The JSON value that a text in the layout stands for.

    Raises:
        NotLayout: the text is not exactly a layout, from its first line to its last, or does not
            stand for JSON.
    """
    form, laid = read_form(text)
    if form is not JSON:
        raise NotLayout("it stands for a text that is no JSON")
    return _read(laid, form)


def read_text(text: str) -> str:
    """The text that a layout of any form stands for; for JSON, the document as compact JSON.

    Raises:
        NotLayout: as for `read`.
    """
    form, laid = read_form(text)
    try:
        with uncollected(len(text)):
            return form.spelled(_read(laid, form, verbatim=form is JSON))
    except RecursionError:
        raise NotLayout("nested too deep") from None


def _read(laid: str, form: Form, verbatim: bool = False) -> JsonValue:
    try:
        return _Document(laid.split("\n"), verbatim).root(form.mark)
    except RecursionError:
        raise NotLayout("nested too deep") from None


_LEGEND = re.compile(r"\*([1-9][0-9]*) = (?=.)")
_KINDS = re.compile(
    r"(?P<count>[1-9][0-9]{0,8}) rows of (?P<kinds>[2-8]) kinds: "
    r"(?P<order>(?:[1-9][0-9]{0,8})?[A-H](?: (?:[1-9][0-9]{0,8})?[A-H])*)\Z"
)
_RUN = re.compile(r"([0-9]*)([A-H])")
_SPELLED = re.compile(r"json((?:_[a-z0-9]+)*)(?: (.+))?\Z")
_TEXT = re.compile(r"([1-9][0-9]{0,8}) lines\Z")
_ITEMS = re.compile(r"(0|[1-9][0-9]{0,8}) item(s?)\Z")


class _Document:
    def __init__(self, lines: list[str], verbatim: bool) -> None:
        """`verbatim`: long tables may be given back as JSON text."""
        self.verbatim = verbatim
        self.lines = Lines(lines)
        self.legend: list[JsonValue] = []
        self.values = Reader(self.legend)

    def root(self, mark: str) -> JsonValue:
        first = self.lines.take()
        rest = first[len(mark) + 1 :]
        while (line := self.lines.peek()) is not None and (found := _LEGEND.match(line)):
            if int(found[1]) != len(self.legend) + 1:
                raise NotLayout("a legend out of order")
            self.lines.take()
            lines = text_lines(line[found.end() :])
            if lines is not None:
                self.legend.append("\n".join(self.lines.take_many(lines)))
            else:
                self.legend.append(self.whole_value(line, found.end(), Place.SPACES))
        value: JsonValue
        if rest == "":
            value = self.block("", 0)
        elif not rest.startswith(" ") or rest == " ":
            raise NotLayout("no space after the mark")
        elif rest[1] in "{[*":
            value = self.whole_value(rest, 1, Place.SPACES)
        else:
            value = self.opened(rest[1:], "", 0)
        if self.lines.peek() is not None:
            raise NotLayout("lines left over")
        if not isinstance(value, (dict, list, Verbatim)):
            raise NotLayout("a scalar is no document")
        return value

    def whole_value(self, text: str, at: int, place: Place) -> JsonValue:
        special = self.values.special(text, at)
        if special is None:
            return read_atom(text[at:], place)
        value, end = special
        if end != len(text):
            raise NotLayout("text after a value")
        return value

    # ---- blocks ----------------------------------------------------------------------------------

    def opened(self, title: str, indent: str, depth: int) -> JsonValue:
        """What follows `name: `: a table, items, or for an empty title a block."""
        if depth > MAX_DEPTH:
            raise NotLayout("nested too deep")
        if title == "":
            return self.block(indent, depth)
        kinds = _KINDS.match(title)
        if kinds is not None:
            return self.kinds(kinds, indent)
        spelled = _SPELLED.match(title)
        if spelled is not None:
            if spelled[1] not in STYLES:
                raise NotLayout("no such spelling of JSON")
            outside, self.verbatim = self.verbatim, False
            value = self.opened(spelled[2] or "", indent, depth)
            self.verbatim = outside
            return spell(value, spelled[1])
        text = _TEXT.match(title)
        if text is not None:
            return "\n".join(self.lines.take_many(int(text[1])))
        items = _ITEMS.match(title)
        if items is not None:
            count = int(items[1])
            if (count == 1) == bool(items[2]):
                raise NotLayout("no count of items")
            entries = self.entries(indent, depth)
            if len(entries) != count or any(key != "-" for key, _ in entries):
                raise NotLayout("not as many items as announced")
            return [value for _, value in entries]
        count, spec = read_table_header(title, self.values)
        table = TableReader(self.lines, self.values, spec)
        return table.read_verbatim(count) if self.verbatim else table.read(count)

    def kinds(self, title: re.Match[str], indent: str) -> JsonValue:
        """A list of records of several kinds: the tables, and from them the rows in their order."""
        runs = [(int(times or 1), letter) for times, letter in _RUN.findall(title["order"])]
        count = sum(times for times, _ in runs)
        if count != int(title["count"]) or count > self.lines.left:
            raise NotLayout("not as many rows as announced")
        letters = "".join(times * letter for times, letter in runs)
        names = LETTERS[: int(title["kinds"])]
        if set(letters) != set(names):
            raise NotLayout("not as many kinds of rows as announced")
        rows: dict[str, Iterator[JsonValue]] = {}
        for letter in names:
            line = self.lines.take()
            if not line.startswith(f"{indent}{letter}: "):
                raise NotLayout("no table for a kind")
            number, spec = read_table_header(line[len(indent) + 3 :], self.values)
            if number != letters.count(letter) or spec.rows is not Rows.RECORDS:
                raise NotLayout("not as many rows of a kind as announced")
            table = TableReader(self.lines, self.values, spec).read(number)
            rows[letter] = iter(table)  # type: ignore[arg-type]
        return [next(rows[letter]) for letter in letters]

    def block(self, indent: str, depth: int) -> JsonValue:
        waiting: dict[str, Parts] = {}
        entries = self.entries(indent, depth, waiting)
        if not entries:
            raise NotLayout("a block without a name")
        made = dict(entries)
        fill(made, waiting)
        return made

    def entries(
        self, indent: str, depth: int, waiting: dict[str, Parts] | None = None
    ) -> list[tuple[str, JsonValue]]:
        """The entries of a block or of items. `waiting` takes the values that follow from others."""
        entries: list[tuple[str, JsonValue]] = []
        names: set[str] = set()
        times: dict[str, int] = {}
        while (line := self.lines.peek()) is not None and line.startswith(indent):
            at = len(indent)
            if line.startswith(" ", at):
                raise NotLayout("a line indented too far")
            self.lines.take()
            started = False
            while True:
                key, at = read_key(line, at)
                if waiting is not None:
                    key = next_key(key, names, times)
                    names.add(key)
                if line.startswith(":", at):
                    if not line.startswith(": ", at) and at + 1 != len(line):
                        raise NotLayout("no space after a colon")
                    if started:
                        raise NotLayout("a colon after other pairs")
                    entries.append((key, self.opened(line[at + 2 :], indent + " ", depth + 1)))
                    break
                if not line.startswith("=", at):
                    raise NotLayout("neither = nor : after a name")
                value: JsonValue
                if waiting is not None and line.startswith('f"', at + 1):
                    value = None
                    waiting[key], at = read_quoted(line, at + 1)
                    if at != len(line) and line[at] != " ":
                        raise NotLayout("text after a value")
                else:
                    value, at = self.pair(line, at + 1)
                entries.append((key, value))
                started = True
                if at == len(line):
                    break
                at += 1
        return entries

    def pair(self, line: str, at: int) -> tuple[JsonValue, int]:
        special = self.values.special(line, at)
        if special is not None:
            value, end = special
        else:
            end = line.find(" ", at)
            end = len(line) if end < 0 else end
            value = read_atom(line[at:end], Place.SPACES)
        if end != len(line) and line[end] != " ":
            raise NotLayout("text after a value")
        return value, end
