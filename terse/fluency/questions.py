"""Questions whose answers can be worked out from a tool result: lookup, count, filter, compare.

Made from the original, with a seed: the same result and seed give the same questions. A question answers
itself from a document, so that the original's answer can be compared with whatever a reader makes of the
emitted form.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from random import Random
from typing import Any

from terse.payload.payload import Payload

FEWEST_RECORDS = 5
FEWEST_LINES = 8
MOST_LISTED = 8
"""A filter that finds more than so many asks for typing, not for reading."""
MOST_COUNTED = 40
"""Counting further by eye is a test of patience."""
LONGEST_VALUE = 80
NAMES = ("id", "name", "number", "key")
"""Fields that a person would know a record by, where it has them."""

_MISSING = object()

Document = Any
"""JSON as the standard library reads it, with numbers as `Decimal`; or the list of a text's lines."""


class Kind(StrEnum):
    LOOKUP = "lookup"
    COUNT = "count"
    FILTER = "filter"
    COMPARE = "compare"


@dataclass(frozen=True, slots=True)
class Lookup:
    """One field of the record that another field identifies."""

    path: tuple[str, ...]
    key: str
    value: Any
    field: str
    kind: Kind = Kind.LOOKUP

    @property
    def words(self) -> str:
        which = f"the record whose {self.key!r} is {shown(self.value)}"
        return f"{_in(self.path)}, what is {self.field!r} of {which}?"

    def answer(self, document: Document) -> str:
        return shown(_record(document, self.path, self.key, self.value)[self.field])


@dataclass(frozen=True, slots=True)
class Count:
    """How many records a list has."""

    path: tuple[str, ...]
    kind: Kind = Kind.COUNT

    @property
    def words(self) -> str:
        return f"{_in(self.path)}, how many records are there?"

    def answer(self, document: Document) -> str:
        return str(len(at(document, self.path)))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records have a field of a value: their identifying fields, in order."""

    path: tuple[str, ...]
    key: str
    field: str
    value: Any
    kind: Kind = Kind.FILTER

    @property
    def words(self) -> str:
        return (
            f"{_in(self.path)}, which records have {self.field!r} equal to {shown(self.value)}? "
            f"List their {self.key!r}, in order, with commas between."
        )

    def answer(self, document: Document) -> str:
        records = (record for record in at(document, self.path) if isinstance(record, dict))
        found = [
            shown(record[self.key]) for record in records if _is(record.get(self.field, _MISSING), self.value)
        ]
        return ", ".join(found)


@dataclass(frozen=True, slots=True)
class Compare:
    """Which of two records has more of something."""

    path: tuple[str, ...]
    key: str
    one: Any
    other: Any
    field: str
    kind: Kind = Kind.COMPARE

    @property
    def words(self) -> str:
        return (
            f"{_in(self.path)}, which record has the larger {self.field!r}: the one whose {self.key!r} is "
            f"{shown(self.one)}, or the one whose {self.key!r} is {shown(self.other)}? "
            f"Answer with its {self.key!r}."
        )

    def answer(self, document: Document) -> str:
        records = [_record(document, self.path, self.key, value) for value in (self.one, self.other)]
        return shown(max(records, key=lambda record: Decimal(record[self.field]))[self.key])


@dataclass(frozen=True, slots=True)
class LineLookup:
    """The line that a word identifies, whole."""

    word: str
    kind: Kind = Kind.LOOKUP

    @property
    def words(self) -> str:
        return f"What is the whole line of the original text that contains the word {self.word!r}?"

    def answer(self, document: Document) -> str:
        return str(next(line for line in document if self.word in line_words(line)))


@dataclass(frozen=True, slots=True)
class LineCount:
    """How many lines contain a word."""

    word: str
    kind: Kind = Kind.COUNT

    @property
    def words(self) -> str:
        return f"How many lines of the original text contain the word {self.word!r}?"

    def answer(self, document: Document) -> str:
        return str(sum(self.word in line_words(line) for line in document))


@dataclass(frozen=True, slots=True)
class LineFilter:
    """The last words of the lines that contain a word."""

    word: str
    kind: Kind = Kind.FILTER

    @property
    def words(self) -> str:
        return (
            f"Which lines of the original text contain the word {self.word!r}? "
            "Give the last word of each, in order, with commas between."
        )

    def answer(self, document: Document) -> str:
        return ", ".join(line_words(line)[-1] for line in document if self.word in line_words(line))


@dataclass(frozen=True, slots=True)
class LineCompare:
    """Which of two words comes first."""

    one: str
    other: str
    kind: Kind = Kind.COMPARE

    @property
    def words(self) -> str:
        return (
            f"Which line stands first in the original text: the one with the word {self.one!r} or the one "
            f"with {self.other!r}? Answer with that word."
        )

    def answer(self, document: Document) -> str:
        for line in document:
            found = line_words(line)
            for word in (self.one, self.other):
                if word in found:
                    return word
        return ""


Question = Lookup | Count | Filter | Compare | LineLookup | LineCount | LineFilter | LineCompare


def document(text: str) -> Document:
    """What questions are answered from: the JSON of a text, the list of its JSON lines, or its lines.

    Of JSON in which a key stands twice nothing is asked: there is no one right answer.
    """
    if Payload.of(text).json is not None:
        try:
            return _json(text)
        except ValueError:
            return {}
    lines = text.splitlines()
    if lines and all(line.startswith("{") for line in lines):
        try:
            return [_json(line) for line in lines]
        except ValueError:
            pass
    return lines


def is_lines(document: Document) -> bool:
    """Whether questions are about lines, and not about records."""
    return isinstance(document, list) and all(isinstance(item, str) for item in document)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key twice")
    return made


def questions(text: str, seed: int = 0) -> Sequence[Question]:
    """Questions on a result, kinds taking turns; none where it has nothing to ask for."""
    made = document(text)
    random = Random(seed)
    if is_lines(made) and Payload.of(text).json is None:
        found = list(_of_lines(made, random))
    else:
        found = [
            question for path, records in _lists(made, ()) for question in _of_list(path, records, random)
        ]
    by_kind = {kind: [question for question in found if question.kind is kind] for kind in Kind}
    turns: list[Question] = []
    while any(by_kind.values()):
        turns += [some.pop(0) for some in by_kind.values() if some]
    return turns


def at(document: Document, path: tuple[str, ...]) -> Any:
    """The value at a path of keys."""
    for key in path:
        document = document[key]
    return document


def shown(value: Any) -> str:
    """A scalar as questions and answers write it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def line_words(line: str) -> list[str]:
    """The words of a line: what white space and the signs around values separate."""
    return [word for word in re.split(r"[\s,;=\"'()\[\]{}<>|]+", line) if word]


