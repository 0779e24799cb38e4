"""Messages on a pipe: one a line. How they are read and written, without a limit on their length."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator

READ_BYTES = 64 * 1024
READ_MORE_BYTES = 1024 * 1024
"""How much is asked for at once: little, and much once a message proves long."""


def blocks(descriptor: int) -> Iterator[bytes]:
    """What comes from a descriptor, in blocks of whole messages: each ends with a line end, or is the last.

    A message may have any length: its pieces are joined once.
    """
    pieces: list[bytes] = []
    while chunk := _read(descriptor, READ_MORE_BYTES if pieces else READ_BYTES):
        end = chunk.rfind(b"\n") + 1
        if not end:
            pieces.append(chunk)
            continue
        rest = chunk[end:]
        pieces.append(chunk[:end])
        block = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        pieces.clear()
        if rest:
            pieces.append(rest)
        yield block
        del block, chunk
    if pieces:
        yield b"".join(pieces)


def messages(block: bytes) -> list[bytes]:
    """The messages of a block, line ends included. Only b"\\n" ends one: \\r and U+2028 may stand inside."""
    if block.find(b"\n", 0, -1) == -1:
        return [block]
    found = [message + b"\n" for message in block.split(b"\n")]
    last = found.pop()[:-1]
    if last:
        found.append(last)
    return found


def write(descriptor: int, data: bytes) -> None:
    """Write all of `data`.

    Raises:
        OSError: nobody reads it any more.
    """
    rest: bytes | memoryview = data
    while rest:
        try:
            written = os.write(descriptor, rest)
        except BlockingIOError:
            select.select([], [descriptor], [])
            continue
        if written == len(rest):
            return
        rest = memoryview(rest)[written:]


def _read(descriptor: int, size: int) -> bytes:
    """Up to so many bytes; none at the end of the input, also if it broke."""
    while True:
        try:
            return os.read(descriptor, size)
        except BlockingIOError:
            select.select([descriptor], [], [])
        except OSError:
            return b""
