"""What changed between a tool's answer and what the agent gets, found by comparing the two. Knows no rule."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field

from terse.memory.store import Store
from terse.payload.exact import JsonValue, dump, parse

_HANDLE = re.compile(r"set aside: terse_retrieve (h\d+)\]+")
_NOTE = re.compile(r"\[+[\d,]+ lines? (?:removed|set aside(?:: terse_retrieve (?P<handle>h\d+))?)\]+")
_ROWS = "…"
"""What the key of a note about rows ends in: `issues…`."""


@dataclass(slots=True)
class Changes:
    """By path (keys, without the indices of lists): how often a value was removed, set aside or cut."""

    removed: Counter[str] = field(default_factory=Counter)
    aside: Counter[str] = field(default_factory=Counter)
    shortened: Counter[str] = field(default_factory=Counter)
    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rows that are there, and rows there were; the rest can be fetched."""
    rows_lost: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rows that are gone, and rows there were."""
    lines_removed: int = 0
    lines_aside: int = 0
    other: list[str] = field(default_factory=list)
    """What changed in any other way: there must be none."""

    def __bool__(self) -> bool:
        lines = self.lines_removed or self.lines_aside
        rows = self.rows or self.rows_lost
        return bool(self.removed or self.aside or self.shortened or rows or lines or self.other)


def of_documents(before: JsonValue, after: JsonValue, store: Store) -> Changes:
    """The changes of a JSON document. What is set aside must be in the store, as it was."""
    changes = Changes()
    _compare(before, after, (), store, changes)
    return changes


def _compare(
    before: JsonValue, after: JsonValue, path: tuple[str, ...], store: Store, changes: Changes
) -> None:
    where = ".".join(path)
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key not in after:
                changes.removed[".".join((*path, key))] += 1
            elif isinstance(value, list) and f"{key}{_ROWS}" in after:
                _rows(value, after[key], after[f"{key}{_ROWS}"], (*path, key), store, changes)
            else:
                _compare(value, after[key], (*path, key), store, changes)
        extra = [key for key in after if key not in before and key.removesuffix(_ROWS) not in before]
        changes.other += [f"{where}: new key {key}" for key in extra]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            _compare(one, other, path, store, changes)
    elif type(before) is type(after) and before == after:
        return
    elif isinstance(after, str) and _held(after, store) == _text(before):
        is_whole = after.startswith("[") or not isinstance(before, str)
        (changes.aside if is_whole else changes.shortened)[where] += 1
        if not is_whole and not str(before).startswith(after[: after.rindex("[")]):
            changes.other.append(f"{where}: what stays is not its beginning")
    else:
        changes.other.append(f"{where}: {dump(before)[:60]} became {dump(after)[:60]}")


def _rows(
    before: list[JsonValue],
    after: JsonValue,
    note: JsonValue,
    path: tuple[str, ...],
    store: Store,
    changes: Changes,
) -> None:
    where = ".".join(path)
    note = note if isinstance(note, str) else ""
    held = _held(note, store)
    if not isinstance(after, list):
        changes.other.append(f"{where}: a list became something else")
        return
    if held is not None and parse(held) == before:
        changes.rows[where] = (len(after), len(before))
    elif note.endswith(" rows removed]"):
        changes.rows_lost[where] = (len(before) - len(after), len(before))
    else:
        changes.other.append(f"{where}: the rows cannot be fetched, and the note does not say so")
    for one, other in zip(before, after, strict=False):
        _compare(one, other, path, store, changes)


def _held(note: str, store: Store) -> str | None:
    """The text that a note's handle stands for."""
    found = _HANDLE.search(note)
    return store.get(found[1]) if found is not None else None


def _text(value: JsonValue) -> str:
    return value if type(value) is str else dump(value)


def of_texts(before: str, after: str, store: Store) -> Changes:
    """The changes of a text, by lines. What is left must be lines of it, in order."""
    changes = Changes()
    lines = iter(before.split("\n"))
    missing: list[str] = []
    held = ""
    for line in after.split("\n"):
        note = _NOTE.fullmatch(line)
        if note is None:
            missing += itertools.takewhile(lambda each, line=line: each != line, lines)
        elif note["handle"] is not None:
            text = store.get(note["handle"]) or ""
            if not text or text not in before:
                changes.other.append(f"{note['handle']} does not hold what was there")
            held += text + "\n"
    missing += lines
    fetched = Counter(held.split("\n"))
    for line in missing:
        if fetched[line]:
            fetched[line] -= 1
            changes.lines_aside += 1
        else:
            changes.lines_removed += 1
    return changes
