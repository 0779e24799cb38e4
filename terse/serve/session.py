"""A session of a client that began with `initialize` (up to 2025-11-25): one connection, many streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from threading import Condition
from typing import NamedTuple

from terse.proxy.framing import messages
from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read
from terse.proxy.wire import JsonRpcId, request_id
from terse.serve.attached import Attached, as_line, say_dropped
from terse.serve.limits import Limits
from terse.serve.replies import AWAY, messages_in
from terse.serve.stream import Stream

KEPT_STREAMS = 32
"""Streams that have ended and may still be taken up."""
ENDED = "the server has ended: begin a new session"
_CANCELLED = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'


class _Asked(NamedTuple):
    """A request that is not answered yet."""

    stream: Stream
    raw_id: bytes
    at: float


class Session(Attached):
    """One client: see `Attached`.

    Attributes:
        used: when its client last said or heard something, by `time.monotonic`.
        version: the protocol version that was agreed on; "" before that.
    """

    def __init__(
        self,
        caller: str,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        ended: Callable[[Session], None],
        first_stream: int = 0,
    ) -> None:
        """
        Args:
            ended: called once the server has ended.
            first_stream: what streams are numbered from: ids of events are told apart by it.
        """
        super().__init__(caller, loop, limits)
        self.used = time.monotonic()
        self.version = ""
        self._on_end = ended
        self._number = first_stream
        self._general = self._new_stream()
        self._open: dict[JsonRpcId, _Asked] = {}
        self._waiting: dict[int, set[JsonRpcId]] = {}
        self._tokens: dict[JsonRpcId, Stream] = {}
        self._streams: dict[int, Stream] = {self._general.number: self._general}
        self._room = Condition()
        self._unread = 0

    # ---- its connection, from other threads ----------------------------------------------------------

    def _wait_for_room(self, size: int) -> None:
        with self._room:
            # A client that does not read slows its own server down, and takes no more memory.
            self._room.wait_for(lambda: self.is_over or self._unread < self._limits.unread_bytes)
            self._unread += size

    def close(self) -> None:
        """See `Attached`."""
        self.is_over = True
        with self._room:
            self._room.notify_all()
        super().close()

    # ---- from the client -------------------------------------------------------------------------------

    def tell(self, found: Sequence[Message]) -> bool:
        """Give the server notifications or answers. False: it has no room for them."""
        for message in found:
            if message.method == "notifications/cancelled" and "requestId" in message.params:
                # A server that is told need not answer, and the client does not wait for it.
                ident = request_id(message.raw, message.params["requestId"])
                if ident is not None and self.receipts is not None:
                    # Its answer may be on a stream that nobody has read yet.
                    self.receipts.given_up(ident)
                self._forget(ident)
        return self._send(found)

    def is_open(self, found: Sequence[Message]) -> bool:
        """Whether a request has the id of one that is not answered yet: nobody could tell them apart."""
        ids = [each.id for each in found if each.id is not None]
        return len(set(ids)) < len(ids) or any(ident in self._open for ident in ids)

    def ask(self, found: Sequence[Message]) -> Stream | None:
        """Give the server requests; their answers come on the stream, and all that belongs to them.

        Args:
            found: the requests, and what was said with them.

        Returns:
            None if the server has no room for them.
        """
        stream = self._new_stream()
        self._streams[stream.number] = stream
        requests = [each for each in found if each.method is not None and each.id is not None]
        self._waiting[stream.number] = {each.id for each in requests if each.id is not None}
        now = time.monotonic()
        for each in requests:
            if each.id is not None:
                self._open[each.id] = _Asked(stream, each.raw_id, now)
                if self.receipts is not None:
                    self.receipts.asked(each.id)
            token = each.meta("progressToken")
            key = None if token is None else request_id(each.raw, token)
            if key is not None:
                self._tokens[key] = stream
        if self.is_over:
            # It ended before it was asked: nothing will come from it.
            self.refuse_all(ENDED)
            return stream
        if self._send(found):
            return stream
        self._finish(stream)
        return None

    def drop(self, stream: Stream) -> None:
        """Forget a stream that has ended: its client never learned that there is one."""
        self._streams.pop(stream.number, None)
        self._note_unread()

    def general(self) -> Stream:
        """The stream for what the server says unasked."""
        return self._general

    def stream(self, number: int) -> Stream | None:
        """The stream of this number, if it is still kept."""
        return self._streams.get(number)

    def is_idle(self, now: float) -> bool:
        """Whether nobody listens, and has not for a while."""
        if any(stream.readers for stream in self._streams.values()):
            self.used = now
        return now - self.used > self._limits.idle

    def give_up_late(self, now: float) -> None:
        """Tell the client of requests that the server has not answered in time, and the server as well."""
        limit = self._limits.request_seconds
        for ident, asked in list(self._open.items()):
            if now - asked.at > limit:
                self._refuse(ident, f"the server did not answer in {limit:g} s")
                self._send([read(_CANCELLED % asked.raw_id)])

    def refuse_all(self, text: str) -> None:
        """Answer what is not answered yet, with an error."""
        for ident in list(self._open):
            self._refuse(ident, text)

    def _refuse(self, ident: JsonRpcId, text: str) -> None:
        asked = self._open[ident]
        if self.receipts is not None:
            # What the client reads is the refusal, whatever the server still says.
            self.receipts.given_up(ident)
        asked.stream.put(failure(asked.raw_id, AWAY, text).strip())
        self._forget(ident)

    def _send(self, found: Sequence[Message]) -> bool:
        self.used = time.monotonic()
        # One message a line, also of a batch: not every server that speaks 2025-03-26 reads arrays.
        block = b"".join(as_line(each.raw) for each in found)
        return self._put(block)

    # ---- from the server -------------------------------------------------------------------------------

    def _deliver(self, block: bytes) -> None:
        for raw in messages(block):
            line = raw.strip(b"\r\n")
            if not line:
                continue
            found = messages_in(line)
            if not found:
                say_dropped()
            for message in found:
                self._stream_for(message).put(message.raw)
                if message.method is None:
                    self._forget(message.id)
        self._general.drop_unheard()
        self._note_unread()

    def _stream_for(self, message: Message) -> Stream:
        if message.method is None:
            found = None if message.id is None else self._open.get(message.id)
            return self._general if found is None else found.stream
        if message.method == "notifications/progress" and "progressToken" in message.params:
            token = request_id(message.raw, message.params["progressToken"])
            if token is not None and token in self._tokens:
                return self._tokens[token]
        return self._newest()

    def _newest(self) -> Stream:
        """Where what belongs to no request is said: with the newest one, which is likely what it is about."""
        for asked in reversed(self._open.values()):
            return asked.stream
        return self._general

    def _forget(self, ident: JsonRpcId | None) -> None:
        """Nobody waits for an answer to the request any more; one that was never made is none."""
        asked = None if ident is None else self._open.pop(ident, None)
        if asked is None or ident is None:
            return
        waiting = self._waiting[asked.stream.number]
        waiting.discard(ident)
        if not waiting:
            self._finish(asked.stream)

    def _finish(self, stream: Stream) -> None:
        stream.end()
        self._waiting.pop(stream.number, None)
        self._open = {ident: found for ident, found in self._open.items() if found.stream is not stream}
        self._tokens = {token: found for token, found in self._tokens.items() if found is not stream}
        ended = [each for each in self._streams.values() if each.is_ended and not each.readers]
        for each in ended[:-KEPT_STREAMS]:
            del self._streams[each.number]

    def note_read(self) -> None:
        """A reader has taken something: there may be room again."""
        self._note_unread()

    def _note_unread(self) -> None:
        unread = sum(stream.unread_bytes for stream in self._streams.values())
        with self._room:
            self._unread = unread
            self._room.notify_all()

    def _end(self) -> None:
        """The server has ended: what it was asked is refused, and the client has to begin anew."""
        if self.is_over and not self._open:
            return
        self.is_over = True
        self.refuse_all(ENDED)
        self._general.end()
        self._on_end(self)

    def _new_stream(self) -> Stream:
        self._number += 1
        return Stream(self._number)
