"""Regexes of rules: what is refused, and where in the text the fault stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REFUSED = (
    (re.compile(r"\\[1-9]|\(\?P="), "a back-reference"),
    (re.compile(r"\(\?<?[=!]"), "look-around"),
    (re.compile(r"\(\?\("), "a condition"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a regex, from character `start` to `end` of it."""

    message: str
    label: str
    help: str
    start: int | None = None
    end: int = 0


def fault(regex: str) -> Fault | None:
    """Why the regex is refused; None when it is not."""
    for pattern, what in _REFUSED:
        found = pattern.search(regex)
        if found is not None:
            return Fault(f"{what} can take longer than linear time", what, "write it without", *found.span())
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        position = getattr(error, "pos", None)
        return Fault(
            f"this is no regex: {getattr(error, 'msg', error)}", "here", "", position, (position or 0) + 1
        )
    return None


def matches_empty(regex: str) -> bool:
    """Whether the regex matches the empty text."""
    return re.search(regex, "") is not None
