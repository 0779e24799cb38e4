"""JSON inside a JSON string: the spellings that can be rebuilt to the character."""

from __future__ import annotations

from terse.payload.exact import JsonValue, dump

STYLES = ("", "_spaced", "_indent2", "_indent4")
"""How the text in the string was spelt: compact, with a space after `,` and `:`, or indented."""


def spell(value: JsonValue, style: str) -> str:
    """The JSON text of `value` in one of `STYLES`."""
    if style == "":
        return dump(value)
    if style == "_spaced":
        return _spaced(value)
    return _indented(value, int(style[-1]), 0)


def _spaced(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dump(key)}: {_spaced(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spaced, value)) + "]"
    return dump(value)


def _indented(value: JsonValue, width: int, depth: int) -> str:
    if not isinstance(value, (dict, list)) or not value:
        return dump(value)
    inner = "\n" + " " * (width * (depth + 1))
    outer = "\n" + " " * (width * depth)
    if isinstance(value, dict):
        parts = [f"{dump(key)}: {_indented(item, width, depth + 1)}" for key, item in value.items()]
        return "{" + inner + ("," + inner).join(parts) + outer + "}"
    parts = [_indented(item, width, depth + 1) for item in value]
    return "[" + inner + ("," + inner).join(parts) + outer + "]"
