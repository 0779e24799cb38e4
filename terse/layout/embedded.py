"""JSON inside a JSON string: the spellings that can be rebuilt to the character."""

from __future__ import annotations

import re

from terse.payload.exact import JsonValue, NotExact, dump, parse

STYLES = tuple(
    spacing + escapes for escapes in ("", "_ascii") for spacing in ("", "_spaced", "_indent2", "_indent4")
)
"""How the text in the string was spelt: compact, with a space after `,` and `:`, or indented; and with
every character beyond ASCII escaped, as Python does by default."""

MIN_CHARACTERS = 20
"""A shorter string is as well read as it is."""


def unspell(text: str) -> tuple[JsonValue, str] | None:
    """The document that a string holds, and its style; `None` where it could not be rebuilt."""
    if len(text) < MIN_CHARACTERS or text[0] not in "{[" or text[-1] not in "}]":
        return None
    try:
        value = parse(text)
    except NotExact:
        return None
    for style in STYLES:
        if spell(value, style) == text:
            return value, style
    return None


def spell(value: JsonValue, style: str) -> str:
    """The JSON text of `value` in one of `STYLES`."""
    if style.startswith("_spaced"):
        text = _spaced(value)
    elif style.startswith("_indent"):
        text = _indented(value, int(style[7]), 0)
    else:
        text = dump(value)
    return _NOT_ASCII.sub(_escaped, text) if style.endswith("_ascii") else text


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


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
