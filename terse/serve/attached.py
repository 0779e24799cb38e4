"""A server and the connection to it: started and ended by threads that wait, heard in the event loop."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import NamedTuple, Protocol

from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.outbox import Outbox
from terse.proxy.wire import JsonRpcId
from terse.serve.limits import Limits

_COMPLAINTS = Complaints()


class Receipts(Protocol):
    """What wants to know which answers the client has: `terse.memory.received_session.Receipts`, or those of
    `terse.proxy.replicated`. Nothing waits but where it is said.
    """

    def asked(self, request: JsonRpcId) -> None:
        """A request is about to be made."""

    def given_up(self, request: JsonRpcId) -> None:
        """The client is not given, or does not read, what comes for the request from now on."""

    def awaits(self, request: JsonRpcId) -> bool:
        """Whether it matters that the client has the answer to the request."""

    def delivered(self, request: JsonRpcId) -> Sequence[Callable[[], None]]:
        """The client has it. What is returned may wait, and is to be called by a thread."""


class Opened(NamedTuple):
    """A server, and the connection to it, which is not started yet.

    Attributes:
        receipts: see there; None where nobody wants to know.
        takes_at_once: `send` of the server never waits.
    """

    upstream: Upstream
    connection: Connection
    receipts: Receipts | None = None
    takes_at_once: bool = False


Open = Callable[[str, Callable[[bytes], None], Callable[[BaseException | None], None]], Opened]
"""Starts a server for one more client, given whose it is (see `Access`), and the `send` and `ended` of
`Connection`. To be called by a thread that lives as long as the process (see `Child.spawn`). Raises OSError
when the server cannot be started."""


class Attached(ABC):
    """To be used in the event loop, but for `open` and `close`, which wait.

    Attributes:
        caller: whose it is. INVARIANT: nobody else ever reaches it.
        is_over: the server has ended, or was.
    """

    def __init__(self, caller: str, loop: asyncio.AbstractEventLoop, limits: Limits) -> None:
        self.caller = caller
        self.is_over = False
        self._limits = limits
        self._loop = loop
        self._loop_thread = get_ident()
        self._opened: Opened | None = None
        self._outbox: Outbox | None = None

    def open(self, opens: Open) -> None:
        """Start the server.

        Raises:
            OSError: it cannot be started.
        """
        opened = opens(self.caller, self._from_server, self._server_ended)
        self._opened = opened
        self._outbox = Outbox(opened.connection, opened.upstream, at_once=opened.takes_at_once)
        opened.connection.start()

    def close(self) -> None:
        """End the server and all that belongs to it."""
        self.is_over = True
        if self._outbox is not None:
            self._outbox.abandon()
        if self._opened is not None:
            self._opened.connection.close()

    @property
    def receipts(self) -> Receipts | None:
        """See `Opened`."""
        return None if self._opened is None else self._opened.receipts

    @abstractmethod
    def _deliver(self, block: bytes) -> None:
        """The server has said this."""

    @abstractmethod
    def _end(self) -> None:
        """The server has ended."""

    @abstractmethod
    def _wait_for_room(self, size: int) -> None:
        """Wait until so many bytes more may be on their way to clients. Not called in the event loop."""

    def _put(self, block: bytes) -> bool:
        """Give the server whole messages. False: it has no room for them, or has ended."""
        return self._outbox is not None and self._outbox.send(block)

    def _from_server(self, block: bytes) -> None:
        # What is answered in the event loop itself does not wait for it.
        if get_ident() != self._loop_thread:
            self._wait_for_room(len(block))
        self._in_loop(self._deliver, block)

    def _server_ended(self, error: BaseException | None) -> None:
        self._in_loop(self._end)

    def _in_loop(self, work: Callable[..., None], *arguments: bytes) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work, *arguments)


def say_dropped() -> None:
    """What a server says that is no message has no place in an answer over HTTP."""
    _COMPLAINTS.say("dropped", "a server wrote what is no message of MCP: it was dropped")


def as_line(raw: bytes) -> bytes:
    """A message as it is written to a server: on one line, whatever white space stands between its values."""
    return raw.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
