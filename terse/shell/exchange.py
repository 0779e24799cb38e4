"""One POST to a process on this machine, and the messages that answer it.

By hand: http.client brings the parser of e-mail with it, which takes as long as a whole call (21 ms of
processor time, Python 3.11). HTTP/1.0 has no chunks, and the end of the connection ends the answer.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from time import monotonic

from terse.shell.unusable import Unusable

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
CONNECT_SECONDS = 5.0
MAX_BYTES = 256 * 1024 * 1024
_BLOCK = 256 * 1024


class Lost(Exception):  # noqa: N818 — says what the process is
    """Nobody is there, or nobody who knows us: nothing was done."""


class Gone(Exception):  # noqa: N818 — as above
    """The process has ended while it was asked, or answers as it should not."""


class Late(Exception):  # noqa: N818 — says what the answer is
    """There is no answer in time."""


class Reply:
    """An answer, of which the body is still to come.

    Attributes:
        status: the status code.
        headers: by names in lower case.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: Iterator[bytes]) -> None:
        self.status = status
        self.headers = headers
        self._body = body

    def text(self) -> bytes:
        """The whole body."""
        return b"".join(self._body)

    def messages(self) -> Iterator[bytes]:
        """The JSON-RPC messages in it, each as soon as it is there: one, or those of a stream of events."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            yield self.text()
            return
        data: list[bytes] = []
        for line in _lines(self._body):
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line:
                if any(data):
                    yield b"\n".join(data)
                data = []


def post(port: int, headers: Mapping[str, str], body: bytes, seconds: float) -> Reply:
    """Send a body, and read the head of what is answered.

    Args:
        seconds: the whole answer has to come in this time.

    Raises:
        Lost, Gone, Late: as they say. Reading on may raise the last two, as well.
    """
    until = monotonic() + seconds
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"POST {PATH} HTTP/1.0\r\nHost: {LOOPBACK}:{port}\r\nContent-Length: {len(body)}\r\n{head}\r\n"
    try:
        connection = socket.create_connection((LOOPBACK, port), CONNECT_SECONDS)
    except OSError:
        raise Lost from None
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(max(0.001, until - monotonic()))
        connection.sendall(request.encode("latin-1") + body)
    except TimeoutError:
        raise Late from None
    except OSError:
        raise Gone from None
    blocks = _blocks(connection, until)
    return _reply(blocks)


def _blocks(connection: socket.socket, until: float) -> Iterator[bytes]:
    size = 0
    with connection:
        while True:
            left = until - monotonic()
            if left <= 0:
                raise Late
            connection.settimeout(left)
            try:
                block = connection.recv(_BLOCK)
            except TimeoutError:
                raise Late from None
            except OSError:
                raise Gone from None
            if not block:
                return
            size += len(block)
            if size > MAX_BYTES:
                raise Unusable(f"the answer is over {MAX_BYTES >> 20} MiB: ask for less")
            yield block


def _reply(blocks: Iterator[bytes]) -> Reply:
    head, rest = b"", b""
    for block in blocks:
        head += block
        if b"\r\n\r\n" in head:
            head, _, rest = head.partition(b"\r\n\r\n")
            break
        if len(head) > _BLOCK:
            raise Gone
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, status = first.partition(" ")
    if not version.startswith("HTTP/1.") or not status[:3].isdigit():
        raise Gone
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return Reply(int(status[:3]), headers, _body(rest, blocks, headers.get("content-length")))


def _body(first: bytes, blocks: Iterator[bytes], length: str | None) -> Iterator[bytes]:
    size = len(first)
    yield first
    for block in blocks:
        size += len(block)
        yield block
    if length is not None and str(size) != length:
        # A process that was killed amid its answer.
        raise Gone


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines without their ends. What ends without one is no event."""
    parts: list[bytes] = []
    for block in blocks:
        *whole, last = block.split(b"\n")
        for line in whole:
            parts.append(line)
            yield b"".join(parts).removesuffix(b"\r")
            parts = []
        parts.append(last)
