"""Templates as text: `{url}/forks`, and `f"…"` where the text has signs of its surroundings' own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import Any

from terse.layout.document import Slot
from terse.layout.strict import NotLayout
from terse.payload.exact import Verbatim

KEY_NAME = "#key"
"""The name that templates use for the key of a keyed table's row."""

SLOT_NAME = re.compile(r"[A-Za-z_@$][\w@$-]*|#key|#[1-9][0-9]*")
"""Names that may stand in a template's slot; others have no templates pointing at them."""

Parts = tuple[str | Slot, ...]


def is_slot(path: tuple[str, ...]) -> bool:
    """Whether a slot can name the value at this path."""
    # Of a key that stands twice, a slot names the first.
    return all(type(name) is str and SLOT_NAME.fullmatch(name) for name in path)


_SURROGATE = re.compile(r"[\ud800-\udfff]")


def quote(text: str) -> str:
    """A JSON string. A lone surrogate is escaped, so that the whole can always be sent as UTF-8."""
    quoted = encode_basestring(text)
    if quoted.isascii():
        return quoted
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def read_string(text: str, at: int) -> tuple[str, int]:
    """The JSON string whose opening quote stands at `at`, and the place after it."""
    try:
        value, end = scanstring(text, at + 1, True)
    except ValueError:
        raise NotLayout("a quoted string that does not end") from None
    return value, end


_SIMPLE_TEXT = re.compile(r'[^\s,"\[\]{}\x00-\x1f\x7f\ud800-\udfff]*')


def write_template(parts: Sequence[str | Slot]) -> str:
    """A template in a header: bare, or quoted where its text has signs of the header's own."""
    first = parts[0] if isinstance(parts[0], str) else ""
    simple = all(_SIMPLE_TEXT.fullmatch(part) for part in parts if isinstance(part, str))
    if not simple or first.startswith(("*", "=", "-")) or re.match(r"f\Z|json", first):
        return write_quoted(parts)
    return "".join(part if isinstance(part, str) else _slot(part) for part in parts)


def write_quoted(parts: Sequence[str | Slot]) -> str:
    """`f"{url}/forks{{/sha}}"`: JSON escapes, and braces of the text doubled."""
    inner = "".join(
        quote(part)[1:-1].replace("{", "{{").replace("}", "}}") if isinstance(part, str) else _slot(part)
        for part in parts
    )
    return f'f"{inner}"'


def _slot(slot: Slot) -> str:
    return "{" + ".".join(slot.path) + "}"


_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"')
_PIECE = re.compile(r"\{(?P<slot>[^{}\"]*)\}|(?P<text>(?:[^{}]|\{\{|\}\})+)|(?P<bad>[{}])")


def read_quoted(text: str, at: int) -> tuple[Parts, int]:
    """The parts of the template whose `f"` stands at `at`, and the place after it."""
    found = _STRING_END.match(text, at + 2)
    if found is None:
        raise NotLayout("a template that does not end")
    parts: list[str | Slot] = []
    for piece in _PIECE.finditer(text, at + 2, found.end() - 1):
        if piece["slot"] is not None:
            parts.append(_read_slot(piece["slot"]))
        elif piece["bad"] is not None:
            raise NotLayout("a brace alone in a template")
        else:
            inner = piece["text"].replace("{{", "{").replace("}}", "}")
            value, end = read_string(f'"{inner}"', 0)
            if end != len(inner) + 2:
                raise NotLayout("a quote inside a template")
            parts.append(value)
    return tuple(parts), found.end()


def read_bare(run: str) -> Parts:
    """The parts of a template without quotes."""
    parts: list[str | Slot] = []
    for index, piece in enumerate(re.split(r"\{([^{}]*)\}", run)):
        if index % 2:
            parts.append(_read_slot(piece))
        elif piece:
            parts.append(piece)
    return tuple(parts)


def _read_slot(path: str) -> Slot:
    if not path:
        return Slot(())
    names = tuple(path.split("."))
    if not all(SLOT_NAME.fullmatch(name) for name in names):
        raise NotLayout("no name in a slot")
    return Slot(names)


def fill(made: dict[str, Any], waiting: Mapping[str, Parts]) -> None:
    """Put the strings that follow from an object's other values in their places."""
    if not waiting:
        # Nearly every object: what stands below is a cycle of functions, which only the collector frees.
        return
    state: dict[str, bool] = {}

    def value(path: tuple[str, ...]) -> str:
        if path and path[0] in waiting:
            settle(path[0])
        found: Any = made
        for name in path:
            if not isinstance(found, dict) or name not in found:
                raise NotLayout("a slot that names no value")
            found = found[name]
        if not path or not isinstance(found, str) or isinstance(found, Verbatim):
            raise NotLayout("a template with a slot that is no text")
        return found

    def settle(key: str) -> None:
        if key in state:
            if not state[key]:
                raise NotLayout("a template that follows from itself")
            return
        state[key] = False
        made[key] = "".join(part if isinstance(part, str) else value(part.path) for part in waiting[key])
        state[key] = True

    for key in waiting:
        settle(key)
