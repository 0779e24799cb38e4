"""Server-sent events: bytes in, events out. An event may have any length."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event.

    Attributes:
        data: its data, lines joined by b"\\n"; empty if it had none.
        kind: its `event`, `message` if it named none.
        id: its `id`, None if it had none.
    """

    data: bytes
    kind: str
    id: str | None


class EventReader:
    """Reads a stream, piece by piece, as the standard for server-sent events has it.

    What an unfinished event had said when the stream ends is dropped.

    Attributes:
        retry_seconds: how long the server asked to wait before a reconnection; None if it did not.
    """

    def __init__(self) -> None:
        self.retry_seconds: float | None = None
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._kind = ""
        self._id: str | None = None
        self._is_first = True
        # The piece before ended with \r: a \n that comes next belongs to the same line end.
        self._after_return = False

    def feed(self, piece: bytes) -> list[Event]:
        """The events that the piece completes."""
        if not piece:
            return []
        found: list[Event] = []
        position = 1 if self._after_return and piece.startswith(b"\n") else 0
        for end in _LINE_END.finditer(piece, position):
            line = piece[position : end.start()]
            if self._line:
                self._line.append(line)
                line = b"".join(self._line)
                self._line.clear()
            position = end.end()
            if self._is_first:
                self._is_first = False
                line = line.removeprefix(_BYTE_ORDER_MARK)
            event = self._take(line)
            if event is not None:
                found.append(event)
        if position < len(piece):
            self._line.append(piece[position:])
        self._after_return = piece.endswith(b"\r")
        return found

    def _take(self, line: bytes) -> Event | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit() and len(value) < 12:
            self.retry_seconds = int(value) / 1000
        return None

    def _dispatch(self) -> Event | None:
        event = None
        if self._data or self._id is not None:
            event = Event(b"\n".join(self._data), self._kind or "message", self._id)
        self._data.clear()
        self._kind = ""
        self._id = None
        return event
