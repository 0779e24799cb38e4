"""Weighing texts in tokens: exactly where it matters, by samples where the difference is plain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from terse.plan.trace import NOT_COUNTED
from terse.tokens.counting import at_least
from terse.tokens.cuts import chunks

LONG = 300_000
"""Characters. Shorter texts are always counted: that takes some 20 ms."""

WINDOWS, WINDOW = 64, 2048
"""A sample: so many stretches of so many characters, evenly spread. On records of 1 MB, 50 of them were
within 2.2 % of the exact count; and the forms of one document differ from their samples alike."""

PLAIN = 0.04
"""A difference of this share is taken from samples; a smaller one is counted."""


SHORT, PARTS = 2_000, 40
"""Where it is only asked whether a text has so many tokens, it is counted in parts of about so many
characters, or so many parts."""


FEW, ROOM = 10_000, 5
"""So many tokens are looked for without counting first, in so many characters each."""


class Scale:
    """The tokens of the texts of one run; each text is counted once.

    Which step of a chain is kept may rest on samples, the same on every run. What is sent never does:
    the result and the original are counted exactly.
    """

    def __init__(self, count: Callable[[str], int], *, tells_all: bool) -> None:
        """
        Args:
            tells_all: count for the trace what no decision needs.
        """
        self._count = count
        self.tells_all = tells_all
        self._counts: dict[str, int] = {}
        self._begun: dict[str, tuple[int, Iterator[str]]] = {}
        self._samples: dict[str, float] = {}

    def count(self, text: str) -> int:
        """The tokens of the text, exactly.

        Raises:
            TokenizerError: the tokenizer gave up on the text.
        """
        known = self._counts.get(text)
        if known is None:
            counted, parts = self._begun.pop(text, None) or (0, (text,))
            known = self._counts[text] = counted + sum(map(self._count, parts))
        return known

    def is_smaller(self, text: str, than: str) -> bool:
        """Whether the text has fewer tokens than the other.

        Raises:
            TokenizerError: the tokenizer gave up on one of them.
        """
        if max(len(text), len(than)) > LONG:
            ratio = self._sampled(text) / max(1.0, self._sampled(than))
            if abs(ratio - 1) > PLAIN:
                return ratio < 1
        return self.reaches(than, self.count(text) + 1)

    def is_under(self, text: str, tokens: int) -> bool:
        """Whether the text has fewer tokens than so many, of which a long text has more for certain."""
        return len(text) <= LONG and not self.reaches(text, tokens)

    def reaches(self, text: str, tokens: int) -> bool:
        """Whether the text has at least so many tokens: exactly, but counted no further than that takes.

        Raises:
            TokenizerError: the tokenizer gave up on the text.
        """
        known = self._counts.get(text)
        if known is not None:
            return known >= tokens
        begun = self._begun.get(text)
        if begun is None and tokens <= FEW and at_least(text[: ROOM * tokens]) >= tokens:
            return True
        counted, parts = begun or (0, chunks(text, max(SHORT, len(text) // PARTS)))
        while counted < tokens:
            part = next(parts, None)
            if part is None:
                self._counts[text] = counted
                self._begun.pop(text, None)
                return False
            counted += self._count(part)
            self._begun[text] = counted, parts
        return True

    def known(self, text: str) -> int:
        """The tokens of the text for a trace: `NOT_COUNTED` when nobody needed them."""
        if self.tells_all:
            return self.count(text)
        return self._counts.get(text, NOT_COUNTED)

    def _sampled(self, text: str) -> float:
        if len(text) <= LONG:
            return self.count(text)
        known = self._samples.get(text)
        if known is None:
            step = (len(text) - WINDOW) / (WINDOWS - 1)
            starts = [int(number * step) for number in range(WINDOWS)]
            sample = sum(self._count(text[start : start + WINDOW]) for start in starts)
            known = self._samples[text] = sample * len(text) / (WINDOWS * WINDOW)
        return known
