"""What the folds of a chain ask of the beginning of a text, found once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from terse.folds.frame import Lines
from terse.payload.kind import Kind
from terse.payload.sniff import sniff

SAMPLE_CHARACTERS = 16_384
SAMPLE_LINES = 160
"""How much of a text is looked at to see whether a fold could be for it."""

MOST_ASKED = 80
"""Lines that stand for the others when their share is asked for."""

FIRST_ASKED = 16
"""So many of these are asked first: where none of them holds, the others are not asked."""


class Survey:
    """The beginning of a text, looked at by one fold after another.

    INVARIANT: it holds no more of the text than `SAMPLE_CHARACTERS` and one.
    """

    def __init__(self, text: str, start: int = 0) -> None:
        """`start`: where the text begins behind a mark line."""
        # One character more, so that `sniff` knows whether the text goes on.
        self._seen = text[start : start + SAMPLE_CHARACTERS + 1]
        self._is_whole = len(text) - start <= SAMPLE_CHARACTERS + 1

    def is_of(self, text: str, start: int) -> bool:
        """Whether this is what `Survey(text, start)` would be."""
        ends = len(text) - start == len(self._seen) if self._is_whole else len(text) - start > len(self._seen)
        return ends and text.startswith(self._seen, start)

    @cached_property
    def sample(self) -> str:
        """The beginning as text: a sign that is not in it is in none of `lines`."""
        return self._seen[:SAMPLE_CHARACTERS]

    @cached_property
    def kind(self) -> Kind:
        return sniff(self._seen)

    @cached_property
    def lines(self) -> Sequence[str]:
        """The first lines, whole."""
        lines = self.sample.split("\n", SAMPLE_LINES)
        if len(lines) > 2:
            lines.pop()  # it may be cut
        return lines

    @cached_property
    def _asked(self) -> tuple[Sequence[str], Sequence[str]]:
        """Lines that are not empty, by some spread: those asked first, and the others."""
        some = [line for line in self.lines if line]
        some = some[:: 1 + len(some) // MOST_ASKED]
        if len(some) < 4 * FIRST_ASKED:
            return some, ()
        # Growing steps: no period of the text can hide what it holds from all of them.
        steps = [number * (number + 1) // 2 for number in range(FIRST_ASKED)]
        first = frozenset(step % len(some) for step in steps)
        return (
            [line for place, line in enumerate(some) if place in first],
            [line for place, line in enumerate(some) if place not in first],
        )

    def share(self, holds: Callable[[str], object]) -> float:
        """How many of the lines that are not empty satisfy `holds`; 0 where the lines asked first do not."""
        first, others = self._asked
        found = len(list(filter(holds, first)))
        if not others:
            return found / len(first) if first else 0.0
        if not found:
            return 0.0
        found += len(list(filter(holds, others)))
        return found / (len(first) + len(others))

    @cached_property
    def whole(self) -> Lines | None:
        """The text as lines, if it is no longer than what is looked at."""
        return Lines.of(self._seen) if self._is_whole else None


_last: list[Survey] = [Survey("")]


def survey(text: str, start: int) -> Survey:
    """The survey of the text from `start` on: the same object while the folds of a chain ask for one text."""
    last = _last[0]
    if not last.is_of(text, start):
        last = _last[0] = Survey(text, start)
    return last
