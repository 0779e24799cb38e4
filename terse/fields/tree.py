"""A JSON document under its field lines: edits by place, and the document that they leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from terse.fields.find import ROOT, Place, Spot, containers, find
from terse.fields.selector import Every, Target
from terse.fields.unseen import may_hold
from terse.payload.exact import JsonValue, as_object, repeats_a_key

REST = "…"
"""Key of a note inside an object, and the end of the key of a note beside a list."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The value is removed, but for what is kept in it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A note stands for the value; what is kept in it stays beside the note."""

    note: str


@dataclass(frozen=True, slots=True)
class Text:
    """Another string stands for the string."""

    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows from `start` to before `end` are cut out, but for what is kept in them."""

    start: int
    end: int
    note: str


Edit = Gone | Noted | Text | Rows


class Tree:
    """A document and what is to happen to it.

    INVARIANT: the document itself is never changed: places are identities in it, handles hold its values.
    """

    def __init__(self, document: JsonValue) -> None:
        self.document = document
        self._kept: set[Place] = set()
        self._leads: set[Place] = set()
        """Places of what kept values stand in."""
        self._edits: dict[Place, Edit] = {}
        self._touched: set[Place] = set()
        """Places with an edit, and of whatever they stand in."""
        self.unseen: set[Place] = set()
        """Strings that are kept because they hold data that names what is kept."""
        self.journal: list[Spot] | None = None
        """Whatever is kept or edited is noted here, in order, if someone asked for it. Copies have none."""

    def copy(self) -> Tree:
        """A tree of the same document with the same edits, for an attempt."""
        other = Tree(self.document)
        other._kept, other._leads, other.unseen = self._kept, self._leads, self.unseen
        other._edits = dict(self._edits)
        other._touched = set(self._touched)
        return other

    @property
    def edited(self) -> bool:
        return bool(self._edits)

    @property
    def keeps(self) -> bool:
        """Whether anything is kept."""
        return bool(self._kept)

    @property
    def notes(self) -> set[str]:
        """The notes that stand in the document now, where they stand alone."""
        return {edit.note for edit in self._edits.values() if isinstance(edit, (Noted, Rows))}

    def keep(self, target: Target) -> int:
        """Let nothing happen to the values found, and return how many there are. Before any edit.

        A string that is data (JSON in a string) is kept whole if it names a field kept at any depth.
        """
        number = 0
        for spot in find(self.document, target):
            number += 1
            self._keep(spot)
        # A path from the root leads into no string.
        for spot in self._data_in_strings() if isinstance(target, Every) else ():
            if may_hold(str(spot.value), target):
                self.unseen.add(spot.place)
                self._keep(spot)
        return number

    def _keep(self, spot: Spot) -> None:
        if self.journal is not None:
            self.journal.append(spot)
        self._kept.add(spot.place)
        parent = spot.parent
        while parent is not None and parent.place not in self._leads:
            self._leads.add(parent.place)
            parent = parent.parent

    def _data_in_strings(self) -> Iterator[Spot]:
        for spot in containers(self.document):
            value = spot.value
            if isinstance(value, dict):
                inner: Iterable[tuple[str | int, JsonValue]] = value.items()
            else:
                inner = enumerate(value) if isinstance(value, list) else ()
            for key, item in inner:
                if type(item) is str and item.lstrip()[:1] in ("{", "["):
                    yield Spot(item, spot, key)

    def names_in_strings(self, target: Target) -> bool:
        """Whether a string that is data (JSON in a string) names what the target is: no line sees it."""
        return any(may_hold(str(spot.value), target) for spot in self._data_in_strings())

    def spots(self, target: Target) -> Iterator[Spot]:
        """What the target finds, without what is kept or no longer there."""
        return (spot for spot in find(self.document, target) if self.is_free(spot))

    def is_free(self, spot: Spot) -> bool:
        """Whether something can be done to the value: it is still there, and not kept."""
        inner: Spot | None = None
        for each in spot.way():
            if each.place in self._kept:
                return False
            edit = self._edits.get(each.place)
            if isinstance(edit, (Gone, Noted)):
                return False
            if (
                isinstance(edit, Rows)
                and inner is not None
                and isinstance(inner.key, int)
                and edit.start <= inner.key < edit.end
            ):
                return False
            inner = each
        return True

    def holds_kept(self, spot: Spot) -> bool:
        """Whether something in the value is kept."""
        return spot.place in self._leads

    def edit(self, spot: Spot, edit: Edit) -> None:
        """Note what is to happen to a free spot; it replaces an earlier edit of the same place."""
        self._edits[spot.place] = edit
        if self.journal is not None:
            self.journal.append(spot)
        for each in spot.way():
            if each.place in self._touched:
                # The way from there to the root was marked with it.
                return
            self._touched.add(each.place)

    def edit_of(self, spot: Spot) -> Edit | None:
        """What is to happen to the very value, if anything."""
        return self._edits.get(spot.place)

    def value(self) -> JsonValue:
        """The document that the edits leave; a note alone where one stands for the whole."""
        edit = self._edits.get(ROOT)
        if isinstance(edit, Gone):
            return self.kept_of(self.document, "")
        if isinstance(edit, Noted):
            return self.kept_of(self.document, edit.note) if ROOT in self._leads else edit.note
        if isinstance(edit, Rows) and isinstance(self.document, list):
            return self._rows(self.document, edit, noted_inside=True)
        return self._inside(self.document) if ROOT in self._touched else self.document

    def kept_of(self, value: JsonValue, note: str) -> JsonValue:
        """What is kept in a list or object, with the keys that lead there, and the note unless empty."""
        if isinstance(value, dict):
            kept: dict[str, JsonValue] = {}
            for key, item in value.items():
                place = (id(value), key)
                if place in self._kept:
                    kept[key] = item
                elif place in self._leads:
                    kept[key] = self.kept_of(item, "")
            if note:
                kept[_free_key(REST, value)] = note
            return _renumbered(kept)
        if isinstance(value, list):
            items = list(self._kept_rows(value, 0, len(value)))
            return [*items, _row_note(value, note)] if note else items
        return value

    def _kept_rows(self, rows: list[JsonValue], start: int, end: int) -> Iterator[JsonValue]:
        for index in range(start, end):
            place = (id(rows), index)
            if place in self._kept:
                yield rows[index]
            elif place in self._leads:
                yield self.kept_of(rows[index], "")

    def _inside(self, value: JsonValue) -> JsonValue:
        touched = self._touched
        identity = id(value)
        if isinstance(value, dict):
            made: dict[str, JsonValue] = {}
            for key, item in value.items():
                place = (identity, key)
                if place not in touched:
                    made[key] = item
                    continue
                edit = self._edits.get(place)
                if isinstance(edit, Gone):
                    if place in self._leads:
                        made[key] = self.kept_of(item, "")
                    continue
                made[key] = self._edited(item, place, edit, noted_inside=False)
                if isinstance(edit, Rows):
                    made[_free_key(key + REST, value, made)] = edit.note
            return _renumbered(made)
        if isinstance(value, list):
            return [
                self._edited(item, (identity, index), self._edits.get((identity, index)), noted_inside=True)
                if (identity, index) in touched
                else item
                for index, item in enumerate(value)
            ]
        return value

    def _edited(self, value: JsonValue, place: Place, edit: Edit | None, noted_inside: bool) -> JsonValue:
        match edit:
            case Noted(note):
                return self.kept_of(value, note) if place in self._leads else note
            case Text(text):
                return text
            case Rows() if isinstance(value, list):
                return self._rows(value, edit, noted_inside)
            case _:
                return self._inside(value)

    def _rows(self, rows: list[JsonValue], edit: Rows, noted_inside: bool) -> list[JsonValue]:
        made: list[JsonValue] = []
        for index in (*range(edit.start), *range(edit.end, len(rows))):
            if index == edit.end:
                made += self._kept_rows(rows, edit.start, edit.end)
                made += [_row_note(rows, edit.note)] if noted_inside else []
            place = (id(rows), index)
            row = rows[index]
            if place in self._touched:
                row = self._edited(row, place, self._edits.get(place), noted_inside=True)
            made.append(row)
        if edit.end == len(rows):
            made += self._kept_rows(rows, edit.start, edit.end)
            made += [_row_note(rows, edit.note)] if noted_inside else []
        return made


def _row_note(rows: list[JsonValue], note: str) -> JsonValue:
    # Among objects the note is an object, so that they stay a list of records.
    if all(type(row) is dict for row in rows):
        keys: dict[str, JsonValue] = {key: None for row in rows if isinstance(row, dict) for key in row}
        return {_free_key(REST, keys): note}
    return note


def _free_key(key: str, *taken: dict[str, JsonValue]) -> str:
    while any(key in each for each in taken):
        key += REST
    return key


def _renumbered(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The object as one that was parsed, after some of its keys that stand twice are gone."""
    return as_object([(str(key), item) for key, item in value.items()]) if repeats_a_key(value) else value