# ---- records -------------------------------------------------------------------------------------


def _in(path: tuple[str, ...]) -> str:
    return f"In the list {'.'.join(path)!r}" if path else "In the list"


def _lists(value: Document, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Lists of records, with the keys that lead to them."""
    if isinstance(value, list):
        if len(value) >= FEWEST_RECORDS and all(isinstance(item, dict) for item in value):
            yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _lists(item, (*path, key))


def _of_list(path: tuple[str, ...], records: list[dict[str, Any]], random: Random) -> Iterator[Question]:
    yield Count(path)
    names = list(dict.fromkeys(name for record in records for name in record))
    keys = [name for name in names if _identifies(records, name)]
    if not keys:
        return
    key = min(keys, key=lambda name: name.lower() not in NAMES)
    fields = [name for name in names if name != key and any(_has(record, name) for record in records)]
    for _ in range(3):
        record = random.choice(records)
        there = [name for name in fields if _has(record, name) and record.get(name) not in (None, "")]
        if there:
            yield Lookup(path, key, record[key], random.choice(there))
    for name in random.sample(fields, len(fields)):
        counts = Counter(shown(record[name]) for record in records if _has(record, name))
        few = [text for text, times in counts.items() if 1 < times <= MOST_LISTED and text]
        if few:
            text = random.choice(sorted(few))
            value = next(r[name] for r in records if _has(r, name) and shown(r[name]) == text)
            yield Filter(path, key, name, value)
    for name in random.sample(fields, len(fields)):
        rows = [record for record in records if type(record.get(name)) is Decimal]
        pairs = [random.sample(rows, 2) for _ in range(4)] if len(rows) > 1 else []
        for one, other in pairs:
            if one[name] != other[name]:
                yield Compare(path, key, one[key], other[key], name)
                break


def _identifies(records: list[dict[str, Any]], name: str) -> bool:
    values = [record.get(name) for record in records]
    if not all(type(value) in (str, Decimal) and _is_scalar(value) and value != "" for value in values):
        return False
    return len({shown(value) for value in values}) == len(values)


def _has(record: dict[str, Any], name: str) -> bool:
    """Whether a record has a field that can be asked for; null is a value, a missing field is none."""
    return name in record and _is_scalar(record[name])


def _is_scalar(value: Any) -> bool:
    """A value that can be asked for in a line."""
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE and value.isprintable() and "," not in value
    return value is None or isinstance(value, (bool, Decimal))


def _is(value: Any, other: Any) -> bool:
    return type(value) is type(other) and value == other


def _record(document: Document, path: tuple[str, ...], key: str, value: Any) -> dict[str, Any]:
    for record in at(document, path):
        if isinstance(record, dict) and _is(record.get(key), value):
            return record
    raise LookupError(f"no record whose {key} is {shown(value)}")


# ---- lines ---------------------------------------------------------------------------------------


def _of_lines(lines: list[str], random: Random) -> Iterator[Question]:
    if len(lines) < FEWEST_LINES:
        return
    counts = Counter(word for line in lines for word in dict.fromkeys(line_words(line)))
    short = [
        line for line in lines if 0 < len(line) <= 2 * LONGEST_VALUE and line.replace("\t", " ").isprintable()
    ]
    once = [
        word
        for line in short
        for word in dict.fromkeys(line_words(line))
        if counts[word] == 1 and 3 < len(word) <= LONGEST_VALUE and line.count(word) == 1
    ]
    often = [word for word, times in counts.items() if 2 <= times <= MOST_COUNTED and len(word) > 3]
    few = [word for word in often if counts[word] <= MOST_LISTED]
    for word in random.sample(once, min(3, len(once))):
        yield LineLookup(word)
    for word in random.sample(often, min(3, len(often))):
        yield LineCount(word)
    for word in random.sample(few, min(2, len(few))):
        yield LineFilter(word)
    for _ in range(2):
        if len(once) > 1:
            one, other = random.sample(once, 2)
            yield LineCompare(one, other)
