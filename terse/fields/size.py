"""How large a value is, in the units of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from terse.payload.exact import JsonValue, Number, dump


def text_of(value: JsonValue) -> str:
    """The value as a reader fetches it: a string as it is, anything else as compact JSON."""
    return value if isinstance(value, str) and not isinstance(value, Number) else dump(value)


def line_count(text: str) -> int:
    """How many lines the text has; a last one without a line end counts."""
    ends = text.count("\n")
    return ends if text.endswith("\n") or not text else ends + 1


def size_in(value: JsonValue, unit: str, count: Callable[[str], int]) -> int:
    """The size of a value.

    Args:
        unit: `tokens`, `characters`, `bytes` or `lines` of its text, or the `rows` of a list (anything
            else has none).
        count: the tokens of a text.
    """
    if unit == "rows":
        return len(value) if isinstance(value, list) else 0
    text = text_of(value)
    match unit:
        case "characters":
            return len(text)
        case "bytes":
            return len(text.encode("utf-8", "surrogatepass"))
        case "lines":
            return line_count(text)
        case _:
            return count(text)


class Amount(NamedTuple):
    """An amount in a base unit of the language: `2000 characters`."""

    number: int
    unit: str


def exceeds(value: JsonValue, over: Amount, count: Callable[[str], int]) -> bool:
    """Whether the value is larger than the amount."""
    return size_in(value, over.unit, count) > over.number


def counted(number: int, unit: str) -> str:
    """`1 line`, `4,110 characters`: how notes in a result name an amount."""
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


def described(value: JsonValue) -> str:
    """An amount in the value's own unit: `14 keys`, `22 rows`, `120 lines`, `4,110 characters`."""
    if isinstance(value, dict):
        return counted(len(value), "keys")
    if isinstance(value, list):
        return counted(len(value), "rows")
    text = text_of(value)
    lines = line_count(text)
    return counted(lines, "lines") if lines > 1 else counted(len(text), "characters")
