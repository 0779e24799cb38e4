"""Whether a text is what was received, found out with Python's own JSON parser and nothing of the gate.

A JSON document is itself again if each value, numbers by their text, each key, also one that stands
twice, and their order are; any other text if each character is.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

DEEPEST = 200
"""Deeper, JSON is a text like any other: Pythons differ in how deep they read."""
_LONGEST = 60


class _Object(NamedTuple):
    pairs: list[tuple[str, Any]]


class _Number(NamedTuple):
    text: str


def difference(received: str, back: str) -> str | None:
    """The first thing in which `back` is not what was received, in a few words; None where it is the same."""
    if received == back:
        return None
    expected = _document(received)
    if expected is None:
        at = next(
            (at for at, (one, other) in enumerate(zip(received, back, strict=False)) if one != other),
            min(len(received), len(back)),
        )
        return f"character {at + 1:,} of {len(received):,} is another"
    found = _document(back)
    return "it is no JSON document" if found is None else _first(expected, found, "$")


def parsed(text: str) -> Any:
    """A JSON text, exactly: objects have `pairs`, numbers a `text`. None where it is no JSON."""
    try:
        return json.loads(
            text, parse_int=_Number, parse_float=_Number, parse_constant=_Number, object_pairs_hook=_Object
        )
    except (ValueError, RecursionError):
        return None


def written(value: Any) -> str:
    """A value that was parsed, as compact JSON text."""
    if isinstance(value, _Object):
        return "{" + ",".join(f"{json.dumps(key)}:{written(member)}" for key, member in value.pairs) + "}"
    if isinstance(value, _Number):
        return value.text
    if type(value) is list:
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _document(text: str) -> Any:
    """The document; None where the text is none."""
    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return None
    found = parsed(text)
    return found if _depth_is_at_most(found, DEEPEST) else None


def _depth_is_at_most(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, _Object):
                inner += [member for _, member in each.pairs]
            elif type(each) is list:
                inner += each
        if not inner:
            return True
        level = inner
    return not any(isinstance(each, (_Object, list)) for each in level)


def _first(expected: Any, found: Any, where: str) -> str | None:
    if type(expected) is not type(found):
        return f"{where}: {_kind(expected)} became {_kind(found)}"
    if isinstance(expected, _Object):
        keys, other = [key for key, _ in expected.pairs], [key for key, _ in found.pairs]
        if keys != other:
            return f"{where}: other keys, or in another order"
        for (key, one), (_, two) in zip(expected.pairs, found.pairs, strict=True):
            if (said := _first(one, two, f"{where}.{key}"[-_LONGEST:])) is not None:
                return said
        return None
    if type(expected) is list:
        if len(expected) != len(found):
            return f"{where}: {len(expected):,} items became {len(found):,}"
        for number, (one, two) in enumerate(zip(expected, found, strict=True)):
            if (said := _first(one, two, f"{where}[{number}]"[-_LONGEST:])) is not None:
                return said
        return None
    if expected == found:
        return None
    if type(expected) is str:
        return f"{where}: another string"
    return f"{where}: {written(expected)[:_LONGEST]} became {written(found)[:_LONGEST]}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {
        _Object: "an object",
        list: "a list",
        _Number: "a number",
        str: "a string",
        bool: "true or false",
    }
    return names[type(value)]
