"""What words begin with in common."""

from __future__ import annotations

from collections.abc import Sequence


def shared_start(words: Sequence[str]) -> str:
    """The longest text that all of `words` begin with; empty for none."""
    if not words:
        return ""
    first, last = min(words), max(words)  # what these two share, all between them share
    length = min(len(first), len(last))
    for at in range(length):
        if first[at] != last[at]:
            return first[:at]
    return first[:length]
