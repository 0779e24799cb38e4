"""Columns of a terminal: how wide a text is there, which is not how many characters it has."""

from __future__ import annotations

import unicodedata

_BEHIND = "\ufdd0"
"""Stands behind a character of two columns. A noncharacter: texts that are shown have it escaped."""


def cells(text: str) -> int:
    """How many columns a text takes that has nothing hidden in it."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def left(text: str, width: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (width - cells(text))


def right(text: str, width: int) -> str:
    """The text at the right of so many columns."""
    return " " * (width - cells(text)) + text


def widened(text: str) -> str:
    """The text with as many characters as it takes columns, for what counts characters; see `narrowed`."""
    if text.isascii():
        return text
    return "".join(each + _BEHIND if _cells(each) == 2 else each for each in text)


def narrowed(text: str) -> str:
    """What `widened` made, as it was."""
    return text.replace(_BEHIND, "")


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
