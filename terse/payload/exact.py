"""JSON carried exactly: number text, types, the order of keys and keys that stand twice survive.

The standard parser does the work; hooks keep each number's own spelling, and each pair of an object. What
cannot be carried exactly raises `NotExact`, and the caller leaves such a text alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from itertools import chain, compress
from json.encoder import encode_basestring
from typing import Any, Union

from terse.payload.uncollected import uncollected

MAX_DEPTH = 200
"""Containers inside containers, counted from the root. Far below any interpreter's own limit, so
that every Python decides alike, and every later walk over a value may recurse."""

HUGE, KNOWN_NUMBERS = 8_000_000, 16_384
"""Characters of a text whose numbers are one object for each spelling, among so many seen last: that takes a
third longer to parse, and a tenth less memory."""

JsonValue = Union[None, bool, "Number", str, list["JsonValue"], dict[str, "JsonValue"]]
"""A JSON value: numbers are `Number`, the rest is Python's own."""


class NotExact(ValueError):  # noqa: N818 — the name says what the text is
    """The text is not JSON that can be carried exactly. The message says why, in a few words."""


class Number(str):
    """A JSON number, as it was written: `1.0`, `1e5`, `-0` and a 30-digit integer stay what they are.

    One of `NON_FINITE` too: JSON has none, but Python's and JavaScript's writers print them all the same.

    INVARIANT: a number equals only a number of the same spelling, never a string: `Number("1") != "1"`.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is Number and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return type(other) is not Number or str.__ne__(self, other)

    __hash__ = str.__hash__

    def __repr__(self) -> str:
        return f"Number({str.__repr__(self)})"


class RepeatedKey(str):
    """A key that stands in its object before: its text is the key's own.

    INVARIANT: it equals only the same key at the same place in line, so that an object holds all of them.

    Attributes:
        nth: 2 for the second of these keys, 3 for the third.
    """

    __slots__ = ("_hash", "nth")

    _hash: int
    nth: int

    def __new__(cls, key: str, nth: int) -> RepeatedKey:
        made = super().__new__(cls, key)
        made.nth = nth
        # Not the key's own: a thousand of one key would be a thousand collisions.
        made._hash = hash((key, nth))
        return made

    def __reduce__(self) -> tuple[type[RepeatedKey], tuple[str, int]]:
        return RepeatedKey, (str(self), self.nth)

    def __eq__(self, other: object) -> bool:
        return type(other) is RepeatedKey and self.nth == other.nth and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"RepeatedKey({str.__repr__(self)}, {self.nth})"


class Verbatim(Number):
    """JSON text in the place of the value it spells: `dump` writes it as it stands."""

    __slots__ = ()

    __hash__ = str.__hash__


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


NON_FINITE = ("NaN", "Infinity", "-Infinity")
"""Numbers that JSON has no spelling for, as the writers spell them that write them."""


def is_number(text: str) -> bool:
    """Whether the text is spelt as a JSON number."""
    return _NUMBER.fullmatch(text) is not None


def parse(text: str) -> JsonValue:
    """The JSON document that `text` is.

    Raises:
        NotExact: not JSON (but for `NON_FINITE` numbers), nesting over `MAX_DEPTH`, or nothing but a scalar:
            `3.10` is a text, not a document.
    """
    if len(text) >= HUGE:
        return _parsed(text, _decoder(lru_cache(KNOWN_NUMBERS)(Number)))
    # Whoever runs rules has msgspec; a command line that reads one answer is quicker without it.
    msgspec = sys.modules.get("msgspec")
    if msgspec and '\\":' not in text:
        # The standard parser is a third faster while it need not ask us about every object. It then drops
        # a key that stands again: as many keys as the text has colons behind quotes are all there are.
        try:
            names = msgspec.json.format(text, indent=-1).count('":')
        except (ValueError, RecursionError):
            return _parsed(text, _DECODER)
        value = _parsed(text, _UNNOTICED, names)
        if value is not None:
            return value
    return _parsed(text, _DECODER)


def parse_unambiguous(text: str) -> JsonValue:
    """The JSON document that `text` is, if all who read it agree on what it says.

    Raises:
        NotExact: as for `parse`, and an object with a key twice, and a number of `NON_FINITE`.
    """
    return _parsed(text, _STRICT)


def _parsed(text: str, decoder: json.JSONDecoder, names: int | None = None) -> JsonValue:
    """The document; `None` where it has not so many keys as it should."""
    try:
        with uncollected(len(text)):
            value: JsonValue = decoder.decode(text)
    except NotExact:
        raise
    except RecursionError:
        raise NotExact(_TOO_DEEP) from None
    except ValueError:
        raise NotExact("not JSON") from None
    if not isinstance(value, (list, dict)):
        raise NotExact("a scalar, not a document")
    keys = _keys_within(value, MAX_DEPTH)
    if keys is None:
        raise NotExact(_TOO_DEEP)
    return value if names is None or keys == names else None


def compacted(text: str) -> str | None:
    """What `dump` writes of a JSON document, where that is its text without the white space between
    its tokens; `None` where it may be more: escapes that need none, numbers that JSON has no spelling for.

    Some twenty times as fast as reading and writing it.
    """
    import msgspec  # Late: those who only read JSON need it not.

    if "\\u" in text or "\\/" in text:
        return None
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return None


def parse_at(text: str, at: int) -> tuple[JsonValue, int] | None:
    """The JSON container that begins at `at`, and the place after it; `None` if there is none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    # Interpreters differ in how deep they read: the limit is ours, wherever it could be passed.
    if end - at > 2 * MAX_DEPTH and _keys_within(value, MAX_DEPTH) is None:
        return None
    return value, end


