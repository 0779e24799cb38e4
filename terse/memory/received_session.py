"""A session in which a result counts once the client is known to have it, where that can be known."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from terse.memory import history
from terse.memory.history import Base
from terse.memory.session import MAX_CALLS_REMEMBERED, call_key, request_key
from terse.memory.shared_session import SharedSession
from terse.payload.call import Call

MAX_ASKED = 1024
"""Requests whose answers the client has not; the oldest are forgotten first, and never count."""


class _Sent(NamedTuple):
    """A result on its way."""

    key: bytes
    arrived: Callable[[], None]
    bytes: int


class Receipts:
    """Which answers are on their way to a client, and which it has. Any thread may use it; nothing waits.

    INVARIANT: a result counts only if its request was noted before it was sent, and neither given up nor made
    again since.

    Args:
        max_bytes: what results on their way may take; those beyond it never count.
    """

    def __init__(self, max_bytes: int = history.MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._asked: OrderedDict[str, _Sent | None] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def asked(self, request: bytes | str) -> None:
        """A request is about to be made."""
        with self._lock:
            self._drop(request_key(request))
            self._asked[request_key(request)] = None
            while len(self._asked) > MAX_ASKED:
                self._drop(next(iter(self._asked)))

    def given_up(self, request: bytes | str) -> None:
        """The client is not given, or does not read, what comes for the request from now on."""
        with self._lock:
            self._drop(request_key(request))

    def awaits(self, request: bytes | str) -> bool:
        """Whether it matters that the client has the answer to the request."""
        return request_key(request) in self._asked

    def delivered(self, request: bytes | str) -> Sequence[Callable[[], None]]:
        """The client has the answer to the request. There is nothing left to be done."""
        with self._lock:
            sent = self._drop(request_key(request))
            if sent is not None:
                sent.arrived()
        return ()

    def sent(self, request: str, key: bytes, size: int, arrived: Callable[[], None]) -> None:
        """A result is about to be sent.

        Args:
            request: see `request_key`.
            key: of its call: see `call_key`.
            arrived: notes it as one that the client has.
        """
        with self._lock:
            if request in self._asked and self._bytes + size <= self._max_bytes:
                self._drop(request)
                self._asked[request] = _Sent(key, arrived, size)
                self._bytes += size

    def forget(self, key: bytes) -> None:
        """No result of the call that is on its way counts any more."""
        with self._lock:
            for request in [
                each for each, sent in self._asked.items() if sent is not None and sent.key == key
            ]:
                self._drop(request)

    def _drop(self, request: str) -> _Sent | None:
        sent = self._asked.pop(request, None)
        if sent is not None:
            self._bytes -= sent.bytes
        return sent


class ReceivedSession(SharedSession):
    """See `SharedSession`; what is recorded counts once `receipts` learn that the client has it."""

    def __init__(
        self,
        receipts: Receipts,
        max_calls: int = MAX_CALLS_REMEMBERED,
        max_base_bytes: int = history.MAX_BYTES,
    ) -> None:
        super().__init__(max_calls, max_base_bytes)
        self._receipts = receipts

    def record(
        self,
        call: Call,
        tokens: int,
        bases: Sequence[Base | None] = (),
        number: int | None = None,
        request: str | None = None,
    ) -> None:
        """See `Session.record`. Nobody will say that a result is delivered that answers no request, and one
        without a number would be given that of its delivery: neither ever counts.
        """
        if request is None or number is None:
            return
        record = super().record
        size = sum(sys.getsizeof(base.text) for base in bases if base is not None)
        self._receipts.sent(request, call_key(call), size, lambda: record(call, tokens, bases, number))

    def forget(self, call: Call) -> None:
        """See `Session.forget`; also what is on its way."""
        self._receipts.forget(call_key(call))
        super().forget(call)
