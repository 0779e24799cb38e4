"""The notes that stand in a result where something was taken out: one wording for all of them."""

from __future__ import annotations

import re

RETRIEVE = "terse_retrieve"
"""The tool that gives what a handle stands for, if the server has no tool of this name."""

_LIKE_OURS = re.compile(r"\[+(?=[^\[\]\n]{0,120} (?:set aside|removed)\b)")


class Marks:
    """Writes the notes of one result.

    INVARIANT: no note can be mistaken for data: where the result as received holds something that
    reads like a note, the notes of this result open with more brackets than any of those.
    """

    def __init__(self, received: str, tool: str = RETRIEVE) -> None:
        """
        Args:
            received: the whole result as it came.
            tool: what the client knows the tool as that fetches what was set aside.
        """
        self._tool = tool
        # Two substring searches are far cheaper than the regex, and nearly always enough.
        longest = 0
        if " set aside" in received or " removed" in received:
            longest = max((len(found.group()) for found in _LIKE_OURS.finditer(received)), default=0)
        self._open = "[" * (longest + 1)
        self._close = "]" * (longest + 1)

    def aside(self, what: str, handle: str | None = None) -> str:
        """`[4,110 characters set aside: terse_retrieve h482913007]`; the handle may stand in another note."""
        fetch = f": {self._tool} {handle}" if handle else ""
        return f"{self._open}{what} set aside{fetch}{self._close}"

    def removed(self, what: str) -> str:
        """`[120 lines removed]`."""
        return f"{self._open}{what} removed{self._close}"
