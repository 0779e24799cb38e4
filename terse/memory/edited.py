"""Reading the statements of `terse.memory.edits`: the document that they make of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from terse.memory import path as paths
from terse.memory import text_delta
from terse.memory.lines import NotDelta
from terse.memory.path import Part, Path, Row, Star, at_key, value_of
from terse.payload.exact import JsonValue

_NONE = object()
BY_LINES = " by lines:"


def read(lines: Sequence[str], base: JsonValue) -> JsonValue:
    """The document that the statements make of `base`, which stays as it is.

    Raises:
        NotDelta: the lines are no statements, or speak of another document.
    """
    statements = _Statements(base)
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].endswith(BY_LINES):
            while end < len(lines) and text_delta.is_line(lines[end]):
                end += 1
        statements.take(lines[at], lines[at + 1 : end])
        at = end
    return statements.made


class _Statements:
    """What is said of each container of the base, by its identity, until the document is made."""

    def __init__(self, base: JsonValue) -> None:
        self._root: list[JsonValue] = [base]
        self._values: dict[tuple[int, Any], JsonValue] = {}
        self._removed: set[tuple[int, Any]] = set()
        self._inserted: dict[tuple[int, Any], list[Any]] = {}
        self._moved: set[tuple[int, Any]] = set()
        self._appended: dict[int, dict[str, JsonValue]] = {}

    def take(self, line: str, body: Sequence[str]) -> None:
        if line.startswith("remove "):
            holder, key = self._place(_whole_path(line, len("remove ")))
            if (id(holder), key) in self._removed:
                raise NotDelta("a place removed twice")
            self._removed.add((id(holder), key))
        elif line.startswith("move "):
            path, at = paths.read(line, len("move "))
            self._move(path, line, at)
        elif line.startswith(("after ", "first in ")):
            holder, key, at = self._where(line, 0)
            self._insert(holder, key, line, at)
        else:
            self._value(line, body)

    def _where(self, line: str, at: int) -> tuple[Any, Any, int]:
        """The container, the key after which something comes (`_NONE`: at its start), and the place in the
        line after that."""
        first = line.startswith("first in ", at)
        if not first and not line.startswith("after ", at):
            raise NotDelta("a place in a container was expected")
        path, end = paths.read(line, at + len("first in " if first else "after "))
        holder, key = self._place(path)
        if first:
            holder, key = holder[key], _NONE
        if holder is self._root or not isinstance(holder, (list, dict)):
            raise NotDelta("no place in a container")
        return holder, key, end

    def _insert(self, holder: Any, key: Any, line: str, at: int) -> None:
        literal = value_of(line[at + 2 :]) if line.startswith(": ", at) else None
        if not isinstance(literal, (list, dict)) or type(literal) is not type(holder):
            raise NotDelta("what is inserted fits no container")
        added: list[Any] = (
            [*literal.items()] if isinstance(literal, dict) else [(_NONE, it) for it in literal]
        )
        self._inserted.setdefault((id(holder), key), []).extend(added)

    def _move(self, path: Path, line: str, at: int) -> None:
        holder, key = self._place(path)
        target, after, end = self._where(line, at + 1)
        if target is not holder or not isinstance(holder, list) or end != len(line) or line[at] != " ":
            raise NotDelta("a row moved out of its list")
        if (id(holder), key) in self._moved:
            raise NotDelta("a row moved twice")
        self._moved.add((id(holder), key))
        self._inserted.setdefault((id(holder), after), []).append((key, _NONE))

    def _value(self, line: str, body: Sequence[str]) -> None:
        path, at = paths.read(line)
        rest = line[at:]
        if rest == BY_LINES:
            holder, key = self._place(path)
            old = holder[key]
            if type(old) is not str:
                raise NotDelta("lines of what is no text")
            self._set(holder, key, text_delta.read(body, old))
        elif rest.startswith(" = "):
            value = value_of(rest[3:])
            for holder, key in self._places(path):
                self._set(holder, key, value)
        elif rest.startswith(" each = "):
            values, places = value_of(rest[8:]), self._places(path)
            if not isinstance(values, list) or len(values) != len(places):
                raise NotDelta("another count of values than of items")
            for (holder, key), value in zip(places, values, strict=True):
                self._set(holder, key, value)
        else:
            raise NotDelta("a statement that is none")

    def _set(self, holder: Any, key: Any, value: JsonValue) -> None:
        if (id(holder), key) in self._values:
            raise NotDelta("a place given two values")
        if isinstance(holder, dict) and key not in holder:
            appended = self._appended.setdefault(id(holder), {})
            if key in appended:
                raise NotDelta("a key added twice")
            appended[key] = value
        else:
            self._values[id(holder), key] = value

    def _place(self, path: Path) -> tuple[Any, Any]:
        """The container and key of a place that is there."""
        places = self._places(path)
        if len(places) != 1:
            raise NotDelta("one place was expected")
        holder, key = places[0]
        if isinstance(holder, dict) and key not in holder:
            raise NotDelta("a key that is not there")
        return holder, key

    def _places(self, path: Path) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = [(self._root, 0)]
        for part in path:
            found = [place for holder, key in found for place in _inside(_at(holder, key), part)]
        return found

    @property
    def made(self) -> JsonValue:
        made: JsonValue = self._made(self._root)[0]
        return made

    def _made(self, value: Any) -> Any:
        if isinstance(value, list):
            items = self._items(value, _NONE)
            for index, item in enumerate(value):
                place = (id(value), index)
                if place in self._moved and (place in self._removed or place in self._inserted):
                    raise NotDelta("a row that is moved and something else")
                if place not in self._removed and place not in self._moved:
                    items.append(self._new(value, index, item))
                items += self._items(value, index)
            return items
        if isinstance(value, dict):
            entries = [*self._inserted.get((id(value), _NONE), ())]
            for key, item in value.items():
                if (id(value), key) not in self._removed:
                    entries.append((key, self._new(value, key, item)))
                entries += self._inserted.get((id(value), key), ())
            entries += self._appended.get(id(value), {}).items()
            made = dict(entries)
            if len(made) != len(entries):
                raise NotDelta("a key twice")
            return made
        return value

    def _items(self, holder: list[Any], after: Any) -> list[Any]:
        return [
            item if index is _NONE else self._new(holder, index, holder[index])
            for index, item in self._inserted.get((id(holder), after), ())
        ]

    def _new(self, holder: Any, key: Any, item: Any) -> Any:
        place = (id(holder), key)
        return self._values[place] if place in self._values else self._made(item)


def _whole_path(line: str, at: int) -> Path:
    path, end = paths.read(line, at)
    if end != len(line):
        raise NotDelta("more than a path")
    return path


def _at(holder: Any, key: Any) -> Any:
    if isinstance(holder, dict) and key not in holder:
        raise NotDelta("a key that is not there")
    return holder[key]


def _inside(value: Any, part: Part) -> list[tuple[Any, Any]]:
    if isinstance(part, Star):
        if isinstance(value, list):
            return [(value, index) for index in range(len(value))]
    elif isinstance(part, Row):
        if isinstance(value, list):
            named = [index for index, row in enumerate(value) if at_key(row, part.key) == part.value]
            if len(named) == 1:
                return [(value, named[0])]
    elif isinstance(part, int):
        if isinstance(value, list) and part < len(value):
            return [(value, part)]
    elif isinstance(value, dict):
        return [(value, part)]
    raise NotDelta("a place that the earlier document does not have")
