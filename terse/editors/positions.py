"""Places as editors count them: lines and characters from 0, in UTF-16 units unless told otherwise."""

from __future__ import annotations

from typing import NamedTuple

from terse.source import Source, Span

_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Position(NamedTuple):
    line: int
    character: int


class Range(NamedTuple):
    start: Position
    end: Position


def units(text: str, encoding: str) -> int:
    """How long a text is in the units of the encoding."""
    return len(text.encode(_CODECS[encoding], "surrogatepass")) // _UNIT_BYTES[encoding]


def position_of(source: Source, offset: int, encoding: str = "utf-16") -> Position:
    """Where a character stands."""
    offset = min(max(offset, 0), len(source.text))
    line = source.line_of(offset)
    return Position(line - 1, units(source.text[source.start_of(line) : offset], encoding))


def offset_of(source: Source, at: Position, encoding: str = "utf-16") -> int:
    """The character at a place; where the text has no such place, the last one before it."""
    if at.line >= source.line_count:
        return len(source.text)
    line = source.line_text(at.line + 1)
    left = at.character
    for index, char in enumerate(line):
        left -= units(char, encoding)
        if left < 0:
            return source.start_of(at.line + 1) + index
    return source.start_of(at.line + 1) + len(line)


def range_of(span: Span, encoding: str = "utf-16") -> Range:
    """Where a stretch of a file begins and ends."""
    return Range(position_of(span.source, span.start, encoding), position_of(span.source, span.end, encoding))
