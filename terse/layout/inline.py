"""Values written on the spot: bare where their type cannot be in doubt, else as JSON.

Three places differ only in which characters end a bare string: a cell between commas, a cell
between spaces (pairs of a block line are such cells too), and a value inside `{…}` or `[…]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from terse.layout.document import ABSENT, Cell, Embedded, Filled, Ref
from terse.layout.embedded import STYLES, spell
from terse.layout.strict import NotLayout
from terse.layout.template import Parts, fill, quote, read_quoted, read_string, write_quoted
from terse.payload.exact import MAX_DEPTH, NON_FINITE, JsonValue, Number, is_number, next_key, parse_at

_LITERALS: dict[str, JsonValue] = {
    "true": True,
    "false": False,
    "null": None,
    **{word: Number(word) for word in NON_FINITE},
}
_CONTROLS = r"\x00-\x1f\x7f\ud800-\udfff"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
# What no bare string is or begins with: other types, a quote, a container, a reference, a whole
# value of a group, a template, embedded JSON, and the marks of an absent cell and of a usual one.
_SPECIAL = r'(?!["\[{*=]|f"|json(?:_[a-z0-9]+)*[\[{]|\([0-9]+ lines\))'
_DOUBTFUL = rf"(?!(?:{'|'.join(_LITERALS)}|-|\.|{_NUMBER})(?![^\n])){_SPECIAL}"


class Place(Enum):
    """Where a value is written. The value of each is the pattern of its bare strings."""

    COMMAS = rf"{_DOUBTFUL}[^\s,{_CONTROLS}](?:[^,{_CONTROLS}]*[^\s,{_CONTROLS}])?"
    SPACES = rf"{_DOUBTFUL}[^\s{_CONTROLS}]+"
    INSIDE = rf'{_DOUBTFUL}[^\s,"\[\]{{}}{_CONTROLS}]+'

    # By identity, as they compare: the hash of an Enum is made anew each time.
    __hash__ = object.__hash__


_BARE = {place: re.compile(place.value) for place in Place}
_KEY = re.compile(rf'[^\s,"\[\]{{}}()<>=:*#~?{_CONTROLS}]+')
# In a text column nothing is a number or a boolean: fewer strings are in doubt.
_TEXT = {
    Place.COMMAS: re.compile(
        rf"(?!(?:null|-)(?![^\n])){_SPECIAL}[^\s,{_CONTROLS}](?:[^,{_CONTROLS}]*[^\s,{_CONTROLS}])?"
    ),
    Place.SPACES: re.compile(rf"(?!(?:null|-|\.)(?![^\n])){_SPECIAL}[^\s{_CONTROLS}]+"),
}


# Columns of such cells, each followed by a line end. What was read of a column is never given back.
_BARE_COLUMN = {place: re.compile(rf"(?:{place.value}\n)*+") for place in Place}
_TEXT_COLUMN = {place: re.compile(rf"(?:{bare.pattern}\n)*+") for place, bare in _TEXT.items()}
_TEXT_LINES = re.compile(r"\(([1-9][0-9]{0,8}) lines\)")
_ONLY_TEXT = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]*")
MIN_ESCAPES = 6
"""A string with so many signs that JSON has to escape is shorter, and easier to read, as the lines it is."""


def is_text(value: object) -> bool:
    """Whether a string is one to be written as `(12 lines)` and those lines below."""
    if type(value) is not str or "\n" not in value:
        return False
    escapes = value.count("\n") + value.count('"') + value.count("\t") + value.count("\\")
    return escapes >= MIN_ESCAPES and _ONLY_TEXT.fullmatch(value) is not None


def text_lines(cell: str) -> int | None:
    """How many lines a cell announces; `None` where it is no announcement of a text."""
    found = _TEXT_LINES.fullmatch(cell)
    return int(found[1]) if found else None


def announcement(line: str, at: int) -> tuple[str, int] | None:
    """The announcement of a text that stands at `at`, and the place after it."""
    found = _TEXT_LINES.match(line, at)
    return (found[0], found.end()) if found else None


def write_key(key: str) -> str:
    """A name, bare when simple, else a JSON string."""
    return key if _KEY.fullmatch(key) else quote(key)


def write_value(value: Cell, place: Place) -> str:
    """Any value on one line; containers as `{id=1 name=x}` and `[a b]`."""
    kind = type(value)
    if kind is str:
        return value if _BARE[place].fullmatch(value) else quote(value)  # type: ignore[arg-type,return-value]
    return _inside(value)


def write_cells(values: Sequence[Cell], place: Place, absent: str, usual: str) -> list[str]:
    """A whole column of cells; `absent` and `usual` are how those marks are written."""
    kinds = set(map(type, values))
    if kinds == _NUMBERS:
        return list(values)  # type: ignore[arg-type]
    if kinds == _STRINGS and _are_all(_BARE_COLUMN[place], values):  # type: ignore[arg-type]
        return list(values)  # type: ignore[arg-type]
    is_bare = _BARE[place].fullmatch
    out: list[str] = []
    append = out.append
    for value in values:
        kind = type(value)
        if kind is str:
            append(value if is_bare(value) else quote(value))  # type: ignore[arg-type]
        elif kind is Number:
            append(value)  # type: ignore[arg-type]
        elif value is None:
            append("null")
        elif value is True:
            append("true")
        elif value is False:
            append("false")
        elif kind is dict or kind is list or kind is Ref or kind is Embedded:
            append(_inside(value))
        else:
            append(absent if value is ABSENT else usual)
    return out


def write_texts(values: Sequence[object], place: Place, absent: str, usual: str) -> list[str]:
    """Cells of a text column: strings, nulls and references."""
    is_bare = _TEXT[place].fullmatch
    if set(map(type, values)) == _STRINGS and _are_all(_TEXT_COLUMN[place], values):  # type: ignore[arg-type]
        return list(values)  # type: ignore[arg-type]
    out: list[str] = []
    for value in values:
        if isinstance(value, str):
            out.append(value if is_bare(value) else quote(value))
        elif value is None:
            out.append("null")
        elif isinstance(value, Ref):
            out.append(f"*{value.number}")
        else:
            out.append(absent if value is ABSENT else usual)
    return out


_NUMBERS = {Number}
_STRINGS = {str}


def _are_all(column: re.Pattern[str], cells: Sequence[str]) -> bool:
    """Whether each of the cells is what a column's pattern repeats."""
    joined = "\n".join(cells)
    # INVARIANT: as many lines as cells: a cell of two lines is no two cells.
    return joined.count("\n") == len(cells) - 1 and column.fullmatch(f"{joined}\n") is not None


