"""How sure a share is, and a difference of two shares over the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random

Z = 1.959964
"""95 % of a normal distribution lie within so many standard deviations."""
RESAMPLES = 4000

Interval = tuple[float, float]


def wilson(right: int, of: int) -> Interval:
    """The 95 % interval of a share, after Wilson (1927): it holds at 0 and 1 and for few questions too."""
    if not of:
        return 0.0, 1.0
    share, square = right / of, Z * Z
    middle = share + square / (2 * of)
    half = Z * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, (middle - half) / (1 + square / of)), min(1.0, (middle + half) / (1 + square / of))


def paired(one: Sequence[bool], other: Sequence[bool]) -> Interval:
    """The 95 % interval of the difference of two shares over the same questions: bootstrap over pairs.

    Where no pair differs there is nothing to draw from: then it reaches to Wilson's bound for none.
    """
    differences = [int(a) - int(b) for a, b in zip(one, other, strict=True)]
    if not any(differences):
        bound = wilson(0, len(differences))[1]
        return -bound, bound
    random = Random(0)
    means = sorted(
        sum(random.choices(differences, k=len(differences))) / len(differences) for _ in range(RESAMPLES)
    )
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
