"""A session whose history is a log that others read and write, too: any of them can go on with it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from terse.memory.history import Base, Earlier
from terse.memory.redis_link import Away
from terse.memory.session import MAX_CALLS_REMEMBERED, Session, call_key
from terse.memory.session_log import Event, SessionLog
from terse.memory.store import Store
from terse.payload.call import Call

MAX_REMEMBERED = 1024
"""Requests by whose id a call can be found: a client cancels what it asked lately."""
MAX_ASKED = 1024
"""Calls whose answers the client has not: of a forgotten one, nobody will know that it has it."""
PATIENCE_SECONDS = 0.25


class _Text(msgspec.Struct, array_like=True, frozen=True):
    text: bytes
    is_json: bool
    whole: bool


class _Answered(msgspec.Struct, array_like=True, frozen=True, tag="answered"):
    """A call was answered, and its client has the result."""

    request: str
    key: bytes
    number: int
    texts: tuple[_Text | None, ...]


class _Forgotten(msgspec.Struct, array_like=True, frozen=True, tag="forgotten"):
    """The client may not have the results of a call."""

    key: bytes


class _Cancelled(msgspec.Struct, array_like=True, frozen=True, tag="cancelled"):
    """The client does not read the answer to a request."""

    request: str


_ENTRY = msgspec.msgpack.Decoder(_Answered | _Forgotten | _Cancelled)


class _Asked(NamedTuple):
    tool: str
    number: int
    entry: bytes = b""
    tokens: int = 0


class LoggedSession(Session):
    """See `Session`; what is recorded counts once `delivered` says that the client has it.

    `count`, `awaits`, `delivered` and `cancelled` may be called from any thread, the rest from one.

    INVARIANT: nothing speaks of a result that the client may not have. Where the log cannot be read, the
    session has no history.
    """

    def __init__(self, log: SessionLog, store: Store) -> None:
        super().__init__(max_base_bytes=log.max_bytes)
        self.store = store
        self._log = log
        self._position = 0
        self._is_known = False
        self._requests: OrderedDict[str, bytes] = OrderedDict()
        self._unwanted: OrderedDict[str, None] = OrderedDict()
        self._asked: OrderedDict[str, _Asked] = OrderedDict()
        self._bytes = 0
        self._answered = 0
        self._adding = 0
        self._changed = threading.Condition()

    def count(self, tool: str, request: str) -> None:
        """A call is being made: all replicas count it. Waits for Redis."""
        number = self._log.count(tool)
        with self._changed:
            self._drop(request)
            if number is not None:
                self._asked[request] = _Asked(tool, number)
                while len(self._asked) > MAX_ASKED:
                    self._drop(next(iter(self._asked)))

    def number_of(self, request: str | None) -> int | None:
        """The number of a call among those of its tool, in the whole session; None: nobody knows."""
        asked = None if request is None else self._asked.get(request)
        return None if asked is None else asked.number

    def refresh(self, tool: str) -> bool:
        """Read what all replicas sent, before a result of the tool is worked on.

        Returns:
            False: nobody can say what the client has.
        """
        self._is_known = False
        with self._changed:
            # What this replica itself has sent is on its way to the log.
            self._changed.wait_for(lambda: not self._adding, PATIENCE_SECONDS)
        try:
            news = self._log.read(self._position, tool)
        except Away:
            return False
        if news is None:
            return False
        for event in news.events:
            self._apply(event)
        self._position = news.position
        self._tokens_sent = news.tokens
        self._answered = news.answered
        self._is_known = True
        return True

    def calls_since(self, call: Call) -> int | None:
        """See `Session.calls_since`."""
        return super().calls_since(call) if self._is_known else None

    def earlier(self, call: Call, part: int = 0, number: int | None = None) -> tuple[Earlier, ...]:
        """See `Session.earlier`. Of a call without a number nobody knows what was earlier."""
        if not self._is_known or number is None:
            return ()
        return tuple(each for each in super().earlier(call, part, number) if each.number <= self._answered)

    def record(
        self,
        call: Call,
        tokens: int,
        bases: Sequence[Base | None] = (),
        number: int | None = None,
        request: str | None = None,
    ) -> None:
        """See `Session.record`: noted once it is delivered; never, if it answers no request."""
        if request is None or number is None or not self._is_known:
            return
        texts = tuple(
            None if base is None else _Text(_raw(base.text), base.is_json, base.whole) for base in bases
        )
        key = call_key(call)
        entry = msgspec.msgpack.encode(_Answered(request, key, number, texts))
        if len(entry) > self._log.max_bytes // 2:
            entry = msgspec.msgpack.encode(_Answered(request, key, number, ()))
        with self._changed:
            asked = self._asked.get(request)
            if asked is not None and self._bytes + len(entry) <= self._log.max_bytes:
                self._asked[request] = asked._replace(entry=entry, tokens=tokens)
                self._bytes += len(entry)

    def awaits(self, request: str) -> bool:
        """Whether `delivered` is to be told of the request."""
        return request in self._asked

    def delivered(self, request: str) -> Callable[[], None] | None:
        """The client has the answer to a request.

        Returns:
            what notes it, and waits for Redis: to be called by a thread that may. None: there is nothing.
        """
        with self._changed:
            asked = self._drop(request)
            if asked is None:
                return None
            # INVARIANT: what is worked on after this was called finds it noted.
            self._adding += 1
        return partial(self._add, asked)

    def _add(self, asked: _Asked) -> None:
        try:
            self._log.add(asked.entry, tokens=asked.tokens, tool=asked.tool, number=asked.number)
        except Away:
            # It is no base then. What stands in the log stays true.
            pass
        finally:
            with self._changed:
                self._adding -= 1
                self._changed.notify_all()

    def _drop(self, request: str) -> _Asked | None:
        asked = self._asked.pop(request, None)
        if asked is not None:
            self._bytes -= len(asked.entry)
        return asked

    def cancelled(self, request: str) -> None:
        """The client does not read the answer to a request, whichever replica gives it. Waits for Redis."""
        with self._changed:
            self._drop(request)
        self._tell(_Cancelled(request))

    def forget(self, call: Call) -> None:
        """See `Session.forget`; for all replicas."""
        super().forget(call)
        self._tell(_Forgotten(call_key(call)))

    def begin_anew(self) -> None:
        """The client has nothing, and counts from one: no number would be right on all replicas."""
        self._log.doubt()

    def _tell(self, entry: _Forgotten | _Cancelled) -> None:
        try:
            self._log.add(msgspec.msgpack.encode(entry))
        except Away:
            self._log.doubt()

    def _apply(self, event: Event) -> None:
        entry = _ENTRY.decode(event.data)
        self._calls = event.calls
        if isinstance(entry, _Forgotten):
            self._history.forget(entry.key)
        elif isinstance(entry, _Cancelled):
            self._unwanted[entry.request] = None
            _bound(self._unwanted)
            key = self._requests.pop(entry.request, None)
            if key is not None:
                self._history.forget(key)
        else:
            is_unwanted = self._unwanted.pop(entry.request, 0) is None
            self._requests[entry.request] = entry.key
            _bound(self._requests)
            texts = () if is_unwanted else entry.texts
            bases = [None if text is None else _base(text) for text in texts]
            self._history.record(entry.key, entry.number, event.calls, bases)
            self._last_seen[entry.key] = event.calls
            self._last_seen.move_to_end(entry.key)
            while len(self._last_seen) > MAX_CALLS_REMEMBERED:
                self._last_seen.popitem(last=False)


def _bound(remembered: OrderedDict[str, bytes] | OrderedDict[str, None]) -> None:
    while len(remembered) > MAX_REMEMBERED:
        remembered.popitem(last=False)


def _base(text: _Text) -> Base:
    return Base(text.text.decode("utf-8", "surrogatepass"), text.is_json, text.whole)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
