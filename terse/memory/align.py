"""Which lines of two texts are the same ones: runs that differ, between lines that both have."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher

MAX_PAIRS = 40_000
"""Lines against lines that are compared one with another; beyond it a run counts as changed as a whole."""

Change = tuple[int, int, int, int]
"""`a[a0:a1]` became `b[b0:b1]`; either may be empty."""


class OutOfTime(Exception):  # noqa: N818 — nothing failed: there was no time for more
    """The caller's time is used up."""


def changes(
    a: Sequence[Hashable], b: Sequence[Hashable], expired: Callable[[], bool] = lambda: False
) -> list[Change]:
    """The runs of `a` that became other runs in `b`, in order. What lies between them is equal.

    Lines that stand once in both texts are aligned first, and the rest between them: a blank line or a
    brace never ties two places together that have nothing to do with each other.

    Raises:
        OutOfTime: `expired` said so.
    """
    found: list[Change] = []
    waiting: list[Change] = [(0, len(a), 0, len(b))]
    while waiting:
        if expired():
            raise OutOfTime
        a0, a1, b0, b1 = waiting.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
        if a0 == a1 or b0 == b1:
            if a0 < a1 or b0 < b1:
                found.append((a0, a1, b0, b1))
            continue
        anchors = _anchors(a, a0, a1, b, b0, b1)
        if anchors:
            for place_a, place_b in anchors:
                waiting.append((a0, place_a, b0, place_b))
                a0, b0 = place_a, place_b
            waiting.append((a0, a1, b0, b1))
        elif (a1 - a0) * (b1 - b0) <= MAX_PAIRS:
            blocks = SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False).get_opcodes()
            found += [(a0 + i, a0 + j, b0 + k, b0 + m) for tag, i, j, k, m in blocks if tag != "equal"]
        else:
            found.append((a0, a1, b0, b1))
    return sorted(found)


def _anchors(
    a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int
) -> list[tuple[int, int]]:
    """The longest rising sequence of lines that stand once in both runs."""
    once_a, once_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    places = {b[place]: place for place in range(b0, b1) if once_b[b[place]] == 1}
    pairs = [
        (place, places[a[place]]) for place in range(a0, a1) if once_a[a[place]] == 1 and a[place] in places
    ]
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(pairs)
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        before[index] = ends[at - 1] if at else -1
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]
