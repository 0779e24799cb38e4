"""The body of a text's delta: what was renumbered, then the hunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from terse.memory import lines as by_lines
from terse.memory import renumbered


class Written(NamedTuple):
    """The lines of the body, how many lines the base has, and how many of them stay."""

    lines: list[str]
    of: int
    same: int
    renumbered: bool


def write(base: str, text: str, expired: Callable[[], bool] = lambda: False) -> Written:
    """What makes `text` of `base`.

    Raises:
        OutOfTime: `expired` said so.
    """
    runs = renumbered.find_runs(base, text, expired)
    head = [renumbered.write(runs)] if runs else []
    start = renumbered.renumber(base, runs) if runs else base
    hunks, same = by_lines.write(start, text, expired)
    return Written([*head, *hunks], base.count("\n") + 1, same, bool(runs))


def read(lines: Sequence[str], base: str) -> str:
    """The text that the body makes of `base`.

    Raises:
        NotDelta: the lines are no such body, or speak of another base.
    """
    if lines and lines[0].startswith(renumbered.SENTENCE):
        runs = renumbered.read(lines[0])
        if runs is None:
            raise by_lines.NotDelta("what was renumbered cannot be read")
        base, lines = renumbered.renumber(base, runs), lines[1:]
    return by_lines.read(lines, base)


def is_line(line: str) -> bool:
    """Whether the line can belong to such a body."""
    return by_lines.is_line(line) or line.startswith(renumbered.SENTENCE)
