"""Clients since 2026-07-28: no session, each request stands alone, and all share one server.

INVARIANT: an id that a client chose never reaches the server: two clients may choose the same.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from terse.proxy.framing import messages
from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read, replaced
from terse.proxy.spans import MALFORMED, Span, encode_string
from terse.serve.attached import Attached, as_line, say_dropped
from terse.serve.limits import Limits
from terse.serve.replies import AWAY, UNKNOWN_METHOD
from terse.serve.stream import Stream

ENDED = "the server has ended: ask again"
LISTENS = "subscriptions/listen"
"""A request that is answered when its client has enough of it."""
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
SCHEMAS_SECONDS = 60.0
"""How long the schemas of tools are believed, when a tool is not among them."""
SCHEMAS_WAIT = 10.0


class _Asked(NamedTuple):
    stream: Stream
    raw_id: bytes
    raw_token: bytes | None
    method: str
    at: float


class Shared(Attached):
    """One server for many clients of one user: see `Attached`."""

    def __init__(
        self,
        caller: str,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        ended: Callable[[Shared], None],
    ) -> None:
        super().__init__(caller, loop, limits)
        self._on_end = ended
        self._used = time.monotonic()
        self._asked: dict[str, _Asked] = {}
        self._secret = secrets.token_hex(4)
        self._number = 0
        self._schemas: dict[str, Any] = {}
        self._schemas_read = float("-inf")
        self._reading_schemas = asyncio.Lock()

    # ---- from the clients ------------------------------------------------------------------------------

    def ask(self, request: Message) -> tuple[str, Stream] | None:
        """Give the server a request under an id of its own; what belongs to it comes on the stream.

        Returns:
            that id and the stream; None if the server has no room.
        """
        self._number += 1
        self._used = time.monotonic()
        ident = f"{self._secret}-{self._number}"
        changes: dict[Span, bytes] = {request.members["id"]: encode_string(ident)}
        token = request.meta("progressToken")
        if token is not None:
            changes[token] = encode_string(ident)
        stream = Stream(self._number)
        raw_token = None if token is None else request.raw[slice(*token)]
        self._asked[ident] = _Asked(stream, request.raw_id, raw_token, request.method or "", self._used)
        if self.is_over:
            self._refuse(ident, ENDED)
            return ident, stream
        if self._send(replaced(request.raw, changes)):
            return ident, stream
        del self._asked[ident]
        return None

    def cancel(self, ident: str) -> None:
        """The client has closed its stream: nobody waits for the answer."""
        if self._asked.pop(ident, None) is not None:
            params = b'{"requestId":%b}' % encode_string(ident)
            self._send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":%b}' % params)

    def is_idle(self, now: float) -> bool:
        """Whether nobody asks, and has not for a while."""
        if self._asked:
            self._used = now
        return now - self._used > self._limits.idle

    def give_up_late(self, now: float) -> None:
        """Tell clients of requests that the server has not answered in time, and the server as well."""
        limit = self._limits.request_seconds
        for ident, asked in list(self._asked.items()):
            if now - asked.at > limit and asked.method != LISTENS:
                self._refuse(ident, f"the server did not answer in {limit:g} s")

    def refuse_all(self, text: str) -> None:
        """Answer what is not answered yet, with an error."""
        for ident in list(self._asked):
            self._refuse(ident, text)

    def _refuse(self, ident: str, text: str) -> None:
        asked = self._asked[ident]
        self.cancel(ident)
        asked.stream.put(failure(asked.raw_id, AWAY, text).strip())
        asked.stream.end()

    async def schema(self, tool: str, meta: bytes | None) -> Any:
        """The `inputSchema` of a tool as clients are shown it; None if it is not known.

        Args:
            meta: the client's `_meta`, in whose name the tools are asked for.
        """
        if tool not in self._schemas and time.monotonic() - self._schemas_read > SCHEMAS_SECONDS:
            async with self._reading_schemas:
                if tool not in self._schemas:
                    await self._read_schemas(meta)
        return self._schemas.get(tool)

    async def _read_schemas(self, meta: bytes | None) -> None:
        self._schemas_read = time.monotonic()
        cursor: str | None = None
        while True:
            params = {} if cursor is None else {"cursor": cursor}
            inside = json.dumps(params).encode()[1:-1]
            parts = [part for part in (b'"_meta":%b' % meta if meta else b"", inside) if part]
            raw = b'{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{%b}}' % b",".join(parts)
            asked = self.ask(read(raw))
            if asked is None or not await asked[1].wait(SCHEMAS_WAIT):
                return
            answer = asked[1].only()
            result = json.loads(answer).get("result") if answer is not None else None
            if not isinstance(result, dict):
                return
            for tool in result.get("tools", ()):
                if isinstance(tool, dict) and "name" in tool:
                    self._schemas[tool["name"]] = tool.get("inputSchema")
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):
                return

    def _wait_for_room(self, size: int) -> None:
        """The server is not held up, as it has other clients: see `_notification`."""

    def _send(self, raw: bytes) -> bool:
        return self._put(as_line(raw))

    # ---- from the server -------------------------------------------------------------------------------

    def _deliver(self, block: bytes) -> None:
        for raw in messages(block):
            if not raw.strip():
                continue
            try:
                message = read(raw.strip(b"\r\n"))
            except MALFORMED:
                say_dropped()
                continue
            if message.method is None:
                self._answer(message)
            elif message.id is None:
                self._notification(message)
            else:
                # Since 2026-07-28 servers ask nothing of clients, and here nobody could be asked.
                self._send(failure(message.raw_id, UNKNOWN_METHOD, "there is no client to ask"))

    def _answer(self, message: Message) -> None:
        asked = self._asked.pop(message.id, None) if isinstance(message.id, str) else None
        if asked is not None:
            asked.stream.put(replaced(message.raw, {message.members["id"]: asked.raw_id}))
            asked.stream.end()

    def _notification(self, message: Message) -> None:
        place = message.params.get("progressToken") or message.meta(SUBSCRIPTION)
        if place is not None:
            asked = self._asked.get(message.text(place) or "")
            if asked is not None:
                is_progress = "progressToken" in message.params
                own = asked.raw_token if is_progress and asked.raw_token is not None else asked.raw_id
                asked.stream.put(replaced(message.raw, {place: own}))
                if asked.stream.unread_bytes > self._limits.unread_bytes:
                    # The server is not held up, as it has other clients.
                    self._refuse(message.text(place) or "", "you do not read what you are sent: ask again")
        elif len(self._asked) == 1:
            # It says to nobody whom it is for; with one request under way there is no doubt.
            next(iter(self._asked.values())).stream.put(message.raw)
        if message.method == "notifications/tools/list_changed":
            self._schemas.clear()
            self._schemas_read = float("-inf")

    def _end(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.refuse_all(ENDED)
            self._on_end(self)
