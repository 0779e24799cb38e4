"""Where the members of a JSON object lie in the bytes of a message, so that one can be replaced in place."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
from msgspec import Raw

_OBJECT = msgspec.json.Decoder(dict[str, Raw])
_OBJECTS = msgspec.json.Decoder(list[dict[str, Raw]])
_STRING = msgspec.json.Decoder(str)

# Possessive, so that a key of any length is scanned without remembering where it could go back to.
_KEY_AND_COLON = rb'("(?:[^"\\]++|\\.)*+")[ \t\r\n]*+:[ \t\r\n]*+'
_FIRST_MEMBER = re.compile(rb"[ \t\r\n]*+\{[ \t\r\n]*+(?:" + _KEY_AND_COLON + rb"|\})")
_NEXT_MEMBER = re.compile(rb"[ \t\r\n]*+(?:,[ \t\r\n]*+" + _KEY_AND_COLON + rb"|\})")
_SPACE = re.compile(rb"[ \t\r\n]*+")

MALFORMED = (msgspec.DecodeError, RecursionError, ValueError)
"""What the functions here raise on bytes that are not what they look for: the message is left alone."""


class Span(NamedTuple):
    """Bytes `start` (included) to `end` (excluded) of a message."""

    start: int
    end: int


# An escaped surrogate. In a string that has an escaped backslash before it this may match what is none;
# for its purpose below that does no harm.
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def envelope(message: bytes) -> tuple[bytes, dict[str, Span]]:
    """The members of a message, and the bytes to look for further members in.

    These are the message itself or, where it has a lone surrogate that the decoder refuses, a copy of the
    same length with all surrogates replaced: spans are the same in both, and texts are read from the message.

    Raises:
        MALFORMED: see `members`.
    """
    try:
        return message, members(message)
    except msgspec.DecodeError:
        # NUL, so that no key becomes one that anybody looks for.
        masked = _SURROGATE_ESCAPE.sub(rb"\\u0000", message)
        if masked == message:
            raise
        return masked, members(masked)


def members(message: bytes, start: int = 0, end: int | None = None) -> dict[str, Span]:
    """The members of the object in `message[start:end]`, in their order, each with the span of its value.

    Raises:
        MALFORMED: it is not an object, a key stands twice in it, or it nests deeper than the decoder goes.
    """
    whole = start == 0 and end is None
    values = _OBJECT.decode(message if whole else memoryview(message)[start:end])
    return _walk(message, start, values)[0]


def objects(message: bytes, span: Span) -> list[dict[str, Span]]:
    """The members of each object of the list at `span`.

    Raises:
        MALFORMED: it is not a list of objects, or one of them is none that `members` would take.
    """
    return [found for _, found in whole_objects(message, span)]


def whole_objects(message: bytes, span: Span) -> list[tuple[Span, dict[str, Span]]]:
    """Where each object of the list at `span` lies, and its members.

    Raises:
        MALFORMED: see `objects`.
    """
    found: list[tuple[Span, dict[str, Span]]] = []
    listed = _OBJECTS.decode(memoryview(message)[span.start : span.end])
    position = _skip(message, span.start) + 1
    for values in listed:
        start = _skip(message, position)
        object_spans, position = _walk(message, start, values)
        found.append((Span(start, position), object_spans))
        position = _skip(message, position) + 1
    if position < span.end - 1 and listed:
        raise ValueError("the list does not end where its last object does")
    return found


def member(message: bytes, found: dict[str, Span], key: str) -> Span:
    """Where a whole member lies, with its key and one comma: without it, what is left is an object still.

    Args:
        found: all members of the object, in their order.
    """
    keys = list(found)
    place = keys.index(key)
    if place:
        return Span(found[keys[place - 1]].end, found[key].end)
    start = message.rindex(b"{", 0, found[key].start) + 1
    if len(keys) == 1:
        return Span(start, found[key].end)
    return Span(start, message.index(b",", found[key].end) + 1)


def string(message: bytes, span: Span) -> str:
    """The text of the JSON string at `span`, lone surrogates included.

    Raises:
        MALFORMED: it is not a string, or not valid UTF-8.
    """
    raw = message[span.start : span.end]
    try:
        return _STRING.decode(raw)
    except msgspec.DecodeError:
        return _string_with_surrogates(raw)


def encode_string(text: str) -> bytes:
    """`text` as a JSON string on one line: UTF-8, but for lone surrogates, which are escaped.

    U+2028, U+2029 and U+0085 are escaped as well: a reader that splits lines where Unicode does would
    cut the message there.

    Raises:
        ValueError: a lone high surrogate stands before a lone low one, which JSON reads as one character.
    """
    try:
        encoded = msgspec.json.encode(text)
    except UnicodeEncodeError:
        encoded = _encode_with_surrogates(text)
    if not text.isascii():
        for separator, escape in _LINE_SEPARATORS:
            encoded = encoded.replace(separator, escape)
    return encoded


_LINE_SEPARATORS = (
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
    ("\u0085".encode(), b"\\u0085"),
)


def _skip(message: bytes, position: int) -> int:
    """The next position that holds no white space."""
    found = _SPACE.match(message, position)
    return found.end() if found else position


def _walk(message: bytes, start: int, values: dict[str, Raw]) -> tuple[dict[str, Span], int]:
    """The spans of the decoded members of the object that begins at `start`, and where the object ends.

    INVARIANT: every value is compared with the bytes where it is said to be. A key that stands twice is
    noticed that way: the decoder keeps its last value only, so the walk meets bytes it does not expect.
    """
    spans: dict[str, Span] = {}
    found = _FIRST_MEMBER.match(message, start)
    for key, raw in values.items():
        if found is None or found[1] is None or _key(found[1]) != key:
            raise ValueError(_TWICE)
        position = found.end()
        end = position + memoryview(raw).nbytes
        if not _stands_at(message, position, end, raw):
            raise ValueError(_TWICE)
        spans[key] = Span(position, end)
        found = _NEXT_MEMBER.match(message, end)
    if found is None or found[1] is not None:
        raise ValueError(_TWICE)
    return spans, found.end()


_TWICE = "a key stands twice"
_COMPARED_AT_ONCE = 1024 * 1024


def _stands_at(message: bytes, start: int, end: int, raw: Raw) -> bool:
    """Whether the bytes of the decoded value are those of the message from `start` to `end`."""
    if end - start <= _COMPARED_AT_ONCE:
        return message.startswith(bytes(raw), start)
    # Piece by piece: a copy of a large value would double what its message takes.
    value = memoryview(raw)
    return all(
        message.startswith(value[at : at + _COMPARED_AT_ONCE].tobytes(), start + at)
        for at in range(0, end - start, _COMPARED_AT_ONCE)
    )


def _key(raw: bytes) -> str:
    if b"\\" not in raw:
        return raw[1:-1].decode()
    return _STRING.decode(raw)


def _string_with_surrogates(raw: bytes) -> str:
    # msgspec refuses lone surrogates; the standard library carries them.
    import json

    text = json.loads(raw)
    if not isinstance(text, str):
        raise ValueError("not a string")
    return text


def _encode_with_surrogates(text: str) -> bytes:
    import json

    encoded = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    escaped = _SURROGATE.sub(_escape_surrogate, encoded)
    if json.loads(escaped) != text:
        raise ValueError("the text has surrogates that JSON would join to one character")
    return escaped


# How "surrogatepass" writes U+D800 … U+DFFF: a byte sequence that no valid UTF-8 contains.
_SURROGATE = re.compile(rb"\xed([\xa0-\xbf])([\x80-\xbf])")


def _escape_surrogate(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % (0xD000 | (found[1][0] & 0x3F) << 6 | found[2][0] & 0x3F)
