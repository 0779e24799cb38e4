"""Characters that a reader does not see, and how they are written so that one does."""

from __future__ import annotations

import re

# By code point and not by what this Python's Unicode says of them, which changes with its version: a rule
# file that compiles compiles under every Python. Sources: Unicode's PropList (Bidi_Control, White_Space) and
# DerivedCoreProperties (Default_Ignorable_Code_Point).
_CONTROLS = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029"
_DIRECTIONS = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"
_WITHOUT_WIDTH = (
    "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f\\u3164"
    "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
)
_BLANKS = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000"
_LONE_RETURN = "\\r(?!\\n)"

HIDDEN = re.compile(f"[{_CONTROLS}{_DIRECTIONS}{_WITHOUT_WIDTH}{_BLANKS}]|{_LONE_RETURN}")
"""One of: a control, a mark of direction, what has no width, a blank that is no space. Tabs and line ends are
none."""

DECEIVING = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]|{_LONE_RETURN}")
"""Those among them that change how the text around them is shown."""


def escaped(character: str) -> str:
    """The character as the rule language and JSON write it: `\\u200b`; beyond U+FFFF two of these."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def visible(text: str, kept: str = "") -> str:
    """The text as it can be shown: what cannot be seen, or would command a terminal, is escaped.

    Args:
        kept: characters that are shown as they are, whatever they are.
    """
    if text.isprintable() and not HIDDEN.search(text):
        return text
    return "".join(each if each in kept or _is_seen(each) else ascii(each)[1:-1] for each in text)


def _is_seen(character: str) -> bool:
    return character.isprintable() and not HIDDEN.match(character)


def quoted(text: str) -> str:
    """The text in quotes, as the rule language reads it back."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_UNWRITABLE.sub(lambda found: escaped(found[0]), safe)}"'


# A tab or a line end can stand in a file, but not be told from other blanks in a text.
_UNWRITABLE = re.compile(f"[\\t\\n\\r]|{HIDDEN.pattern}")
