"""What a field action works with beside the payload: counts, notes, and handles not yet promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from terse.fields.marks import Marks
from terse.memory.store import Store, handle_of, size_of

PROBE = 4096
"""Characters of a value that are counted to see whether a note is shorter: enough for any note."""

WORTH = 2
"""A value is set aside when it has more than twice the tokens of its note: a link for which a handle
stands costs more than it saves, as soon as a table could have written it short."""


@dataclass(frozen=True, slots=True)
class Done:
    """What an action did with one target.

    Attributes:
        places: how many values or parts of the text it changed.
        lost: tokens that are gone for good.
        aside: how many values were set aside.
        note: a few words for the trace, mostly why nothing was done.
    """

    places: int = 0
    lost: int = 0
    aside: int = 0
    note: str = ""


NOTHING_FOUND = Done(note="nothing found")


class Desk:
    """Counts, notes and handles of one run.

    Handles are made here and promised by `Store.keep` only when the result is about to be sent: what
    an attempt set aside that was not used is never stored.
    """

    def __init__(self, count: Callable[[str], int], marks: Marks, store: Store) -> None:
        self.count = count
        self.marks = marks
        self.handles: dict[str, str] = {}
        self._store = store
        self._bytes = 0

    def copy(self) -> Desk:
        """A desk with the same handles, for an attempt."""
        other = Desk(self.count, self.marks, self._store)
        other.handles = dict(self.handles)
        other._bytes = self._bytes
        return other

    def handle(self, text: str) -> str | None:
        """A handle for the text; None when the store has no room for it."""
        handle = handle_of(text)
        known = self.handles.get(handle, self._store.get(handle))
        if known is not None and known != text:
            return None
        if handle not in self.handles:
            if self._bytes + size_of(text) > self._store.free_bytes:
                return None
            self.handles[handle] = text
            self._bytes += size_of(text)
        return handle

    def pays(self, text: str, note: str) -> bool:
        """Whether `note` has fewer tokens than the `text` it would stand for."""
        return self.count(text[:PROBE]) > self.count(note)

    def pays_to_fetch(self, text: str, note: str) -> bool:
        """Whether setting `text` aside is worth a `note`, and a call to fetch it when it is needed."""
        return self.count(text[:PROBE]) > WORTH * self.count(note)
