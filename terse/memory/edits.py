"""A JSON document as the changes of an earlier one: statements about its places.

    issues[number=12].state = "closed"
    remove issues[number=7]
    after issues[number=12]: [{"number":13,"state":"open"}]
    first in issues: [{"number":40,"state":"open"}]
    move issues[number=9] after issues[number=3]
    results[*].value each = [["1","a"],["2","b"]]
    results[*].at = "10:31"
    readme by lines:
    @@ -3 +3 @@
    -old
    +new

All places are those of the earlier document. The whole form is specified in docs/format-delta.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from terse.memory import text_delta
from terse.memory.align import OutOfTime, changes
from terse.memory.path import STAR, Path, Row, at_key, write
from terse.memory.rows import key_of
from terse.payload.exact import JsonValue, dump, repeats_a_key

LONG_STRING = 200
"""Characters from which on a changed string may be written by its lines."""
MAX_PARTS = 16
"""Items of short lists of one length that are compared place by place through all rows."""
LEAST_ROWS = 3
"""Items from which on one statement may speak of all of them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One statement."""

    words: str

    @property
    def size(self) -> int:
        return len(self.words) + 1


def _set(path: Path, value: JsonValue) -> Edit:
    return Edit(f"{write(path)} = {dump(value)}")


class Changes:
    """The changes of one document, found."""

    def __init__(self, expired: Callable[[], bool] = lambda: False) -> None:
        self._expired = expired
        self.rows = self.rows_same = 0
        """Items of the longest list that could be matched, and those of them that stayed as they were."""

    def find(self, old: JsonValue, new: JsonValue) -> list[str]:
        """The statements that make `new` of `old`.

        Raises:
            OutOfTime: the time is used up.
        """
        return [edit.words for edit in self._value((), old, new)]

    def _value(self, path: Path, old: JsonValue, new: JsonValue) -> list[Edit]:
        if self._expired():
            raise OutOfTime
        if same(old, new):
            return []
        whole = _set(path, new)
        edits: list[Edit] | None = None
        if isinstance(old, dict) and isinstance(new, dict):
            edits = self._object(path, old, new)
        elif isinstance(old, list) and isinstance(new, list):
            edits = self._list(path, old, new)
        elif type(old) is str and type(new) is str and len(new) >= LONG_STRING and _is_unicode(new):
            written = text_delta.write(old, new, self._expired)
            edits = [Edit("\n".join((f"{write(path)} by lines:", *written.lines)))]
        if edits is None or sum(edit.size for edit in edits) >= whole.size:
            return [whole]
        return edits

    def _object(
        self, path: Path, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]
    ) -> list[Edit] | None:
        if repeats_a_key(old) or repeats_a_key(new):
            # A path could only name the first of them.
            return None
        if [key for key in old if key in new] != [key for key in new if key in old]:
            return None
        edits = [Edit(f"remove {write((*path, key))}") for key in old if key not in new]
        for key in old:
            if key in new:
                edits += self._value((*path, key), old[key], new[key])
        added: dict[str, JsonValue] = {}
        before: str | None = None
        for key, value in new.items():
            if key not in old:
                added[key] = value
                continue
            if added:
                edits.append(_insert(path, before, added))
                added = {}
            before = key
        # What comes last in the object needs no place to be named.
        if added and before is None and old:
            edits.append(_insert(path, None, added))
        else:
            edits += [_set((*path, key), value) for key, value in added.items()]
        return edits

    def _list(self, path: Path, old: Sequence[JsonValue], new: Sequence[JsonValue]) -> list[Edit] | None:
        if not old or not new:
            return None
        key = key_of(old, new)
        if key is not None:
            return self._by_key(path, old, new, key)
        a, b = list(map(dump, old)), list(map(dump, new))
        if len(a) == len(b):
            pairs = [(place, old[place], new[place]) for place in range(len(a))]
            return self._items(path, pairs, lambda place, _: place)
        edits: list[Edit] = []
        found = changes(a, b, self._expired)
        self._note_rows(len(a), len(a) - sum(a1 - a0 for a0, a1, _, _ in found))
        for a0, a1, b0, b1 in found:
            both = min(a1 - a0, b1 - b0)
            for place in range(both):
                edits += self._value((*path, a0 + place), old[a0 + place], new[b0 + place])
            edits += [Edit(f"remove {write((*path, place))}") for place in range(a0 + both, a1)]
            if b1 - b0 > both:
                edits.append(_insert(path, a0 + both - 1 if a0 + both else None, list(new[b0 + both : b1])))
        return edits

    def _by_key(
        self, path: Path, old: Sequence[JsonValue], new: Sequence[JsonValue], key: tuple[str, ...]
    ) -> list[Edit]:
        names = {dump(at_key(row, key)): place for place, row in enumerate(old)}
        wanted = [dump(at_key(row, key)) for row in new]
        there = [names[name] for name in wanted if name in names]
        stay = set(_rising(there))

        def named(_: int, row: JsonValue) -> Row:
            return Row(key, at_key(row, key))

        kept = set(there)
        edits = [
            Edit(f"remove {write((*path, named(0, row)))}")
            for place, row in enumerate(old)
            if place not in kept
        ]
        pairs = [
            (names[name], old[names[name]], row)
            for name, row in zip(wanted, new, strict=True)
            if name in names
        ]
        pairs.sort(key=lambda pair: pair[0])
        edits += self._items(path, pairs, named, whole=len(pairs) == len(old) == len(new))
        added: list[JsonValue] = []
        before: Row | None = None
        for name, row in zip(wanted, new, strict=True):
            if name not in names:
                added.append(row)
                continue
            if added:
                edits.append(_insert(path, before, added))
                added = []
            if names[name] in stay:
                before = named(0, row)
            else:
                where = f"first in {write(path)}" if before is None else f"after {write((*path, before))}"
                edits.append(Edit(f"move {write((*path, named(0, row)))} {where}"))
        if added:
            edits.append(_insert(path, before, added))
        return edits

    def _note_rows(self, rows: int, alike: int) -> None:
        if rows > self.rows:
            self.rows, self.rows_same = rows, alike

    def _items(
        self,
        path: Path,
        pairs: Sequence[tuple[int, JsonValue, JsonValue]],
        named: Callable[[int, JsonValue], int | Row],
        whole: bool = True,
    ) -> list[Edit]:
        """The changes of items that are still there.

        Args:
            whole: they are all items of the list, so that one statement may speak of all of them.
        """
        self._note_rows(len(pairs), sum(same(old, new) for _, old, new in pairs))
        places = [(*path, named(place, old)) for place, old, _ in pairs]
        olds, news = [old for _, old, _ in pairs], [new for _, _, new in pairs]
        if whole and len(pairs) >= LEAST_ROWS:
            return self._column(path, places, (), olds, news)
        return [
            edit
            for place, old, new in zip(places, olds, news, strict=True)
            for edit in self._value(place, old, new)
        ]

    def _column(
        self,
        path: Path,
        places: Sequence[Path],
        tail: Path,
        olds: Sequence[JsonValue],
        news: Sequence[JsonValue],
    ) -> list[Edit]:
        """The changes of what all items of a list have at `tail`: item by item, or one statement for all."""
        changed = [index for index in range(len(olds)) if not same(olds[index], news[index])]
        if not changed:
            return []
        best = [
            edit
            for index in changed
            for edit in self._value((*places[index], *tail), olds[index], news[index])
        ]
        if len(changed) < LEAST_ROWS:
            return best
        everywhere = (*path, STAR, *tail)
        if all(same(new, news[0]) for new in news):
            others = [[_set(everywhere, news[0])]]
        else:
            others = [[Edit(f"{write(everywhere)} each = {dump(list(news))}")]]
            parts = _parts(olds, news)
            if parts:
                split = [
                    edit
                    for part, old_parts, new_parts in parts
                    for edit in self._column(path, places, (*tail, part), old_parts, new_parts)
                ]
                others.append(split)
        return min([best, *others], key=_size)


def _size(edits: Sequence[Edit]) -> int:
    return sum(edit.size for edit in edits)


def _parts(
    olds: Sequence[JsonValue], news: Sequence[JsonValue]
) -> list[tuple[str | int, list[JsonValue], list[JsonValue]]]:
    """What all values are made of, part by part, where they are objects or lists of one shape."""
    both: list[Any] = [*olds, *news]
    first = both[0]
    if isinstance(first, dict) and all(isinstance(each, dict) and [*each] == [*first] for each in both):
        if repeats_a_key(first):
            return []
        keys: Iterable[str | int] = first
    elif isinstance(first, list) and all(isinstance(each, list) and len(each) == len(first) for each in both):
        keys = range(len(first)) if len(first) <= MAX_PARTS else ()
    else:
        return []
    count = len(olds)
    return [(key, [each[key] for each in both[:count]], [each[key] for each in both[count:]]) for key in keys]


def _rising(places: Sequence[int]) -> list[int]:
    """The longest rising part of the places: these rows stay where they are, the others move."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        at = bisect_left(tails, place)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [index]
    found: list[int] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(places[index])
        index = before[index]
    return found


def _is_unicode(text: str) -> bool:
    """Whether the text can stand in a result as it is: half a character cannot."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _insert(
    path: Path, before: str | int | Row | None, added: Mapping[str, JsonValue] | Iterable[JsonValue]
) -> Edit:
    literal: JsonValue = dict(added) if isinstance(added, Mapping) else list(added)
    where = f"first in {write(path)}" if before is None else f"after {write((*path, before))}"
    return Edit(f"{where}: {dump(literal)}")


def same(old: JsonValue, new: JsonValue) -> bool:
    """Whether two values are the same document: types, number spellings and key order included."""
    return old == new and (not isinstance(old, (dict, list)) or dump(old) == dump(new))
