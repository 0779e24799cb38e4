"""What `terse fluency` has to tell, and when it refuses to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

FEWEST_PAIRS = 30
"""Fewer questions cannot tell a difference of ten points from chance."""
MOST_GUESSED = 0.5
"""Share of the original's right answers that the model may find without the result."""

Interval = tuple[float, float]


class Arm(StrEnum):
    """What the model is shown with a question."""

    RAW = "original"
    EMITTED = "emitted"
    AGAIN = "original again"
    """Control: what differs from `RAW` is the model's own noise."""
    WITHHELD = "withheld"
    """Control: what is right here was guessed."""


@dataclass(frozen=True, slots=True)
class Answer:
    given: str
    right: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the answers it got. An arm that got none is missing."""

    name: str
    kind: str
    words: str
    answer: str
    answers: Mapping[Arm, Answer]

    @property
    def is_complete(self) -> bool:
        return all(arm in self.answers for arm in Arm)


@dataclass(frozen=True, slots=True)
class Share:
    """Right answers of an arm, with a 95 % interval."""

    right: int
    of: int
    interval: Interval

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 0.0


@dataclass(frozen=True)
class Fluency:
    """One run. Only questions answered in every arm are counted: the arms stay paired.

    Attributes:
        wilson, paired: how intervals are worked out (`terse.fluency.intervals`).
        failures: why questions were not answered.
        raw_tokens, emitted_tokens: of the results asked about.
    """

    model: str
    endpoint: str
    policy: str
    results: int
    raw_tokens: int
    emitted_tokens: int
    asked: Sequence[Asked]
    wilson: Callable[[int, int], Interval]
    paired: Callable[[Sequence[bool], Sequence[bool]], Interval]
    failures: Sequence[str] = ()
    notes: Sequence[str] = field(default=())

    @cached_property
    def complete(self) -> Sequence[Asked]:
        return [asked for asked in self.asked if asked.is_complete]

    @property
    def kinds(self) -> Sequence[str]:
        return sorted({asked.kind for asked in self.complete})

    def share(self, arm: Arm, kind: str | None = None) -> Share:
        """Right answers of an arm; of one kind of question, or of all."""
        right = self._right(arm, kind)
        return Share(sum(right), len(right), self.wilson(sum(right), len(right)))

    def difference(self, arm: Arm) -> tuple[float, Interval]:
        """How much more often an arm is right than the original, with its interval."""
        one, other = self._right(arm, None), self._right(Arm.RAW, None)
        mean = (sum(one) - sum(other)) / len(one) if one else 0.0
        return mean, self.paired(one, other)

    def _right(self, arm: Arm, kind: str | None) -> list[bool]:
        return [asked.answers[arm].right for asked in self.complete if kind is None or asked.kind == kind]

    @property
    def refusal(self) -> str:
        """Why there is nothing to report; empty where there is."""
        for arm in (Arm.AGAIN, Arm.WITHHELD):
            if self.asked and not any(arm in asked.answers for asked in self.asked):
                return f"no control: no question was answered with {arm.value!r}"
        pairs = len(self.complete)
        if pairs < FEWEST_PAIRS:
            return f"{pairs} questions answered in all arms are too few: {FEWEST_PAIRS} at least"
        raw, withheld = self.share(Arm.RAW), self.share(Arm.WITHHELD)
        if not raw.right:
            return "the model answers no question from the original: there is nothing to compare with"
        if withheld.right > MOST_GUESSED * raw.right:
            return (
                f"the control fails: {withheld.right} of {withheld.of} answers are right without the result, "
                f"{raw.right} with it"
            )
        return ""

    @property
    def difference_is_loss(self) -> bool:
        """Whether the emitted form is read worse, beyond chance."""
        return self.difference(Arm.EMITTED)[1][1] < 0

    @property
    def verdict(self) -> str:
        """One sentence: what the interval of the difference says, and no more."""
        mean, (low, high) = self.difference(Arm.EMITTED)
        spread = points(mean, (low, high))
        if high < 0:
            return f"the emitted form is read worse than the original: {spread}"
        if low > 0:
            return f"the emitted form is read better than the original: {spread}"
        return f"no difference was found between emitted form and original: {spread}"


def points(mean: float, interval: Interval) -> str:
    """`-1.7 points, 95 % interval -6.7 to +3.3`."""
    low, high = interval
    return f"{100 * mean:+.1f} points, 95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
