"""What stands where in the results of a tool: how much of them a member is, and whether it ever changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from terse.fields.find import longest_list_of_objects
from terse.payload.exact import JsonValue, Number, dump
from terse.payload.payload import Payload
from terse.tuning.material import Taken
from terse.tuning.saying import MAX_DEPTH, is_path

MAX_PATHS = 2_000
"""Paths of one tool that are counted: a map with data for keys has as many as it has entries."""

_Keys = tuple[str, ...]


@dataclass(slots=True)
class Member:
    """The values at one path, in all results together; lists are seen through.

    Attributes:
        results: in how many of them it is.
        times: how often.
        characters: of its texts; `texts` is how many of its values are texts.
        value: the one value that it always has, as JSON; None where there are several, or it is no scalar
            and not empty.
    """

    results: int = 0
    times: int = 0
    characters: int = 0
    texts: int = 0
    value: str | None = None
    differs: bool = False


@dataclass(slots=True)
class Seen:
    """The results of a tool, looked into.

    Attributes:
        results: those that are JSON documents; `others` are other texts.
        characters: of the documents.
        rows: of the longest list of objects in each document that has one.
        lines: of each other text.
    """

    results: int
    others: int
    characters: int
    members: dict[_Keys, Member]
    rows: list[int]
    lines: list[int]

    def paths(self) -> Iterable[tuple[_Keys, Member]]:
        """The members that at least half of the documents have, by path: others may be keys that are data."""
        return (
            (keys, member)
            for keys, member in sorted(self.members.items())
            if member.results * 2 >= self.results and is_path(keys)
        )


def seen(calls: Iterable[Taken]) -> Seen:
    """What stands in the results of calls of one tool; errors are left out."""
    found = Seen(0, 0, 0, {}, [], [])
    for taken in calls:
        if taken.call.is_error:
            continue
        documents: list[JsonValue] = []
        for text in taken.texts:
            payload = Payload.of(text)
            if payload.json is None:
                found.others += 1
                found.lines.append(payload.lines)
                continue
            documents.append(payload.json)
            found.characters += len(text)
            rows = longest_list_of_objects(payload.json)
            if rows is not None and isinstance(rows.value, list):
                found.rows.append(len(rows.value))
        if documents:
            found.results += 1
            _look(documents, found.members)
    return found


def _look(documents: Sequence[JsonValue], members: dict[_Keys, Member]) -> None:
    here: set[_Keys] = set()
    waiting: list[tuple[JsonValue, _Keys]] = [(document, ()) for document in documents]
    while waiting:
        value, keys = waiting.pop()
        if isinstance(value, list):
            waiting += [(item, keys) for item in value]
            if value or not keys:
                continue
        if isinstance(value, dict) and len(keys) <= MAX_DEPTH:
            waiting += [(member, (*keys, str(key))) for key, member in value.items()]
        if keys and (keys in members or len(members) < MAX_PATHS):
            here.add(keys)
            _count(members.setdefault(keys, Member()), value)
    for keys in here:
        members[keys].results += 1


def _count(member: Member, value: JsonValue) -> None:
    member.times += 1
    if isinstance(value, str) and not isinstance(value, Number):
        member.texts += 1
        member.characters += len(value)
    said = None if isinstance(value, (dict, list)) and value else dump(value)
    if said is None or (member.value is not None and said != member.value):
        member.differs = True
    elif not member.differs:
        member.value = said
