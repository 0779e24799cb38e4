"""What a selector finds in a JSON document: places, in document order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.fields.wildcard import matches
from terse.payload.exact import JsonValue

Place = tuple[int, str | int]
"""A place in a document that stays in memory: the identity of the list or object, and the key or index."""

ROOT: Final[Place] = (0, "")


class Spot:
    """A value in a document, and the way to it.

    Attributes:
        value: what stands there.
        parent: the spot of the list or object it stands in; None for the document itself.
        key: its key or index in that.
        place: the same place as a key of dicts and sets.
    """

    __slots__ = ("key", "parent", "place", "value")

    def __init__(self, value: JsonValue, parent: Spot | None = None, key: str | int = "") -> None:
        self.value = value
        self.parent = parent
        self.key = key
        self.place: Place = ROOT if parent is None else (id(parent.value), key)

    def way(self) -> Iterator[Spot]:
        """This spot and all it stands in, from the inside out."""
        spot: Spot | None = self
        while spot is not None:
            yield spot
            spot = spot.parent


def find(document: JsonValue, target: Target) -> Iterator[Spot]:
    """The spots that `target` speaks of, in document order; none for targets that are parts of a text.

    Lists are see-through on the way, at every level; what is found at its end is found whole, lists too.
    `document` must stay alive as long as the spots are used.
    """
    match target:
        case Path(keys):
            yield from _along(Spot(document), keys, {})
        case Every(keys):
            known: dict[str, dict[str, bool]] = {}
            only = keys[0] if len(keys) == 1 and "*" not in keys[0] else None
            for spot in _containers(Spot(document)):
                value = spot.value
                # A list is seen through from the object it stands in: from itself, all would be found twice.
                if not isinstance(value, dict):
                    continue
                if only is None:
                    yield from _along(spot, keys, known)
                elif only in value:
                    yield Spot(value[only], spot, only)
        case Everything():
            yield Spot(document)
        case LinesMatching() | CodeBlocks() | TerminalCodes():
            return


def first(document: JsonValue, target: Target) -> Spot | None:
    """The first spot that the target speaks of, None if there is none."""
    return next(find(document, target), None)


def longest_list_of_objects(document: JsonValue) -> Spot | None:
    """The rows that `everything` means when rows are counted: of equally long lists the first."""
    best, length = None, 0
    for spot in _containers(Spot(document)):
        value = spot.value
        if isinstance(value, list) and len(value) > length and all(type(item) is dict for item in value):
            best, length = spot, len(value)
    return best


def containers(document: JsonValue) -> Iterator[Spot]:
    """Every list and object of the document, each before what it holds."""
    return _containers(Spot(document))


def elements(spot: Spot) -> Iterator[Spot]:
    """The spot itself, or what its list holds: lists are see-through for whatever acts on text."""
    if isinstance(spot.value, list):
        for index, item in enumerate(spot.value):
            yield from elements(Spot(item, spot, index))
    else:
        yield spot


def _along(start: Spot, keys: tuple[str, ...], known: dict[str, dict[str, bool]]) -> Iterator[Spot]:
    if len(keys) == 1:
        yield from _under(start, keys[0], known)
        return
    for spot in _under(start, keys[0], known):
        yield from _along(spot, keys[1:], known)


def _under(spot: Spot, key: str, known: dict[str, dict[str, bool]]) -> Iterator[Spot]:
    """The values under a key.

    Args:
        known: which names each key with a `*` matches, so far: records repeat their names.
    """
    value = spot.value
    if isinstance(value, dict):
        if "*" not in key:
            if key in value:
                yield Spot(value[key], spot, key)
            return
        names = known.setdefault(key, {})
        for name, item in value.items():
            matching = names.get(name)
            if matching is None:
                matching = names[name] = matches(key, name)
            if matching:
                yield Spot(item, spot, name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                yield from _under(Spot(item, spot, index), key, known)


def _containers(start: Spot) -> Iterator[Spot]:
    """Every list and object, each before what it holds."""
    todo = [start]
    while todo:
        spot = todo.pop()
        value = spot.value
        # Exact types, as the parser makes them: this loop sees every container of a document.
        if type(value) is dict:
            yield spot
            inner = [
                Spot(item, spot, key)
                for key, item in value.items()
                if type(item) is dict or type(item) is list
            ]
        elif type(value) is list:
            yield spot
            inner = [
                Spot(item, spot, index)
                for index, item in enumerate(value)
                if type(item) is dict or type(item) is list
            ]
        else:
            continue
        if inner:
            inner.reverse()
            todo += inner
