"""`fit in N tokens { … }`: field lines one after another, until the result fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Line = TypeVar("Line")


def fit_in(tokens: int, size: int, lines: Sequence[Line], apply: Callable[[Line], int]) -> int:
    """Apply lines until the result fits, and no line more.

    Args:
        tokens: what it must fit in.
        size: the tokens of the result so far.
        apply: applies a line and returns the tokens of the result then.

    Returns:
        the tokens of the result at the end; still more than `tokens` when no line was left.
    """
    for line in lines:
        if size <= tokens:
            break
        size = apply(line)
    return size
