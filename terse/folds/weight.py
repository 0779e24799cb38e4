"""A cheap guess at tokens, for choices that are too many to count. What is sent is always counted."""

from __future__ import annotations

import re

_PIECES = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^A-Za-z0-9 ]")


def weight(text: str) -> int:
    """About how many tokens `text` has: words by six letters, numbers by three digits, signs one each."""
    return len(_PIECES.findall(text))
