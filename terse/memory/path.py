"""Places in a JSON document: `issues[number=12].labels[0]`, `["a b"].c`, `$`.

A row is named by a key of its own where one was found that names it, else by its position from 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from terse.memory.lines import NotDelta
from terse.payload.exact import JsonValue, Number, dump, is_number

ROOT = "$"
RESERVED = frozenset({"remove", "after", "first", "move"})
"""Words that begin a statement: a key of that name is quoted."""

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null')
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Row:
    """The one row of a list in which the value at `key` (a path of names) is `value`."""

    key: tuple[str, ...]
    value: JsonValue


class Star:
    """Every item of a list: `[*]`."""


STAR = Star()
Part = str | int | Row | Star
Path = tuple[Part, ...]


def write(path: Path) -> str:
    """The path as a statement names it."""
    if not path:
        return ROOT
    words: list[str] = []
    for part in path:
        match part:
            case Star():
                words.append("[*]")
            case int():
                words.append(f"[{part}]")
            case Row():
                words.append(f"[{_names(part.key)}={dump(part.value)}]")
            case _:
                words.append(f".{name(part)}" if words else name(part))
    return "".join(words)


def name(key: str) -> str:
    """A key as paths write it."""
    return key if _BARE.fullmatch(key) and key not in RESERVED else dump(key)


def _names(key: tuple[str, ...]) -> str:
    return ".".join(map(name, key))


def read(text: str, at: int = 0) -> tuple[Path, int]:
    """The path that begins at `at`, and the place after it.

    Raises:
        NotDelta: there is none.
    """
    if text.startswith(ROOT, at):
        return (), at + 1
    parts: list[Part] = []
    while at < len(text):
        if text[at] == "[":
            part, at = _in_brackets(text, at + 1)
            parts.append(part)
        elif text[at] == "." and parts:
            key, at = _key(text, at + 1)
            parts.append(key)
        elif not parts:
            key, at = _key(text, at)
            parts.append(key)
        else:
            break
    if not parts:
        raise NotDelta("a path was expected")
    return tuple(parts), at


def _key(text: str, at: int) -> tuple[str, int]:
    if found := _STRING.match(text, at):
        return str(scalar(found[0])), found.end()
    if found := _BARE.match(text, at):
        return found[0], found.end()
    raise NotDelta("a key was expected")


def _in_brackets(text: str, at: int) -> tuple[Part, int]:
    if text.startswith("*]", at):
        return STAR, at + 2
    if found := _INDEX.match(text, at):
        if text.startswith("]", found.end()):
            return int(found[0]), found.end() + 1
        raise NotDelta("a position was expected")
    keys: list[str] = []
    while True:
        key, at = _key(text, at)
        keys.append(key)
        if not text.startswith(".", at):
            break
        at += 1
    value = _SCALAR.match(text, at + 1)
    if not text.startswith("=", at) or value is None or not text.startswith("]", value.end()):
        raise NotDelta("a row was expected")
    return Row(tuple(keys), scalar(value[0])), value.end() + 1


def scalar(text: str) -> JsonValue:
    """The JSON value that a scalar's text is.

    Raises:
        NotDelta: it is none.
    """
    if is_number(text):
        return Number(text)
    return value_of(text)


def value_of(text: str) -> JsonValue:
    """The JSON value that a text is, a container or a scalar.

    Raises:
        NotDelta: it is none that can be carried exactly.
    """
    from terse.payload.exact import NotExact, parse

    try:
        wrapped = parse(f"[{text}]")
    except NotExact as error:
        raise NotDelta(f"a value was expected: {error}") from None
    if not isinstance(wrapped, list) or len(wrapped) != 1:
        raise NotDelta("one value was expected")
    return wrapped[0]


def at_key(row: JsonValue, key: tuple[str, ...]) -> JsonValue | None:
    """What a row has at a path of names; `None` also where it has nothing there."""
    for part in key:
        if not isinstance(row, dict) or part not in row:
            return None
        row = row[part]
    return row