def _inside(value: Cell) -> str:
    kind = type(value)
    if kind is str:
        return value if _BARE[Place.INSIDE].fullmatch(value) else quote(value)  # type: ignore[arg-type,return-value]
    if kind is Number:
        return value  # type: ignore[return-value]
    if isinstance(value, dict):
        return "{" + " ".join(f"{write_key(key)}={_inside(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        # Words read well with spaces; anything else keeps JSON's commas.
        between = " " if all(type(item) is str for item in value) else ","
        return "[" + between.join(map(_inside, value)) + "]"
    if isinstance(value, Ref):
        return f"*{value.number}"
    if isinstance(value, Embedded):
        return f"json{value.style}{_inside(value.value)}"
    if isinstance(value, Filled):
        return write_quoted(value.parts)
    return "null" if value is None else "true" if value else "false"


# ---- reading -------------------------------------------------------------------------------------


def read_key(text: str, at: int) -> tuple[str, int]:
    """The name at `at`, bare or quoted, and the place after it."""
    if text.startswith('"', at):
        return read_string(text, at)
    found = _KEY.match(text, at)
    if found is None:
        raise NotLayout("no name where one is due")
    return found[0], found.end()


def read_atom(text: str, place: Place) -> JsonValue:
    """What a bare cell is: a literal, a number, or else a string."""
    if text in _LITERALS:
        return _LITERALS[text]
    if text[:1] in _NUMBER_STARTS and is_number(text):
        return Number(text)
    if _BARE[place].fullmatch(text) is None:
        raise NotLayout(f"a bare value that would have been quoted: {text[:40]!r}")
    return text


_NUMBER_STARTS = frozenset("-0123456789")


def read_text(text: str, place: Place) -> str | None:
    """What a bare cell of a text column is: null or a string."""
    if text == "null":
        return None
    if _TEXT[place].fullmatch(text) is None:
        raise NotLayout(f"a bare text that would have been quoted: {text[:40]!r}")
    return text


def are_bare_texts(joined: str, place: Place) -> bool:
    """Whether cells of a text column, joined by line ends, are bare strings, each of them."""
    return _TEXT_COLUMN[place].fullmatch(joined + "\n") is not None


_NUMBER_COLUMN = re.compile(rf"(?:{_NUMBER}\n)*+")


def column_of_bare(cells: Sequence[str], joined: str, place: Place) -> list[Cell] | None:
    """The cells (and joined by line ends) as strings when each is a bare string; else `None`."""
    return list(cells) if _BARE_COLUMN[place].fullmatch(joined + "\n") else None


def column_of_numbers(cells: Sequence[str], joined: str) -> list[Cell] | None:
    """The cells (and joined by line ends) as numbers when each is one; else `None`."""
    return list(map(Number, cells)) if _NUMBER_COLUMN.fullmatch(joined + "\n") else None


_INSIDE = re.compile(rf'[^\s,"\[\]{{}}{_CONTROLS}]+')
_REFERENCE = re.compile(r"\*([1-9][0-9]{0,8})(?![0-9])")
_EMBEDDED = re.compile(r"json((?:_[a-z0-9]+)*)(?=[\[{])")


class Reader:
    """Reads values on the spot, with the legend their references mean."""

    def __init__(self, legend: Sequence[JsonValue] = ()) -> None:
        self.legend = legend

    def reference(self, text: str, at: int) -> tuple[JsonValue, int]:
        found = _REFERENCE.match(text, at)
        if found is None or int(found[1]) > len(self.legend):
            raise NotLayout("a reference to nothing in the legend")
        return self.legend[int(found[1]) - 1], found.end()

    def special(self, text: str, at: int) -> tuple[JsonValue, int] | None:
        """A quoted string, container, reference or embedded JSON at `at`; `None` for anything bare."""
        sign = text[at : at + 1]
        if sign == '"':
            return read_string(text, at)
        if sign == "[":
            # Many lists are mere JSON, and the standard parser is far faster.
            return parse_at(text, at) or self.container(text, at, 1)
        if sign == "{":
            return self.container(text, at, 1)
        if sign == "*":
            return self.reference(text, at)
        if sign == "j":
            found = _EMBEDDED.match(text, at)
            if found is not None:
                return self.embedded(text, found)
        return None

    def embedded(self, text: str, found: re.Match[str]) -> tuple[JsonValue, int]:
        if found[1] not in STYLES:
            raise NotLayout(f"no such spelling of JSON: {found[0]}")
        value, end = self.container(text, found.end(), 1)
        return spell(value, found[1]), end

    def container(self, text: str, at: int, depth: int) -> tuple[JsonValue, int]:
        if depth > MAX_DEPTH:
            raise NotLayout("nested too deep")
        return self.object(text, at, depth) if text[at] == "{" else self.list(text, at, depth)

    def value(self, text: str, at: int, depth: int) -> tuple[JsonValue, int]:
        sign = text[at : at + 1]
        if sign == "{" or sign == "[":
            return self.container(text, at, depth + 1)
        special = self.special(text, at)
        if special is not None:
            return special
        found = _INSIDE.match(text, at)
        if found is None:
            raise NotLayout("no value where one is due")
        return read_atom(found[0], Place.INSIDE), found.end()

    def object(self, text: str, at: int, depth: int) -> tuple[JsonValue, int]:
        made: dict[str, JsonValue] = {}
        waiting: dict[str, Parts] = {}
        times: dict[str, int] = {}
        at += 1
        if text.startswith("}", at):
            return made, at + 1
        while True:
            key, at = read_key(text, at)
            if not text.startswith("=", at):
                raise NotLayout("no = after a name inside an object")
            key = next_key(key, made, times)
            if text.startswith('f"', at + 1):
                waiting[key], at = read_quoted(text, at + 1)
                made[key] = None
            else:
                made[key], at = self.value(text, at + 1, depth)
            if text.startswith("}", at):
                fill(made, waiting)
                return made, at + 1
            if not text.startswith(" ", at):
                raise NotLayout("an object that does not end")
            at += 1

    def list(self, text: str, at: int, depth: int) -> tuple[JsonValue, int]:
        made: list[JsonValue] = []
        at += 1
        if text.startswith("]", at):
            return made, at + 1
        between = ""
        while True:
            value, at = self.value(text, at, depth)
            made.append(value)
            sign = text[at : at + 1]
            if sign == "]":
                return made, at + 1
            if sign not in (" ", ",") or (between and sign != between):
                raise NotLayout("a list that does not end")
            between = sign
            at += 1
