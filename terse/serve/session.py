"""A session of a client that began with `initialize` (up to 2025-11-25): one connection, many streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from threading import Condition
from typing import NamedTuple

from terse.proxy.connection import Connection, Upstream
from terse.proxy.framing import messages
from terse.proxy.many.merged import failure
from terse.proxy.message import Message, read
from terse.proxy.outbox import Outbox
from terse.proxy.spans import MALFORMED
from terse.proxy.wire import JsonRpcId, request_id
from terse.serve.limits import Limits
from terse.serve.stream import Stream

KEPT_STREAMS = 32
"""Streams that have ended and may still be taken up."""
_AWAY = -32603


class Opened(NamedTuple):
    """A server, and the connection to it, which is not started yet."""

    upstream: Upstream
    connection: Connection


Open = Callable[[Callable[[bytes], None], Callable[[BaseException | None], None]], Opened]
"""Starts a server for one more client, given the `send` and `ended` of `Connection`. To be called by a thread
that lives as long as the process (see `Child.spawn`). Raises OSError when the server cannot be started."""


class Session:
    """One client. To be used in the event loop, but for `open` and `close`, which wait.

    Attributes:
        is_over: the server has ended, or the session was closed.
        used: when it was last used, by `time.monotonic`.
        version: the protocol version that was agreed on; "" before that.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, limits: Limits, ended: Callable[[Session], None]
    ) -> None:
        self.is_over = False
        self.used = time.monotonic()
        self.version = ""
        self._loop = loop
        self._limits = limits
        self._on_end = ended
        self._opened: Opened | None = None
        self._outbox: Outbox | None = None
        self._number = 0
        self._general = self._new_stream()
        self._open: dict[JsonRpcId, tuple[Stream, bytes]] = {}
        self._waiting: dict[int, set[JsonRpcId]] = {}
        self._tokens: dict[JsonRpcId, Stream] = {}
        self._streams: dict[int, Stream] = {self._general.number: self._general}
        self._room = Condition()
        self._unread = 0

    # ---- its connection, from other threads ----------------------------------------------------------

    def open(self, opens: Open) -> None:
        """Start the server.

        Raises:
            OSError: it cannot be started.
        """
        opened = opens(self._from_server, self._server_ended)
        self._opened = opened
        self._outbox = Outbox(opened.connection, opened.upstream)
        opened.connection.start()

    def close(self) -> None:
        """End the server and all that belongs to the session."""
        self.is_over = True
        with self._room:
            self._room.notify_all()
        if self._outbox is not None:
            self._outbox.abandon()
        if self._opened is not None:
            self._opened.connection.close()

    def _from_server(self, block: bytes) -> None:
        with self._room:
            # A client that does not read slows its own server down, and takes no more memory.
            self._room.wait_for(lambda: self.is_over or self._unread < self._limits.unread_bytes)
            self._unread += len(block)
        self._loop.call_soon_threadsafe(self._deliver, block)

    def _server_ended(self, error: BaseException | None) -> None:
        self._loop.call_soon_threadsafe(self._end)

    # ---- from the client -------------------------------------------------------------------------------

    def tell(self, raw: bytes) -> bool:
        """Give the server notifications or answers. False: it has no room for them."""
        self.used = time.monotonic()
        return self._outbox is not None and self._outbox.send(_line(raw))

    def ask(self, raw: bytes, requests: Sequence[Message]) -> Stream | None:
        """Give the server requests; their answers come on the stream, and all that belongs to them.

        Returns:
            None if the server has no room for them.
        """
        stream = self._new_stream()
        self._streams[stream.number] = stream
        self._waiting[stream.number] = {each.id for each in requests if each.id is not None}
        for each in requests:
            if each.id is not None:
                self._open[each.id] = (stream, each.raw_id)
            token = each.meta("progressToken")
            key = None if token is None else request_id(each.raw, token)
            if key is not None:
                self._tokens[key] = stream
        if self.tell(raw):
            return stream
        self._finish(stream)
        return None

    def general(self) -> Stream:
        """The stream for what the server says unasked."""
        return self._general

    def stream(self, number: int) -> Stream | None:
        """The stream of this number, if it is still kept."""
        return self._streams.get(number)

    def is_idle(self, now: float) -> bool:
        """Whether nobody listens, and has not for a while."""
        is_heard = any(stream.readers for stream in self._streams.values())
        return not is_heard and not self._open and now - self.used > self._limits.idle

    # ---- from the server -------------------------------------------------------------------------------

    def _deliver(self, block: bytes) -> None:
        for raw in messages(block):
            line = raw.strip(b"\r\n")
            if not line:
                continue
            try:
                message = read(line)
            except MALFORMED:
                self._newest().put(line)
                continue
            self._stream_for(message).put(line)
            if message.method is None and message.id is not None and message.id in self._open:
                self._note_answered(message.id)
        self._note_unread()

    def _stream_for(self, message: Message) -> Stream:
        if message.method is None:
            found = None if message.id is None else self._open.get(message.id)
            return self._general if found is None else found[0]
        if message.method == "notifications/progress" and "progressToken" in message.params:
            token = request_id(message.raw, message.params["progressToken"])
            if token is not None and token in self._tokens:
                return self._tokens[token]
        return self._newest()

    def _newest(self) -> Stream:
        """Where what belongs to no request is said: with the newest one, which is likely what it is about."""
        for stream, _ in reversed(self._open.values()):
            return stream
        return self._general

    def _note_answered(self, ident: JsonRpcId) -> None:
        stream, _ = self._open.pop(ident)
        waiting = self._waiting[stream.number]
        waiting.discard(ident)
        if not waiting:
            self._finish(stream)

    def _finish(self, stream: Stream) -> None:
        stream.end()
        self.used = time.monotonic()
        self._waiting.pop(stream.number, None)
        self._open = {ident: found for ident, found in self._open.items() if found[0] is not stream}
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
        for stream, raw_id in list(self._open.values()):
            stream.put(failure(raw_id, _AWAY, "the server has ended: begin a new session").strip())
            self._finish(stream)
        self._general.end()
        self._on_end(self)

    def _new_stream(self) -> Stream:
        self._number += 1
        return Stream(self._number)


def _line(raw: bytes) -> bytes:
    """A message as it is written to a server: on one line, whatever white space stands between its values."""
    return raw.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
