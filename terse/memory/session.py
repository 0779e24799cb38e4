"""The session's history of calls, in process and bounded. No clock, no I/O."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from terse.memory import history
from terse.memory.history import Base, Earlier, History
from terse.memory.store import Store
from terse.payload.call import Call
from terse.payload.exact import Number

MAX_CALLS_REMEMBERED = 4096
"""Distinct calls kept; the oldest is forgotten first, and then counts as never made."""


class Session:
    """What conditions on earlier calls and the tiers `dedup` and `diff` ask about. One per client connection.

    Attributes:
        store: the values set aside in this session.

    INVARIANT: nothing of one session is ever visible in another.
    """

    def __init__(
        self, max_calls: int = MAX_CALLS_REMEMBERED, max_base_bytes: int = history.MAX_BYTES
    ) -> None:
        self._last_seen: OrderedDict[bytes, int] = OrderedDict()
        self._max_calls = max_calls
        self._calls = 0
        self._tokens_sent = 0
        self._history = History(max_base_bytes)
        self._calls_of_tool: dict[tuple[str, str], int] = {}
        self.store = Store()

    @property
    def tokens_sent(self) -> int:
        """Tokens of the results sent to this client so far."""
        return self._tokens_sent

    def calls_since(self, call: Call) -> int | None:
        """How many calls ago the same server, tool and arguments came (1: the last one); None: never."""
        seen_at = self._last_seen.get(call_key(call))
        return None if seen_at is None else self._calls - seen_at + 1

    @property
    def base_bytes(self) -> int:
        """What the remembered results take in memory."""
        return self._history.bytes

    def next_number(self, call: Call) -> int:
        """The number that the call has among the calls of its tool, if it is the next one."""
        return self._calls_of_tool.get((call.server, call.tool), 0) + 1

    def earlier(self, call: Call, part: int = 0, number: int | None = None) -> tuple[Earlier, ...]:
        """What earlier calls with the same server, tool and arguments left with the client, newest first.

        Args:
            part: which text of the result is asked for, from 0: those at the same place come first.
            number: the call's number among the calls of its tool; None for the next one.
        """
        before = self.next_number(call) if number is None else number
        return self._history.earlier(call_key(call), part, before, self._calls)

    def record(
        self,
        call: Call,
        tokens: int,
        bases: Sequence[Base | None] = (),
        number: int | None = None,
        request: str | None = None,
    ) -> None:
        """Note that the call was answered with a result of so many tokens.

        Args:
            bases: what the client has of the result now, text by text.
            request: which request it answers (see `request_key`), for sessions in which it counts only once
                the client is known to have it.
        """
        self._calls += 1
        self._tokens_sent += tokens
        key = call_key(call)
        counted = self.next_number(call) if number is None else number
        tool = (call.server, call.tool)
        if tool in self._calls_of_tool or len(self._calls_of_tool) < self._max_calls:
            self._calls_of_tool[tool] = max(counted, self._calls_of_tool.get(tool, 0))
        self._history.record(key, counted, self._calls, bases)
        self._last_seen[key] = self._calls
        self._last_seen.move_to_end(key)
        while len(self._last_seen) > self._max_calls:
            self._last_seen.popitem(last=False)

    def forget(self, call: Call) -> None:
        """The client may not have the results of the call: the next one is sent in full."""
        self._history.forget(call_key(call))


def call_key(call: Call) -> bytes:
    """A digest of the call: arguments are not kept, and their key order does not matter."""
    digest = blake2b(digest_size=16)
    for part in (call.server, call.tool, canonical(call.arguments)):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.digest()


def request_key(request: bytes | str) -> str:
    """The id of a JSON-RPC request (see `terse.proxy.wire.JsonRpcId`) as a text that any store takes."""
    return ascii(request)


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
