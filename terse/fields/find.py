"""What a selector finds in a JSON document: places, in document order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.fields.wildcard import matches
from terse.payload.exact import JsonValue, RepeatedKey

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
            yield from _along(Spot(document), tuple(map(_Step, keys)))
        case Every(keys):
            steps = tuple(map(_Step, keys))
            only = keys[0] if len(keys) == 1 and not steps[0].is_glob else None
            again = steps[0].again
            for spot in _containers(Spot(document)):
                value = spot.value
                # A list is seen through from the object it stands in: from itself, all would be found twice.
                if not isinstance(value, dict):
                    continue
                if only is None:
                    yield from _along(spot, steps)
                elif only in value:
                    yield Spot(value[only], spot, only)
                    if again in value:
                        yield from _repeats(spot, value, only)
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


class _Step:
    """A key of a selector.

    Attributes:
        again: the second of two such keys in one object; where there is none, there is no third.
        matching: which names a key with a `*` matches, so far: records repeat their names.
    """

    __slots__ = ("again", "is_glob", "key", "matching")

    def __init__(self, key: str) -> None:
        self.key = key
        self.again = RepeatedKey(key, 2)
        self.is_glob = "*" in key
        self.matching: dict[str, bool] = {}


def _along(start: Spot, steps: tuple[_Step, ...]) -> Iterator[Spot]:
    if len(steps) == 1:
        yield from _under(start, steps[0])
        return
    for spot in _under(start, steps[0]):
        yield from _along(spot, steps[1:])


def _under(spot: Spot, step: _Step) -> Iterator[Spot]:
    """The values under a key."""
    value = spot.value
    if isinstance(value, dict):
        key = step.key
        if not step.is_glob:
            if key in value:
                yield Spot(value[key], spot, key)
                if step.again in value:
                    yield from _repeats(spot, value, key)
            return
        names = step.matching
        for name, item in value.items():
            matching = names.get(name)
            if matching is None:
                matching = names[name] = matches(key, name)
            if matching:
                yield Spot(item, spot, name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                yield from _under(Spot(item, spot, index), step)


def _repeats(spot: Spot, value: dict[str, JsonValue], key: str) -> Iterator[Spot]:
    """The values under a key of an object but for the first."""
    for name, item in value.items():
        if type(name) is RepeatedKey and str.__eq__(name, key):
            yield Spot(item, spot, name)


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
