"""The one place that says "did you mean": the closest of the words that could have stood there."""

from __future__ import annotations

from collections.abc import Iterable

# What people write for a word of the language, where no edit distance would find it.
_MEANT = {
    "chars": "characters",
    "char": "characters",
    "kb": "kB",
    "KB": "kB",
    "mb": "MB",
    "percent": "%",
    "sec": "seconds",
    "secs": "seconds",
    "items": "rows",
    "elements": "rows",
    "drop": "remove",
    "delete": "remove",
    "omit": "remove",
    "truncate": "shorten",
    "limit": "shorten",
    "trim": "shorten",
    "preserve": "keep",
    "retain": "keep",
    "match": "on",
    "matches": "on",
    "if": "when",
    "unless": "except",
    "reason": "because",
    "include": "import",
    "policy": "rule",
    "array": "records",
    "list": "records",
    "string": "text",
    "contains": "has",
    "equals": "is",
    "above": "over",
    "exceeds": "over",
    "below": "under",
    "rules": "rule",
    ">": "over",
    "<": "under",
    "|": "then",
    "->": "then",
    "&": "then",
}

_LONGEST = 64
"""Longer words get no suggestion: nobody meant one of ours, and the distance costs time."""


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` was most likely meant to be; None when none is near.

    Near is: the word people often say for it, the same letters in another case, or an edit distance
    (insert, delete, replace, swap) of at most 2 and at most a third of the word's length, at least 1.
    Of equally near ones the first in alphabetical order, so that the answer does not depend on order.
    """
    options = sorted(set(candidates) - {word})
    meant = _MEANT.get(word)
    if meant in options:
        return meant
    # A sign, or one letter, is near everything that short.
    if not 2 <= len(word) <= _LONGEST or not any(character.isalnum() for character in word):
        return None
    best: tuple[int, str] | None = None
    limit = max(1, min(2, len(word) // 3))
    for option in options:
        if option.lower() == word.lower():
            return option
        if abs(len(option) - len(word)) > limit:
            continue
        steps = distance(word, option)
        if steps <= limit and (best is None or steps < best[0]):
            best = (steps, option)
    return best[1] if best is not None else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The sentence for a diagnostic's help, or None."""
    meant = closest(word, candidates)
    return f"did you mean `{meant}`?" if meant is not None else None


def distance(a: str, b: str) -> int:
    """Edits from `a` to `b`: insert, delete or replace a character, or swap two neighbours."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            steps = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if before and j > 1 and x == b[j - 2] and a[i - 2] == y:
                steps = min(steps, before[j - 2] + 1)
            row.append(steps)
        before, last = last, row
    return last[-1]
