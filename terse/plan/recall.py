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

    def __init__(self, earlier: tuple[Earlier, ...], part: int, store: Store, can_retrieve: bool) -> None:
        """
        Args:
            part: which text of the result the run is about, from 0.
            can_retrieve: the client can fetch the whole of what is sent as a delta.
        """
        self._earlier = earlier
        self._part = part
        self._store = store
        self._can_retrieve = can_retrieve
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
            lambda: self._handle(text),
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

    def _handle(self, text: str) -> str | None:
        if not self._can_retrieve:
            return None
        handle = handle_of(text)
        known = self._store.get(handle)
        if known is None and STORE_SHARE * size_of(text) > self._store.free_bytes:
            return None
        if known is not None and known != text:
            return None
        self.handles = {handle: text}
        return handle
