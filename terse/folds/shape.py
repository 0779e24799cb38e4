"""The pattern that lines with the same number of words share: literals, places, and what each line holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from terse.folds.alike import shared_start
from terse.folds.patterns import SLOT, Pattern, Slot

MOST_SLOTS = 16
_WORD_PARTS = re.compile(r"([0-9]+(?:\.[0-9]+)+|[A-Za-z0-9]+)")
_GAPS = re.compile(r"( +)")
_DECIMAL = re.compile(r"[0-9]\.[0-9]")

Found = tuple[Pattern, list[tuple[int, tuple[str, ...]]]]
"""A pattern, and the lines that follow it with their values."""


@dataclass(frozen=True, slots=True)
class Split:
    """A line as words and the spaces between them: one gap fewer than words."""

    words: list[str]
    gaps: list[str]


def split(line: str) -> Split:
    """The line as words and gaps."""
    if "  " not in line:
        words = line.split(" ")
        return Split(words, [" "] * (len(words) - 1))
    parts = _GAPS.split(line)
    return Split(parts[::2], parts[1::2])


def words_of(line: str) -> list[str]:
    """The words alone."""
    return line.split(" ") if "  " not in line else _GAPS.split(line)[::2]


def pattern_of(members: Sequence[int], splits: Mapping[int, Split], aligned: bool) -> Found | None:
    """The pattern of lines with the same number of words, and each line's values.

    aligned: gaps may differ, where words are padded to one width.
    """
    columns = list(zip(*(splits[index].words for index in members), strict=True))
    gap_columns = list(zip(*(splits[index].gaps for index in members), strict=True))
    literals: list[str] = [""]
    slots: list[Slot] = []
    values: list[Sequence[str]] = []
    pending: int | None = None  # the width a word must be padded to on the left, from the gap before it
    for place, column in enumerate(columns):
        gap = gap_columns[place] if place < len(gap_columns) else None
        constant = len(set(column)) == 1
        steady = gap is None or len(set(gap)) == 1
        left = 0
        if not steady and gap is not None and pending is None:
            left = _width(column, gap)
        if pending is not None:
            slots.append(Slot(">", pending))
            values.append(column)
            literals.append("")
            pending = None
        elif left:
            slots.append(Slot("<", left))
            values.append(column)
            literals.append("")
        elif constant:
            literals[-1] += column[0]
        else:
            for literal, part in _finer(column):
                literals[-1] += literal
                if part is not None:
                    slots.append(Slot())
                    values.append(part)
                    literals.append("")
        if gap is None:
            continue
        if steady:
            literals[-1] += gap[0]
        elif left:
            literals[-1] += " "
        else:
            width = _width(columns[place + 1], gap)
            if not width:
                return None
            literals[-1] += " "
            pending = width
    if len(slots) > MOST_SLOTS:
        return None
    if any(SLOT.search(literal) for literal in literals):
        return None
    if not slots and not literals[0]:
        return None
    rows = list(zip(*values, strict=True)) if values else [()] * len(members)
    return Pattern(tuple(literals), tuple(slots)), list(zip(members, rows, strict=True))


def _width(words: Sequence[str], gaps: Sequence[str]) -> int:
    """The width that words are padded to, on the side of the gap and with one space more, or 0."""
    if not all(words):
        return 0
    # A word longer than the width pushes the rest aside: the padded lines tell the width, and must agree.
    lengths = [(len(word), len(gap)) for word, gap in zip(words, gaps, strict=True)]
    widths = {word + gap - 1 for word, gap in lengths if gap > 1}
    if len(widths) != 1:
        return 0
    width = widths.pop()
    return width if all(max(width, word) + 1 == word + gap for word, gap in lengths) else 0


def _finer(column: Sequence[str]) -> list[tuple[str, Sequence[str] | None]]:
    """The words of one place as literals and what varies: `key=1;max=5` as `key=` 1 `;max=` 5.

    Numbers and names are never cut inside, and parts with one sign between them stay one value, as `03:26`.
    """
    signs = _WORD_PARTS.split(column[0])[::2]
    if len(signs) > 1:
        split: list[list[str]] = []
        for word in column:
            parts = _WORD_PARTS.split(word)
            if parts[::2] != signs:
                break
            split.append(parts)
        else:
            return _joined(list(zip(*split, strict=True)))
    return _affixes(column)


def _joined(parts: list[tuple[str, ...]]) -> list[tuple[str, Sequence[str] | None]]:
    varies = [index for index, part in enumerate(parts) if len(set(part)) > 1]
    if not varies:
        return [("".join(part[0] for part in parts), None)]
    runs: list[list[int]] = [[varies[0], varies[0]]]
    for before, index in pairwise(varies):
        between = sum(len(parts[at][0]) for at in range(before + 1, index))
        if between <= 3:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    pieces: list[tuple[str, Sequence[str] | None]] = []
    end = 0
    for first, last in runs:
        literal = "".join(parts[at][0] for at in range(end, first))
        run = ["".join(cells) for cells in zip(*parts[first : last + 1], strict=True)]
        (start, value), *after = _affixes(run)
        pieces.append((literal + start, value))
        pieces.extend(after)
        end = last + 1
    if end < len(parts):
        pieces.append(("".join(part[0] for part in parts[end:]), None))
    return pieces


def _affixes(column: Sequence[str]) -> list[tuple[str, Sequence[str] | None]]:
    """What all words begin and end with, cut between names, numbers and signs; it leaves a value."""
    start = _boundary(shared_start(column), column, from_end=False)
    rest = [word[start:] for word in column]
    end = _boundary(shared_start([word[::-1] for word in rest]), rest, from_end=True)
    pieces: list[tuple[str, Sequence[str] | None]] = []
    if end:
        pieces.append((rest[0][-end:], None))
        rest = [word[:-end] for word in rest]
    return [(column[0][:start], rest), *pieces]


def _boundary(common: str, column: Sequence[str], from_end: bool) -> int:
    length = len(common)
    while length and any(_inside(word, length, from_end) for word in column):
        length -= 1
    return length


def _inside(word: str, length: int, from_end: bool) -> bool:
    """Whether a cut after `length` characters takes a name or a number apart, or leaves nothing."""
    if len(word) <= length:
        return True
    a, b = (word[-length], word[-length - 1]) if from_end else (word[length - 1], word[length])
    if (a.isdigit() and b.isdigit()) or (a.isalpha() and b.isalpha()):
        return True
    return (a == "." or b == ".") and bool(_DECIMAL.search(word))
