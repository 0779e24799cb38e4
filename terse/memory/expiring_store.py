"""What was set aside where no session says when it is over: in process, bounded, for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic

from terse.memory.store import MAX_BYTES, Store, size_of

SECONDS = 3600.0
"""How long a text is kept after it was last set aside or fetched."""


class ExpiringStore(Store):
    """A store whose texts expire. Safe to use from any thread.

    INVARIANT: what was once taken in is given back, unchanged, until it expires.
    """

    def __init__(
        self, max_bytes: int = MAX_BYTES, *, seconds: float = SECONDS, clock: Callable[[], float] = monotonic
    ) -> None:
        super().__init__(max_bytes)
        self._seconds = seconds
        self._clock = clock
        # In the order of their times: the first one expires first.
        self._until: dict[str, float] = {}

    @property
    def free_bytes(self) -> int:
        """How much more can be taken in."""
        with self._lock:
            self._expire()
            return self._max_bytes - self._bytes

    def keep(self, texts: Mapping[str, str]) -> bool:
        """See `Store.keep`."""
        with self._lock:
            self._expire()
        is_kept = super().keep(texts)
        if is_kept:
            with self._lock:
                for handle in texts:
                    self._renew(handle)
        return is_kept

    def get(self, handle: str) -> str | None:
        """The text of a handle, None if it was never made or has expired."""
        with self._lock:
            self._expire()
            text = self._texts.get(handle)
            if text is not None:
                self._renew(handle)
            return text

    def _renew(self, handle: str) -> None:
        self._until.pop(handle, None)
        self._until[handle] = self._clock() + self._seconds

    def _expire(self) -> None:
        now = self._clock()
        while self._until:
            handle = next(iter(self._until))
            if self._until[handle] > now:
                return
            del self._until[handle]
            self._bytes -= size_of(self._texts.pop(handle))
