"""The texts of `terse explain --html` as rows: bounded, escaped, with what changed from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from terse.hidden import visible

MAX_ROWS = 1_500
"""Lines of a view. Of a longer text so many are shown: its start, its end, and around what was touched."""
LAST_ROWS = 100
MAX_PLACES = 20
"""Touched places of a step that are looked after in a long text."""
LONG_LINE, FEW_LINES, LONG_LINE_OF_FEW = 2_000, 8, 20_000
"""Characters of a line that are shown; a text of few lines, mostly JSON on one, may have longer ones."""
MAX_CHARACTERS = 120_000
"""Characters of a view."""

SIGNS = {"removed": ("r", "−"), "set aside": ("a", "⇢"), "shortened": ("s", "…"), "kept": ("k", "=")}
"""What happened to a line: its class in the page, and the sign before it."""


def shown(text: str) -> str:
    """The text for an element or attribute; what would move a cursor or turn the direction is spelt out."""
    return escape(visible(text, "\t"))


def rows(
    lines: Sequence[str],
    *,
    actions: Mapping[int, str] = {},
    wanted: Iterable[tuple[int, int]] = (),
    unlike: Mapping[str, frozenset[str]] = {},
) -> str:
    """The lines as elements; what is left out is said in its place.

    Args:
        actions: what happened to lines, by number from 0: a key of `SIGNS`.
        wanted: first and last of lines to show even where the text is long.
        unlike: by class, the lines of another text: a line that is none of them gets the class.
    """
    made: list[str] = []
    limit = LONG_LINE_OF_FEW if len(lines) <= FEW_LINES else LONG_LINE
    room = MAX_CHARACTERS
    last = -1
    for number in _chosen(len(lines), wanted):
        if room <= 0:
            break
        if number > last + 1:
            made.append(_gap(number - last - 1))
        last = number
        line = lines[number]
        words = [name for name, other in unlike.items() if _bare(line) not in other]
        sign = ""
        if number in actions:
            name, mark = SIGNS[actions[number]]
            words.append(name)
            sign = f' data-s="{mark}"'
        words.insert(0, "l")
        cut = _cut(line, limit)
        room -= len(cut)
        made.append(f'<div class="{" ".join(words)}" data-n="{number + 1}"{sign}>{cut or " "}</div>')
    if last + 1 < len(lines):
        made.append(_gap(len(lines) - last - 1))
    return "".join(made)


def unlike(lines: Sequence[str], other: Sequence[str]) -> frozenset[str] | None:
    """The lines of `other`, to compare with; None where the two share none, and all would differ."""
    there = frozenset(map(_bare, other))
    return there if any(_bare(line) in there for line in lines) else None


def _bare(line: str) -> str:
    # In JSON with a line for each value, a comma says only that another one follows.
    return line.strip().removesuffix(",")


def _chosen(total: int, wanted: Iterable[tuple[int, int]]) -> Iterator[int]:
    if total <= MAX_ROWS:
        yield from range(total)
        return
    chosen = {*range(MAX_ROWS - 2 * LAST_ROWS), *range(total - LAST_ROWS, total)}
    for first, last in wanted:
        if len(chosen) >= MAX_ROWS + LAST_ROWS:
            break
        chosen.update(range(max(0, first - 1), min(total, first + 3, last + 2)))
    yield from sorted(chosen)


def _cut(line: str, limit: int) -> str:
    if len(line) <= limit:
        return shown(line)
    end = limit // 4
    start = limit - end
    left_out = f'<span class="gap">{len(line) - limit:,} characters not shown</span>'
    return f"{shown(line[:start])} {left_out} {shown(line[-end:])}"


def _gap(number: int) -> str:
    return f'<div class="gap">{number:,} line{"s" if number != 1 else ""} not shown</div>'
