"""Lists and dicts as Python prints them, to and from JSON values."""

from __future__ import annotations

import re
from ast import literal_eval

from terse.layout.strict import NotLayout
from terse.payload.exact import MAX_DEPTH, JsonValue, Number, is_number, repeats_a_key

_NON_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
"""How Python prints the numbers that JSON lacks."""


def spell_python(value: JsonValue) -> str:
    """The value as Python's `repr` spells it, numbers as they were written.

    Raises:
        NotLayout: no Python prints such a value: a key stands twice.
    """
    if isinstance(value, Number):
        number = str.__str__(value)
        return _NON_FINITE.get(number, number)
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, dict):
        if repeats_a_key(value):
            raise NotLayout("a dict with a key twice")
        return "{" + ", ".join(f"{key!r}: {spell_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spell_python, value)) + "]"
    return str(value)


_TOKEN = re.compile(
    r"(?P<open>[\[{])|(?P<string>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|(?P<word>None|True|False|nan|-?inf)"
    r"|(?P<number>-?[0-9][0-9.eE+-]*)"
)
_WORDS: dict[str, JsonValue] = {
    "None": None,
    "True": True,
    "False": False,
    **{printed: Number(number) for number, printed in _NON_FINITE.items()},
}


def read_python(text: str) -> JsonValue | None:
    """The value that a text spells as Python does; `None` where it is none, or not exactly so spelt."""
    if not text.startswith(("[", "{")):
        return None
    try:
        value, end = _value(text, 0, 0)
    except NotLayout:
        return None
    if end != len(text) or spell_python(value) != text:
        return None
    return value


def _value(text: str, at: int, depth: int) -> tuple[JsonValue, int]:
    found = _TOKEN.match(text, at)
    if found is None or depth > MAX_DEPTH:
        raise NotLayout("no value")
    if found["string"]:
        return _string(found[0]), found.end()
    if found["word"]:
        return _WORDS[found[0]], found.end()
    if found["number"]:
        if not is_number(found[0]):
            raise NotLayout("no number that JSON has")
        return Number(found[0]), found.end()
    return _list(text, at + 1, depth) if found[0] == "[" else _dict(text, at + 1, depth)


def _list(text: str, at: int, depth: int) -> tuple[JsonValue, int]:
    made: list[JsonValue] = []
    while not text.startswith("]", at):
        if made:
            at = _expect(text, at, ", ")
        value, at = _value(text, at, depth + 1)
        made.append(value)
    return made, at + 1


def _dict(text: str, at: int, depth: int) -> tuple[JsonValue, int]:
    made: dict[str, JsonValue] = {}
    while not text.startswith("}", at):
        if made:
            at = _expect(text, at, ", ")
        key, at = _value(text, at, depth + 1)
        if not isinstance(key, str) or isinstance(key, Number) or key in made:
            raise NotLayout("no key, or a key twice")
        made[key], at = _value(text, _expect(text, at, ": "), depth + 1)
    return made, at + 1


def _expect(text: str, at: int, sign: str) -> int:
    if not text.startswith(sign, at):
        raise NotLayout(f"no {sign!r}")
    return at + len(sign)


def _string(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(literal_eval(token))
    except (ValueError, SyntaxError):
        raise NotLayout("no string") from None