def dump(value: JsonValue) -> str:
    """`value` as compact JSON text, each number as it was written, characters unescaped where JSON allows
    (but for lone surrogates, which no UTF-8 could carry).

    Two values have the same text exactly when they are the same document: same values, types, number
    spellings and key order.
    """
    text = _dump_slowly(value) if _C_ENCODER is None else "".join(_C_ENCODER(value, 0))
    return text if text.isascii() else _SURROGATE.sub(_escaped, text)


_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"


def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; where a key stands again, it is a `RepeatedKey` there."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    made = {}
    times: dict[str, int] = {}
    for name, value in pairs:
        made[next_key(str(name), made, times)] = value
    return made


def next_key(key: str, taken: Container[str], times: dict[str, int]) -> str:
    """What a key is in an object that has keys already: itself, or a `RepeatedKey`.

    Args:
        taken: the keys that the object has.
        times: empty for a new object; how often each key was met that stands there again.
    """
    if key not in taken:
        return key
    times[key] = nth = times.get(key, 1) + 1
    return RepeatedKey(key, nth)


def repeats_a_key(keys: Iterable[str]) -> bool:
    """Whether one of an object's keys stands there more than once."""
    return RepeatedKey in map(type, keys)


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NotExact("an object with a key twice")
    return made


def _refused(name: str) -> Any:
    raise NotExact(f"{name} is not JSON")


def _decoder(number: Callable[[str], Number]) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_int=number,
        parse_float=number,
        parse_constant=number,
        object_pairs_hook=as_object,
    )


_DECODER = _decoder(Number)

_UNNOTICED = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)
"""Drops all but the last of a key that stands twice."""

_STRICT = json.JSONDecoder(
    parse_int=Number,
    parse_float=Number,
    parse_constant=_refused,
    object_pairs_hook=_object_without_repeats,
)


_CONTAINERS = frozenset({dict, list})


def _keys_within(value: JsonValue, limit: int) -> int | None:
    """How many keys all objects have together; `None` where containers are nested deeper than so many."""
    # Level by level: no recursion, and only containers are looked into.
    level: list[Any] = [value]
    keys = 0
    for _ in range(limit):
        objects = [each for each in level if type(each) is dict]
        keys += sum(map(len, objects))
        lists = level if not objects else [each for each in level if type(each) is list]
        inner = [*chain.from_iterable(map(dict.values, objects)), *chain.from_iterable(lists)]
        level = list(compress(inner, map(_CONTAINERS.__contains__, map(type, inner))))
        if not level:
            return keys
    return None


def _string(text: str) -> str:
    # Called for every string of a document: mostly a plain one.
    return encode_basestring(text) if type(text) is str or not isinstance(text, Number) else text


def _dump_slowly(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_string(key)}:{_dump_slowly(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dump_slowly, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    return "null" if value is None else "true" if value else "false"


def _c_encoder() -> Callable[[JsonValue, int], Any] | None:
    # CPython's own encoder calls the given function for every string, a `Number` among them: it runs
    # ten times as fast as a walk in Python, and writes a number as it is. Other Pythons lack it.
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return None
    encoder: Callable[[JsonValue, int], Any] = make(None, None, _string, None, ":", ",", False, False, False)
    return encoder


_C_ENCODER = _c_encoder()
