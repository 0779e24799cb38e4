"""The four guarantee classes and how they compose."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Guarantee(IntEnum):
    """What a reader of an emitted result can rely on, from weakest to strongest.

    The order is the order of the promises, so the class of a sequence of steps is
    the minimum of the classes of its steps: see `lowest`.
    """

    LOSSY = 0
    """Something is gone."""
    RECOVERABLE = 1
    """All of it can be fetched in this session by a handle that was checked when it was made."""
    LOSSLESS = 2
    """Decodes to an equal value; the decoding is in the text itself."""
    EXACT = 3
    """The same bytes."""

    @property
    def word(self) -> str:
        """The class's name in the rule language: `exact`, `lossless`, `recoverable`, `lossy`."""
        return self.name.lower()

    @classmethod
    def from_word(cls, word: str) -> Guarantee:
        """The class that the rule language calls `word`.

        Raises:
            KeyError: `word` is none of the four.
        """
        return cls[word.upper()]


def lowest(classes: Iterable[Guarantee]) -> Guarantee:
    """The class of steps run one after another: the lowest of theirs, `EXACT` for no step at all."""
    return min(classes, default=Guarantee.EXACT)
