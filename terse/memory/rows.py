"""The key that names the rows of a list: found in the rows themselves, never assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.memory.path import at_key
from terse.payload.exact import JsonValue

MAX_VALUE = 120
"""Characters of a value that can still name a row."""
MAX_CANDIDATES = 24

Key = tuple[str, ...]


def key_of(old: Sequence[JsonValue], new: Sequence[JsonValue]) -> Key | None:
    """The path of names whose values tell the rows of both lists apart, and match the rows that are alike.

    Every row of both lists has a string or number there, no two rows of one list the same. Of several such
    paths it is the one that pairs up the rows which have most else in common; `None` if there is none.
    """
    best: tuple[int, int, int] = (0, 0, 0)
    chosen: Key | None = None
    for place, key in enumerate(_candidates(old)):
        before, after = _named(old, key), _named(new, key)
        if before is None or after is None:
            continue
        common = [value for value in before if value in after]
        if not common:
            continue
        alike = sum(_in_common(old[before[value]], new[after[value]]) for value in common)
        score = (alike, -sum(len(value) for value in common), -place)
        if chosen is None or score > best:
            best, chosen = score, key
    return chosen


def _candidates(rows: Sequence[JsonValue]) -> list[Key]:
    first = rows[0] if rows else None
    if not isinstance(first, dict):
        return []
    return [key for key in _scalars(first) if len(rows) < 2 or _differs(rows, key)][:MAX_CANDIDATES]


def _scalars(row: dict[str, JsonValue]) -> Iterator[Key]:
    # A path could only name the first of two keys that are the same.
    pairs = [(name, value) for name, value in row.items() if type(name) is str]
    for name, value in pairs:
        if isinstance(value, str):
            yield (name,)
    for name, value in pairs:
        if isinstance(value, dict):
            for inner, nested in value.items():
                if isinstance(nested, str) and type(inner) is str:
                    yield (name, inner)


def _differs(rows: Sequence[JsonValue], key: Key) -> bool:
    return at_key(rows[0], key) != at_key(rows[1], key)


def _named(rows: Sequence[JsonValue], key: Key) -> dict[str, int] | None:
    """The rows by their value there, `None` if one has no value that can name it.

    A number is no key for a string of the same spelling: `Number` is type-strict.
    """
    named: dict[str, int] = {}
    for place, row in enumerate(rows):
        value = at_key(row, key)
        if not isinstance(value, str) or len(value) > MAX_VALUE:
            return None
        if value in named:
            return None
        named[value] = place
    return named


def _in_common(old: JsonValue, new: JsonValue) -> int:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return 0
    return sum(name in new and new[name] == value for name, value in old.items())
