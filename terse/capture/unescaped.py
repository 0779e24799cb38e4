"""A text with its escapes read, at whatever depth they were written, and where each place of it stood."""

from __future__ import annotations

import re
from bisect import bisect_right

# A string within a string has its backslashes doubled each time: any number of them is one escape here.
_ESCAPE = re.compile(r"\\++(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>.)?)", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


class Unescaped:
    """The text of a text that is, or has in it, JSON that cannot be read as such (a part of a document, JSON
    after a prefix).

    Attributes:
        text: what it says, each escape replaced by what it stands for.
    """

    def __init__(self, raw: str) -> None:
        pieces: list[str] = []
        self._places: list[int] = []
        self._raw: list[int] = []
        self._size = len(raw)
        length = position = 0
        for escape in _ESCAPE.finditer(raw):
            piece = raw[position : escape.start()]
            sign = escape["sign"] or ""
            stands = chr(int(escape["code"], 16)) if escape["code"] else _SIGNS.get(sign, sign)
            pieces += (piece, stands)
            length += len(piece)
            self._places += (length, length + len(stands))
            self._raw += (escape.start(), escape.end())
            length += len(stands)
            position = escape.end()
        pieces.append(raw[position:])
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the raw text that a part of `text` stands for."""
        return self._start(start), self._start(end) if end < len(self.text) else self._size

    def _start(self, place: int) -> int:
        at = bisect_right(self._places, place) - 1
        return place if at < 0 else self._raw[at] + place - self._places[at]
