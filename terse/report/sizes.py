"""Sizes as people read them."""

from __future__ import annotations


def count(number: int) -> str:
    """`11,840`; a dash for what was not counted (a negative number)."""
    return "–" if number < 0 else f"{number:,}"


def tokens_in_words(number: int) -> str:
    """`11,840 tokens`, `1 token`; `not counted` for a negative number."""
    if number < 0:
        return "not counted"
    return f"{number:,} token{'' if number == 1 else 's'}"


def bytes_in_words(number: int) -> str:
    """`96 B`, `41.2 kB`, `3.0 MB`: in thousands, as the rule language counts."""
    if number < 1000:
        return f"{number} B"
    if number < 999_950:
        return f"{number / 1000:.1f} kB"
    return f"{number / 1_000_000:.1f} MB"


def percent(part: int, whole: int) -> str:
    """`16.3%` of the whole; `0.0%` of nothing."""
    return f"{100 * part / whole if whole else 0:.1f}%"
