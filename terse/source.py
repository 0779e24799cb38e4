"""Rule files as text with positions: what a diagnostic points into."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """One rule file as it was read.

    `path` is what people are shown: relative to where the command runs, with forward slashes.
    """

    path: str
    text: str
    _line_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        position = self.text.find("\n")
        while position != -1:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        object.__setattr__(self, "_line_starts", tuple(starts))

    @property
    def line_count(self) -> int:
        return len(self._line_starts)

    def line_of(self, offset: int) -> int:
        """The line that holds character `offset`, counted from 1."""
        return bisect_right(self._line_starts, offset)

    def start_of(self, line: int) -> int:
        """The first character of a line (counted from 1)."""
        return self._line_starts[line - 1]

    def column_of(self, offset: int) -> int:
        """The column of character `offset` in its line, counted from 1, in characters."""
        return offset - self._line_starts[self.line_of(offset) - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (counted from 1) without its line end."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a rule file: characters `start` (included) to `end` (excluded)."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        return self.source.column_of(self.start)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def place(self) -> str:
        """`policies/github.terse:14`: how plans, traces and reports name a statement."""
        return f"{self.source.path}:{self.line}"
