"""A payload as lines that can be pointed at: JSON with a line for each value, any other text as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from terse.payload.exact import JsonValue, dump
from terse.payload.payload import Payload
from terse.plan.trace import Touched
from terse.plan.witness import token

INLINE = 60
"""A list or object of scalars that is no longer stays on one line, unless something in it was touched."""


@dataclass(slots=True)
class LaidOut:
    """The lines, and where values stand.

    Attributes:
        is_json: line breaks and indents are ours; everything else is the original's.
        spans: first and last line, from 0, of each touched place, by its JSON pointer.
    """

    lines: list[str]
    is_json: bool = False
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)

    def ranges(self, touched: Touched) -> Iterator[tuple[int, int]]:
        """First and last line, from 0, of what was touched."""
        for place in touched.places:
            if place in self.spans:
                yield self.spans[place]
        yield from ((first - 1, last - 1) for first, last in touched.lines if last <= len(self.lines))


def lay_out(text: str, touched: list[Touched]) -> LaidOut:
    """Lay out an original for a reader.

    Args:
        touched: what has to be found again.
    """
    value = Payload.of(text).json
    if value is None:
        lines = text.split("\n")
        if lines[-1] == "" and len(lines) > 1:
            lines.pop()
        return LaidOut(lines)
    places = {place for each in touched for place in each.places}
    made = LaidOut([], True)
    _Writer(made, places).write(value)
    return made


class _Writer:
    def __init__(self, made: LaidOut, places: set[str]) -> None:
        self._made = made
        self._places = places
        self._opened = {place[:end] for place in places for end in _ends(place)}
        """Pointers of what touched places stand in: written line by line."""

    def write(self, value: JsonValue) -> None:
        self._value(value, "", "", "", "")

    def _value(self, value: JsonValue, at: str, indent: str, before: str, after: str) -> None:
        lines = self._made.lines
        first = len(lines)
        if isinstance(value, (dict, list)) and value and not self._is_inline(value, at):
            items: list[tuple[str, str, JsonValue]]
            if isinstance(value, dict):
                items = [
                    (f"{at}/{token(key)}", f"{dump([key])[1:-1]}: ", item) for key, item in value.items()
                ]
                opening, closing = "{", "}"
            else:
                items = [(f"{at}/{index}", "", item) for index, item in enumerate(value)]
                opening, closing = "[", "]"
            lines.append(f"{indent}{before}{opening}")
            for number, (place, name, item) in enumerate(items, 1):
                self._value(item, place, f"{indent}  ", name, "," if number < len(items) else "")
            lines.append(f"{indent}{closing}{after}")
        else:
            lines.append(f"{indent}{before}{dump([value])[1:-1]}{after}")
        if at in self._places:
            self._made.spans[at] = (first, len(lines) - 1)

    def _is_inline(self, value: dict[str, JsonValue] | list[JsonValue], at: str) -> bool:
        if at in self._opened or len(value) > INLINE // 2:
            return False
        items = value.values() if isinstance(value, dict) else value
        if any(isinstance(item, (dict, list)) for item in items):
            return False
        if any(isinstance(item, str) and len(item) > INLINE for item in items):
            return False
        return len(dump(value)) <= INLINE


def _ends(place: str) -> Iterator[int]:
    end = place.rfind("/")
    while end >= 0:
        yield end
        end = place.rfind("/", 0, end)
