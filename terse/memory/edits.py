"""A JSON document as the changes of an earlier one: statements about its places.

    issues[number=12].state = "closed"
    remove issues[number=7]
    after issues[number=12]: [{"number":13,"state":"open"}]
    first in issues: [{"number":40,"state":"open"}]
    results[*].value each = [["1","a"],["2","b"]]
    results[*].at = "10:31"
    readme by lines:
    @@ -3 +3 @@
    -old
    +new

All places are those of the earlier document. The whole form is specified in docs/format-delta.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from terse.memory import text_delta
from terse.memory.align import OutOfTime, changes
from terse.memory.path import STAR, Path, Row, at_key, write
from terse.memory.rows import key_of
from terse.payload.exact import JsonValue, dump

LONG_STRING = 200
"""Characters from which on a changed string may be written by its lines."""
LEAST_ROWS = 3
"""Items from which on one statement may speak of all of them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One statement, and of one that gives a place a value also that value."""

    path: Path
    words: str
    value: JsonValue = None
    sets: bool = False

    @property
    def size(self) -> int:
        return len(self.words) + 1


def _set(path: Path, value: JsonValue) -> Edit:
    return Edit(path, f"{write(path)} = {dump(value)}", value, sets=True)


class Changes:
    """The changes of one document, found."""

    def __init__(self, expired: Callable[[], bool] = lambda: False) -> None:
        self._expired = expired
        self.rows = self.rows_same = 0
        """Items of the earlier lists that could be matched, and those that stayed as they were."""

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
            edits = [Edit(path, "\n".join((f"{write(path)} by lines:", *written.lines)))]
        if edits is None or sum(edit.size for edit in edits) >= whole.size:
            return [whole]
        return edits

    def _object(
        self, path: Path, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]
    ) -> list[Edit] | None:
        if [key for key in old if key in new] != [key for key in new if key in old]:
            return None
        edits = [Edit((*path, key), f"remove {write((*path, key))}") for key in old if key not in new]
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
            edits = self._by_key(path, old, new, key)
            if edits is not None:
                return edits
        a, b = list(map(dump, old)), list(map(dump, new))
        edits = []
        if len(a) == len(b):
            pairs = [(place, old[place], new[place]) for place in range(len(a))]
            return self._items(path, pairs, lambda place, _: place)
        self.rows += len(a)
        found = changes(a, b, self._expired)
        self.rows_same += len(a) - sum(a1 - a0 for a0, a1, _, _ in found)
        for a0, a1, b0, b1 in found:
            both = min(a1 - a0, b1 - b0)
            for place in range(both):
                edits += self._value((*path, a0 + place), old[a0 + place], new[b0 + place])
            edits += [
                Edit((*path, place), f"remove {write((*path, place))}") for place in range(a0 + both, a1)
            ]
            if b1 - b0 > both:
                edits.append(_insert(path, a0 + both - 1 if a0 + both else None, list(new[b0 + both : b1])))
        return edits

    def _by_key(
        self, path: Path, old: Sequence[JsonValue], new: Sequence[JsonValue], key: tuple[str, ...]
    ) -> list[Edit] | None:
        names = {dump(at_key(row, key)): place for place, row in enumerate(old)}
        wanted = [dump(at_key(row, key)) for row in new]
        stay = [names[name] for name in wanted if name in names]
        if stay != sorted(stay):
            return None

        def named(_: int, row: JsonValue) -> Row:
            return Row(key, at_key(row, key))

        kept = set(stay)
        edits = [
            Edit((*path, named(0, row)), f"remove {write((*path, named(0, row)))}")
            for place, row in enumerate(old)
            if place not in kept
        ]
        pairs = [
            (names[name], old[names[name]], row)
            for name, row in zip(wanted, new, strict=True)
            if name in names
        ]
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
            before = named(0, row)
        if added:
            edits.append(_insert(path, before, added))
        return edits

    def _items(
        self,
        path: Path,
        pairs: Sequence[tuple[int, JsonValue, JsonValue]],
        named: Callable[[int, JsonValue], int | Row],
        whole: bool = True,
    ) -> list[Edit]:
        """The changes of items that are still there; one statement for all where that is shorter."""
        edits: list[Edit] = []
        tails: dict[Path, list[Edit]] = {}
        places: set[Path] = set()
        for place, old, new in pairs:
            at = (*path, named(place, old))
            found = self._value(at, old, new)
            self.rows += 1
            self.rows_same += not found
            for edit in found:
                tail = edit.path[len(at) :]
                places.add(tail)
                if edit.sets:
                    tails.setdefault(tail, []).append(edit)
            edits += found
        if not whole or len(pairs) < LEAST_ROWS:
            return edits
        for tail, alike in tails.items():
            if any(tail != other and _one_in_another(tail, other) for other in places):
                continue
            said = _of_all(path, tail, pairs, alike)
            if said is not None:
                gone = {id(edit) for edit in alike}
                edits = [edit for edit in edits if id(edit) not in gone]
                edits.append(said)
        return edits


def _of_all(
    path: Path, tail: Path, pairs: Sequence[tuple[int, JsonValue, JsonValue]], alike: Sequence[Edit]
) -> Edit | None:
    """One statement in place of those about single items, if all have such a place and it is shorter."""
    values: list[JsonValue] = []
    for _, old, new in pairs:
        before, after = _at(old, tail), _at(new, tail)
        if before is None or after is None:
            return None
        values.append(after[0])
    texts = {dump(value) for value in values}
    place = write((*path, STAR, *tail))
    if len(texts) == 1:
        words = f"{place} = {dump(values[0])}"
    else:
        words = f"{place} each = {dump(values)}"
    return Edit((*path, STAR, *tail), words) if len(words) < sum(edit.size for edit in alike) else None


def _one_in_another(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _is_unicode(text: str) -> bool:
    """Whether the text can stand in a result as it is: half a character cannot."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _at(value: JsonValue, tail: Path) -> tuple[JsonValue] | None:
    for part in tail:
        is_key = isinstance(part, str) and isinstance(value, dict) and part in value
        if not is_key and not (isinstance(part, int) and isinstance(value, list) and part < len(value)):
            return None
        value = value[part]  # type: ignore[index]
    return (value,)


def _insert(
    path: Path, before: str | int | Row | None, added: Mapping[str, JsonValue] | Iterable[JsonValue]
) -> Edit:
    literal: JsonValue = dict(added) if isinstance(added, Mapping) else list(added)
    where = f"first in {write(path)}" if before is None else f"after {write((*path, before))}"
    return Edit(path, f"{where}: {dump(literal)}")


def same(old: JsonValue, new: JsonValue) -> bool:
    """Whether two values are the same document: types, number spellings and key order included."""
    return old == new and (not isinstance(old, (dict, list)) or dump(old) == dump(new))
