"""Where field lines touched a payload: for `explain`, which shows the places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from terse.fields.find import Spot
from terse.fields.page import Page
from terse.fields.tree import Rows, Tree
from terse.payload.exact import RepeatedKey
from terse.plan.trace import Touched

WHOLE = Touched(places=("",))
"""The document as one: it was cut as the text it is."""


class Witness:
    """Looks on while lines edit a payload, and tells after each what it touched. Changes nothing."""

    def __init__(self, subject: Tree | Page) -> None:
        """
        Args:
            subject: the payload, before the first line.
        """
        self._is_document = isinstance(subject, Tree)
        self._standing: dict[int, str] = {}
        if isinstance(subject, Tree):
            subject.journal = []
        else:
            self._standing = subject.standing()

    def kept(self, subject: Tree | Page) -> Touched | None:
        """What is kept. To be asked for before the first line."""
        if isinstance(subject, Page):
            return _touched_lines(subject.kept)
        return _touched_places(pointer(spot) for spot in _drained(subject))

    def touched(self, subject: Tree | Page) -> Touched | None:
        """What was touched since this was last asked; None where nothing was."""
        if isinstance(subject, Tree):
            return _touched_places(place for spot in _drained(subject) for place in _places(spot, subject))
        if self._is_document:
            return WHOLE
        before, self._standing = self._standing, subject.standing()
        return _touched_lines(
            number
            for number, line in before.items()
            if number not in self._standing
            # A note that follows gives the last line an end.
            or self._standing[number].rstrip("\n") != line.rstrip("\n")
        )


def pointer(spot: Spot) -> str:
    """The JSON pointer (RFC 6901) of a spot: `/issues/3/body`; empty for the whole document."""
    keys = [each.key for each in spot.way() if each.parent is not None]
    return "".join(f"/{token(key)}" for key in reversed(keys))


def token(key: str | int) -> str:
    """A key or index in a pointer. `key#2` is the second of two such keys: RFC 6901 has no word for it."""
    nth = f"#{key.nth}" if isinstance(key, RepeatedKey) else ""
    return str(key).replace("~", "~0").replace("/", "~1") + nth


def _drained(tree: Tree) -> list[Spot]:
    spots, tree.journal = tree.journal or [], []
    return spots


def _places(spot: Spot, tree: Tree) -> Iterator[str]:
    edit = tree.edit_of(spot)
    if isinstance(edit, Rows):
        here = pointer(spot)
        yield from (f"{here}/{index}" for index in range(edit.start, edit.end))
    else:
        yield pointer(spot)


def _touched_places(places: Iterable[str]) -> Touched | None:
    found = tuple(dict.fromkeys(places))
    return Touched(places=found) if found else None


def _touched_lines(numbers: Iterable[int]) -> Touched | None:
    """Line numbers from 0, as ranges from 1."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number + 1, number + 1))
    return Touched(lines=tuple(ranges)) if ranges else None
