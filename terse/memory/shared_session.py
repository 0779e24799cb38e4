"""A session that several threads use: one client, and a connection to each of several servers."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from terse.memory import history
from terse.memory.history import Base, Earlier
from terse.memory.session import MAX_CALLS_REMEMBERED, Session
from terse.payload.call import Call


class SharedSession(Session):
    """See `Session`. Safe to use from any thread: each question and each note is one step."""

    def __init__(
        self, max_calls: int = MAX_CALLS_REMEMBERED, max_base_bytes: int = history.MAX_BYTES
    ) -> None:
        super().__init__(max_calls, max_base_bytes)
        self._lock = Lock()

    def calls_since(self, call: Call) -> int | None:
        """See `Session`."""
        with self._lock:
            return super().calls_since(call)

    def earlier(self, call: Call, part: int = 0, number: int | None = None) -> tuple[Earlier, ...]:
        """See `Session`."""
        with self._lock:
            return super().earlier(call, part, number)

    def record(
        self,
        call: Call,
        tokens: int,
        bases: Sequence[Base | None] = (),
        number: int | None = None,
        request: str | None = None,
    ) -> None:
        """See `Session`."""
        with self._lock:
            super().record(call, tokens, bases, number, request)

    def forget(self, call: Call) -> None:
        """See `Session`."""
        with self._lock:
            super().forget(call)
