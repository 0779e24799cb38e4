"""What one run may know of the session's earlier results, for the steps that speak of them."""

from __future__ import annotations

from terse.memory import delta
from terse.memory.history import Base, Earlier
from terse.memory.store import Store, handle_of, size_of
from terse.payload.exact import JsonValue, dump
from terse.tiers.spec import Memory

STORE_SHARE = 8
"""A whole is stored for a delta while it takes no more than this part of the room that is left: what rules
set aside comes first."""


class Recalled:
    """The earlier results of a call, frozen for one run."""

    def __init__(self, earlier: tuple[Earlier, ...], part: int, store: Store, tool: str | None) -> None:
        """
        Args:
            part: which text of the result the run is about, from 0.
            tool: what the client can fetch the whole of what is sent as a delta with; None where it cannot.
        """
        self._earlier = earlier
        self._part = part
        self._store = store
        self._tool = tool
        self._full: tuple[JsonValue, str] | None = None
        self.handles: dict[str, str] = {}

    def memory_of(self, left: JsonValue) -> Memory:
        """What the steps may know; `left` is the result after the field lines, a document or a text."""
        text = self._text(left)
        return Memory(
            text,
            left,
            not isinstance(left, str),
            self._part,
            self._earlier,
            lambda: self._fetch(text),
        )

    def base_of(self, left: JsonValue, *, whole: bool) -> Base:
        """What the client has once the result is sent."""
        return Base(self._text(left), not isinstance(left, str), whole)

    def apply(self, text: str) -> str:
        """What a delta stands for.

        Raises:
            NotDelta: it does not fit what the client has.
        """
        return delta.apply(text, self._earlier)

    def _text(self, left: JsonValue) -> str:
        if isinstance(left, str):
            return left
        if self._full is None or self._full[0] is not left:
            self._full = (left, dump(left))
        return self._full[1]

    def _fetch(self, text: str) -> str | None:
        if self._tool is None:
            return None
        handle = handle_for(text, self._store)
        if handle is None:
            return None
        self.handles = {handle: text}
        return f"{self._tool} {handle}"


def handle_for(text: str, store: Store) -> str | None:
    """The handle that a whole text can be kept under, beside a delta that is sent in its place.

    None where another text has it, or the text would take more than its share of the room.
    """
    handle = handle_of(text)
    known = store.get(handle)
    if known is None:
        return handle if STORE_SHARE * size_of(text) <= store.free_bytes else None
    return handle if known == text else None
