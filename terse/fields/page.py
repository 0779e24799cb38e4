"""A text under its field lines: its lines, those that are kept, and what stands for those cut out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from terse.fields.regex import compiled
from terse.fields.selector import CodeBlocks, Everything, LinesMatching, Target, TerminalCodes

MAX_LINE = 100_000
"""Characters. A longer line is not searched: it counts as matching for `keep` and as not matching for
whatever takes away, so that a search has a bound and errs on the side of the reader."""

TERMINAL_CODE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b\n]*\x1b\\"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-Z\\^_`-~]"
)
"""ANSI escape sequences (ECMA-48): CSI, OSC, other strings, and two-character ones."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")

NOTE = -1


class Part(NamedTuple):
    """Lines of a page that a target speaks of, as they stand: `lines[start:end]`."""

    start: int
    end: int


class Gap(NamedTuple):
    """What is cut out in one place.

    Attributes:
        number: which gap of the part it is, from 0.
        text: all of it.
        source: all of it but earlier notes of ours: what there is to count.
    """

    number: int
    text: str
    source: str


class Cutting(NamedTuple):
    """What is to be cut out of a part.

    Attributes:
        start, end: characters of the part, from `start` to before `end`.
        note: what stands for a gap; empty for nothing; None to leave the gap as it is (that is then no
            gap, and has no number).
    """

    part: Part
    start: int
    end: int
    note: Callable[[Gap], str | None]


