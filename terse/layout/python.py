"""Lists and dicts as Python prints them, to and from JSON values."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable

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


def spell_tuples(value: JsonValue) -> str:
    """A list as Python's `repr` spells it where the lists in it are tuples; in those, lists are lists.

    Raises:
        NotLayout: the value is no list, or no Python prints it.
    """
    if not isinstance(value, list):
        raise NotLayout("no list of tuples")
    return "[" + ", ".join(map(_spell_tuple, value)) + "]"


def _spell_tuple(value: JsonValue) -> str:
    if not isinstance(value, list):
        return spell_python(value)
    items = ", ".join(map(spell_python, value))
    return f"({items},)" if len(value) == 1 else f"({items})"


_TOKEN = re.compile(
    r"(?P<open>[\[{(])|(?P<string>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|(?P<word>None|True|False|nan|-?inf)"
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
    return _read(text, spell_python) if text.startswith(("[", "{")) else None


def read_tuples(text: str) -> JsonValue | None:
    """The list that a text spells as Python does a list of tuples; `None` where it is none."""
    return _read(text, spell_tuples) if text.startswith("[(") else None


def _read(text: str, spell: Callable[[JsonValue], str]) -> JsonValue | None:
    try:
        value, end = _value(text, 0, 0)
        return value if end == len(text) and spell(value) == text else None
    except NotLayout:
        return None


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
    if found[0] == "{":
        return _dict(text, at + 1, depth)
    return _list(text, at + 1, depth, "]" if found[0] == "[" else ")")


def _list(text: str, at: int, depth: int, end: str) -> tuple[JsonValue, int]:
    made: list[JsonValue] = []
    while not text.startswith(end, at):
        if made:
            if text.startswith(",)", at):
                # A tuple of one; that it is none of two is seen once it is spelt again.
                at += 1
                break
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
