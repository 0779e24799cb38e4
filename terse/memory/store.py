"""Values that were set aside, for as long as the session lasts. In process and bounded."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from hashlib import blake2b

MAX_BYTES = 64 * 1024 * 1024
"""What one session may set aside. A full store refuses; it never drops what it promised."""


class Store:
    """Set-aside texts by their handles. Safe to use from any thread.

    INVARIANT: what was once taken in is given back, unchanged, until the session ends.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._texts: dict[str, str] = {}
        self._bytes = 0
        self._max_bytes = max_bytes
        self._lock = threading.Lock()

    @property
    def free_bytes(self) -> int:
        """How much more can be taken in."""
        with self._lock:
            return self._max_bytes - self._bytes

    def keep(self, texts: Mapping[str, str]) -> bool:
        """Take all of the texts in (handle → text), or none.

        Returns:
            whether they were taken: False when there is no room for all, or a handle stands for another
            text already.
        """
        with self._lock:
            if not self._fit(texts):
                return False
            for handle, text in texts.items():
                if handle not in self._texts:
                    self._texts[handle] = text
                    self._bytes += size_of(text)
            return True

    def get(self, handle: str) -> str | None:
        """The text of a handle, None if the session never made it."""
        with self._lock:
            return self._texts.get(handle)

    def _fit(self, texts: Mapping[str, str]) -> bool:
        needed = 0
        for handle, text in texts.items():
            kept = self._texts.get(handle)
            if kept is None:
                needed += size_of(text)
            elif kept != text:
                return False
        return self._bytes + needed <= self._max_bytes


def handle_of(text: str) -> str:
    """The handle of a text: `h` and nine digits, from the text alone, so that results repeat byte for byte.

    Digits because they are the cheapest characters to quote: three to a token in both vocabularies.
    Two texts of one session share a handle once in a billion pairs; the second is then not set aside.
    """
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"h{int.from_bytes(digest, 'big') % 10**9:09d}"


def size_of(text: str) -> int:
    """What a text counts for in a store: its bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