class Page:
    """A text, line by line. Each line remembers which line of the text as received it was."""

    def __init__(self, text: str, whole: str | None = None) -> None:
        """
        Args:
            whole: what a handle of the whole text holds, if that is not `text`: the result as received.
        """
        self._text = text
        self._whole = text if whole is None else whole
        self._kept: set[int] = set()
        self._changed = False

    # Most rules have no line for a text: then it is never taken apart.

    @cached_property
    def received(self) -> list[str]:
        """The lines as received."""
        return _lines(self._text)

    @cached_property
    def _lines(self) -> list[str]:
        return list(self.received)

    @cached_property
    def _origins(self) -> list[int]:
        return list(range(len(self.received)))

    def copy(self) -> Page:
        """A page of the same text in the same state, for an attempt."""
        other = Page.__new__(Page)
        other._text, other._whole = self._text, self._whole
        other.received = self.received
        other._kept, other._changed = self._kept, self._changed
        other._lines, other._origins = list(self._lines), list(self._origins)
        return other

    @property
    def edited(self) -> bool:
        return self._changed

    @property
    def text(self) -> str:
        """The text as it stands."""
        if not self._changed:
            return self._text
        return "".join(self._lines)

    @property
    def kept_lines(self) -> list[str]:
        """The kept lines as received, in order."""
        return [self.received[number] for number in sorted(self._kept)]

    @property
    def kept(self) -> frozenset[int]:
        """The numbers of the kept lines as received, from 0."""
        return frozenset(self._kept)

    def standing(self) -> dict[int, str]:
        """What stands of each line as received, by its number from 0."""
        standing: dict[int, str] = {}
        for line, origin in zip(self._lines, self._origins, strict=True):
            if origin != NOTE:
                standing[origin] = standing.get(origin, "") + line
        return standing

    def has(self, target: Target) -> bool:
        """Whether the target finds something in the text as received."""
        return bool(self._find(target, long_lines_match=False))

    def keep(self, target: Target) -> int:
        """Let nothing happen to the lines found, and return how many parts there are. Before any edit."""
        parts = self._find(target, long_lines_match=True)
        for part in parts:
            self._kept.update(range(part.start, part.end))
        return len(parts)

    def parts(self, target: Target, wanted: Callable[[str], bool] | None = None) -> list[Part]:
        """The parts that the target speaks of, as they stand; matching lines as runs of neighbours.

        Kept lines can be inside a code block or the whole text: `cut` leaves them.

        Args:
            wanted: asked of each line, block or whole, as received.
        """
        found = [
            part
            for part in self._find(target, long_lines_match=False)
            if wanted is None or wanted("".join(self.received[part.start : part.end]))
        ]
        match target:
            case Everything():
                return [Part(0, len(self._lines))] if found else []
            case CodeBlocks():
                return list(self._standing(found))
            case _:
                return list(self._runs({part.start for part in found} - self._kept))

    def single_lines(self, part: Part) -> Iterator[Part]:
        """The lines of a part, each as one."""
        return (Part(index, index + 1) for index in range(part.start, part.end))

    def text_of(self, part: Part) -> str:
        return "".join(self._lines[part.start : part.end])

    def received_of(self, part: Part) -> str:
        """The lines of a part as they were received, with those between that are gone."""
        if part == (0, len(self._lines)):
            return self._whole
        origins = [origin for origin in self._origins[part.start : part.end] if origin != NOTE]
        return "".join(self.received[min(origins) : max(origins) + 1]) if origins else ""

    def drop_terminal_codes(self) -> tuple[int, str]:
        """Take the terminal codes out of all lines that are not kept.

        Returns:
            how many there were, and their text.
        """
        dropped: list[str] = []
        for index, line in enumerate(self._lines):
            if ("\x1b" in line or "\x9b" in line) and self._origins[index] not in self._kept:
                dropped += (found.group() for found in TERMINAL_CODE.finditer(line))
                self._lines[index] = TERMINAL_CODE.sub("", line)
        self._changed = self._changed or bool(dropped)
        return len(dropped), "".join(dropped)

    def cut(self, cuttings: Iterable[Cutting]) -> list[str]:
        """Cut something out of several parts. Kept lines stay.

        Args:
            cuttings: in the order of their parts.

        Returns:
            what was cut out of each part; empty where everything stayed.
        """
        lines: list[str] = []
        origins: list[int] = []
        cut: list[str] = []
        done = 0
        for cutting in cuttings:
            lines += self._lines[done : cutting.part.start]
            origins += self._origins[done : cutting.part.start]
            cut.append(self._cut_one(cutting, lines, origins))
            done = cutting.part.end
        lines += self._lines[done:]
        origins += self._origins[done:]
        self._lines, self._origins = lines, origins
        self._changed = self._changed or any(cut)
        return cut

    def _cut_one(self, cutting: Cutting, lines: list[str], origins: list[int]) -> str:
        """Add to `lines` and `origins` what a cutting leaves of its part, and return what it cuts out."""
        (first, last), start, end, note = cutting
        gap: list[tuple[str, int]] = []
        cut: list[str] = []

        def close() -> None:
            if not gap:
                return
            text = "".join(piece for piece, _ in gap)
            source = "".join(piece for piece, origin in gap if origin != NOTE)
            # Notes of ours alone are nothing to take out.
            words = note(Gap(len(cut), text, source)) if source else None
            if words is None:
                lines.extend(piece for piece, _ in gap)
                origins.extend(origin for _, origin in gap)
            else:
                cut.append(text)
                if words:
                    lines.append(words + "\n" if text.endswith("\n") else words)
                    origins.append(NOTE)
            gap.clear()

        position = 0
        for index in range(first, last):
            line, origin = self._lines[index], self._origins[index]
            before, after = max(0, start - position), max(0, end - position)
            position += len(line)
            if origin in self._kept or before >= len(line) or after == 0:
                close()
                lines.append(line)
                origins.append(origin)
                continue
            if before:
                lines.append(line[:before])
                origins.append(origin)
            gap.append((line[before:after], origin))
            if after < len(line):
                close()
                lines.append(line[after:])
                origins.append(origin)
        close()
        return "".join(cut)

    def add_note(self, words: str) -> None:
        """Add a note as the last line."""
        if self._lines:
            if self._lines[-1].endswith("\n"):
                words += "\n"
            else:
                # What comes after it makes it a line with an end; its words stay what they were.
                self._lines[-1] += "\n"
        self._lines.append(words)
        self._origins.append(NOTE)

    def undo(self, before: Page) -> None:
        """Be again what a copy was made of."""
        self._lines, self._origins, self._changed = before._lines, before._origins, before._changed

    def _find(self, target: Target, long_lines_match: bool) -> list[Part]:
        """The parts of the text as received that the target speaks of."""
        match target:
            case Everything():
                return [Part(0, len(self.received))] if self.received else []
            case LinesMatching(regex):
                found_in = compiled(regex).found_in
                return [
                    Part(number, number + 1)
                    for number, line in enumerate(self.received)
                    if (found_in(_visible(line)) if len(line) <= MAX_LINE else long_lines_match)
                ]
            case CodeBlocks():
                return list(_code_blocks(self.received))
            case TerminalCodes():
                return [
                    Part(number, number + 1)
                    for number, line in enumerate(self.received)
                    if TERMINAL_CODE.search(line)
                ]
            case _:
                return []

    def _standing(self, parts: list[Part]) -> Iterator[Part]:
        """Where parts of the text as received stand now, without those of which nothing does."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for index, origin in enumerate(self._origins):
            first.setdefault(origin, index)
            last[origin] = index
        for part in parts:
            there = [number for number in range(part.start, part.end) if number in first]
            if there:
                yield Part(first[there[0]], last[there[-1]] + 1)

    def _runs(self, numbers: set[int]) -> Iterator[Part]:
        start: int | None = None
        for index, origin in enumerate(self._origins):
            if origin in numbers:
                start = index if start is None else start
            elif start is not None:
                yield Part(start, index)
                start = None
        if start is not None:
            yield Part(start, len(self._origins))


def _lines(text: str) -> list[str]:
    """The lines with their ends; nothing but a line feed ends one."""
    lines = text.split("\n")
    last = lines.pop()
    ended = [line + "\n" for line in lines]
    return [*ended, last] if last else ended


def _visible(line: str) -> str:
    """The line as a reader sees it: without its end and without terminal codes."""
    line = line.rstrip("\r\n")
    return TERMINAL_CODE.sub("", line) if "\x1b" in line or "\x9b" in line else line


def _code_blocks(lines: list[str]) -> Iterator[Part]:
    """Fenced blocks with their fences; one without an end goes to the end of the text (CommonMark)."""
    fence, start = "", 0
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if not fence:
            if found and not (found.group(1)[0] == "`" and "`" in line[found.end() :]):
                fence, start = found.group(1), number
        elif found and found.group(1).startswith(fence) and not line[found.end() :].strip():
            yield Part(start, number + 1)
            fence = ""
    if fence:
        yield Part(start, len(lines))
