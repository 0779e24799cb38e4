"""Python values between us and a process that we started.

INVARIANT: the socket is one of a pair, and only these two processes have its ends: what is read from it is
pickled, and a stranger's pickle could do anything.
"""

from __future__ import annotations

import pickle
import socket
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from terse.payload.blocks import Joined
from terse.payload.call import Call
from terse.plan.trace import Outcome

_LENGTH = struct.Struct("!Q")
READ_BYTES = 1 << 20


class Order(NamedTuple):
    """A result that rules are to be run on: see `terse.plan.result.run_result`.

    Attributes:
        plan: as JSON; None where it is that of the order before.
        vocabulary: its name.
        earlier: what `Session.earlier` says of the first text.
    """

    plan: bytes | None
    vocabulary: str
    texts: Sequence[str]
    call: Call
    joined: Joined | None
    number: int | None
    can_retrieve: bool
    retrieve_tool: str
    sizes: bool
    earlier: Any


class Question(NamedTuple):
    """What a run asks of the session, which stays where the order comes from. Its answer is a `Told`."""

    name: str
    arguments: tuple[Any, ...]


class Told(NamedTuple):
    """An answer."""

    value: Any


class Failed(NamedTuple):
    """An order, or a question, that came to nothing.

    Attributes:
        what: the type of the error, and no word of it: it may quote the result.
    """

    what: str


class Done(NamedTuple):
    """What came of an order.

    Attributes:
        is_joined: one text stands for all.
        one, outcomes, untaken: see `terse.plan.result.Answered`.
    """

    is_joined: bool
    outcomes: tuple[Outcome, ...]
    one: str | None
    untaken: tuple[Outcome, ...]


class Ready(NamedTuple):
    """The process takes orders."""


def send(end: socket.socket, value: object) -> None:
    """
    Raises:
        OSError: the other process is gone, or does not read.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    end.sendall(_LENGTH.pack(len(data)) + data)


def receive(end: socket.socket) -> Any:
    """
    Raises:
        OSError: the other process says nothing for as long as the socket waits.
        EOFError: it is gone.
    """
    (size,) = _LENGTH.unpack(_exactly(end, _LENGTH.size))
    return pickle.loads(_exactly(end, size))


def _exactly(end: socket.socket, size: int) -> bytes:
    pieces: list[bytes] = []
    while size:
        piece = end.recv(min(size, READ_BYTES))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
