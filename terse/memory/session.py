"""The session's history of calls, in process and bounded. No clock, no I/O."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b

from terse.memory.store import Store
from terse.payload.call import Call
from terse.payload.exact import Number

MAX_CALLS_REMEMBERED = 4096
"""Distinct calls kept; the oldest is forgotten first, and then counts as never made."""


class Session:
    """What `when call repeats` and `when session over` ask about. One per client connection.

    Attributes:
        store: the values set aside in this session.

    INVARIANT: nothing of one session is ever visible in another.
    """

    def __init__(self, max_calls: int = MAX_CALLS_REMEMBERED) -> None:
        self._last_seen: OrderedDict[bytes, int] = OrderedDict()
        self._max_calls = max_calls
        self._calls = 0
        self._tokens_sent = 0
        self.store = Store()

    @property
    def tokens_sent(self) -> int:
        """Tokens of the results sent to this client so far."""
        return self._tokens_sent

    def calls_since(self, call: Call) -> int | None:
        """How many calls ago the same server, tool and arguments came (1: the last one); None: never."""
        seen_at = self._last_seen.get(_call_key(call))
        return None if seen_at is None else self._calls - seen_at + 1

    def record(self, call: Call, tokens: int) -> None:
        """Note that the call was answered with a result of so many tokens."""
        self._calls += 1
        self._tokens_sent += tokens
        key = _call_key(call)
        self._last_seen[key] = self._calls
        self._last_seen.move_to_end(key)
        while len(self._last_seen) > self._max_calls:
            self._last_seen.popitem(last=False)


def _call_key(call: Call) -> bytes:
    """A digest of the call: arguments are not kept, and their key order does not matter."""
    digest = blake2b(digest_size=16)
    for part in (call.server, call.tool, canonical(call.arguments)):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.digest()


def canonical(value: object) -> str:
    """An argument, or all of them, as JSON text with sorted keys; numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Mapping):
        entries = (f"{json.dumps(str(key))}:{canonical(value[key])}" for key in sorted(value))
        return f"{{{','.join(entries)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(canonical, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)
