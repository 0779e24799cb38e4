"""Putting terse into a file, and taking it out: what the file becomes, then that written."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from terse.clients import file
from terse.clients.document import Broken, Document, Edit, Node, NotEditable, edited
from terse.clients.entry import Change, Front, unwrap, wrap
from terse.clients.look import Opened, Seen
from terse.clients.manifest import Manifest, Record, Wrapping, digest


@dataclass(slots=True)
class Planned:
    """What becomes of one file.

    Attributes:
        text: the file as it is going to be.
        done: servers that are changed.
        left: servers that are left as they are, and why.
        restores: the file is going to be what it was before terse, byte for byte.
    """

    opened: Opened
    text: str
    done: list[Seen] = field(default_factory=list)
    left: list[tuple[Seen, str]] = field(default_factory=list)
    wrappings: dict[str, Wrapping | None] = field(default_factory=dict)
    restores: bool = False

    @property
    def before(self) -> str:
        assert self.opened.document is not None, "INVARIANT: only files that are understood are planned for"
        return self.opened.document.text

    @property
    def changes(self) -> bool:
        return self.text != self.before


def planned_install(opened: Opened, servers: Sequence[Seen], front: Front) -> Planned:
    """The file with terse in front of these servers. Nothing is written."""

    def change(planned: Planned, document: Document, seen: Seen) -> str:
        entry = document.entry(seen.keys)
        made = wrap(opened.client.shape, document, entry, seen.name, front)
        text = _made(opened, document, seen.keys, made)
        after = _parsed(opened, text).entry(seen.keys)
        planned.wrappings[key_of(seen.keys)] = Wrapping(
            _raw(document, entry), text[after.start : after.end], made.adds_args
        )
        return text

    return _planned(opened, servers, change)


def planned_uninstall(opened: Opened, servers: Sequence[Seen], record: Record | None) -> Planned:
    """The file without terse in front of these servers. Nothing is written."""
    known = {} if record is None else record.servers

    def change(planned: Planned, document: Document, seen: Seen) -> str:
        entry = document.entry(seen.keys)
        wrapping = known.get(key_of(seen.keys))
        planned.wrappings[key_of(seen.keys)] = None
        if wrapping is not None and entry.start >= 0 and _raw(document, entry) == wrapping.after:
            text = edited(document.text, [Edit(entry.start, entry.end, wrapping.before)])
            restored = _value(_parsed(opened, text).value, seen.keys)
            _check(opened, document, seen.keys, text, restored)
            return text
        adds_args = wrapping is not None and wrapping.adds_args
        made = unwrap(opened.client.shape, document, entry, added_args=adds_args)
        return _made(opened, document, seen.keys, made)

    planned = _planned(opened, servers, change)
    assert opened.found is not None, "INVARIANT: only files that are understood are planned for"
    if record is not None and not planned.left and digest(opened.found.data) == record.after:
        remaining = set(record.servers) - set(planned.wrappings)
        original = _backup(record)
        if not remaining and original is not None:
            planned.text, planned.restores = original, True
    return planned


def carry_out(planned: Planned, manifest: Manifest) -> Path | None:
    """Write what was planned; returns the backup, where one was made.

    Raises:
        Refused: the file was changed since it was read, or cannot be written. Nothing was changed then.
    """
    found = planned.opened.found
    assert found is not None, "INVARIANT: only files that are understood are planned for"
    if (why := file.why_not_writable(found)) is not None:
        raise file.Refused(why)
    name, data = str(found.target), planned.text.encode("utf-8")
    previous = manifest.records.get(name)
    record = copy.deepcopy(previous)
    is_install = any(wrapping is not None for wrapping in planned.wrappings.values())
    made: Path | None = None
    if is_install and (record is None or digest(found.data) != record.after or _backup(record) is None):
        # Another program wrote since: the file as it is now is what is given back, with these entries.
        made = file.back_up(found)
        older = [] if record is None else [*record.older, record.backup]
        kept = {} if record is None else record.servers
        # A file with terse in it is none that could be given back.
        record = Record(str(made), "" if kept else digest(found.data), "", older, kept)
    followed = record is not None and (made is not None or digest(found.data) == record.after)
    try:
        if record is not None:
            for key, wrapping in planned.wrappings.items():
                if wrapping is None:
                    record.servers.pop(key, None)
                else:
                    record.servers[key] = wrapping
            if followed:
                record.after = digest(data)
            manifest.records[name] = record
            if is_install:
                # First: a file with terse in it that nothing is known of could not be given back.
                manifest.save()
        file.replace(found, data)
    except file.Refused:
        if made is not None:
            made.unlink(missing_ok=True)
        if previous is not None:
            manifest.records[name] = previous
        else:
            manifest.records.pop(name, None)
        manifest.save()
        raise
    if record is not None and not record.servers:
        del manifest.records[name]
        for backup in (record.backup, *record.older):
            Path(backup).unlink(missing_ok=True)
    manifest.save()
    return made


def key_of(keys: Sequence[str]) -> str:
    """What a server is called in the manifest."""
    return json.dumps(list(keys), ensure_ascii=False)


def _planned(
    opened: Opened, servers: Sequence[Seen], change: Callable[[Planned, Document, Seen], str]
) -> Planned:
    assert opened.document is not None, "INVARIANT: only files that are understood are planned for"
    planned = Planned(opened, opened.document.text)
    document = opened.document
    for seen in servers:
        try:
            text = change(planned, document, seen)
            document = _parsed(opened, text)
        except (NotEditable, Broken) as why:
            planned.wrappings.pop(key_of(seen.keys), None)
            planned.left.append((seen, str(why)))
        else:
            planned.text = text
            planned.done.append(seen)
    return planned


def _made(opened: Opened, document: Document, keys: Sequence[str], change: Change) -> str:
    text = edited(document.text, change.edits)
    _check(opened, document, keys, text, change.value)
    return text


def _check(opened: Opened, document: Document, keys: Sequence[str], text: str, value: Any) -> None:
    """
    INVARIANT: the file is read again before it is written, and says the same as before but for this entry.

    Raises:
        NotEditable: it does not.
    """
    try:
        after = _parsed(opened, text).value
    except Broken:
        after = None
    if after != _with(document.value, keys, value):
        raise NotEditable("it is written in a way that cannot be edited safely")


def _parsed(opened: Opened, text: str) -> Document:
    return _remembered(opened.client.parse, text)


@lru_cache(maxsize=2)
def _remembered(parse: Callable[[str], Document], text: str) -> Document:
    """Claude Code's file may have megabytes, and each text is looked at three times."""
    return parse(text)


def _with(value: Any, keys: Sequence[str], entry: Any) -> Any:
    if not keys:
        return entry
    return {**value, keys[0]: _with(value[keys[0]], keys[1:], entry)}


def _value(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value[key]
    return value


def _raw(document: Document, entry: Node) -> str:
    return document.text[entry.start : entry.end] if entry.start >= 0 else ""


def _backup(record: Record) -> str | None:
    """The file as it was; None where the backup is gone, or is not what it was."""
    try:
        data = Path(record.backup).read_bytes()
    except OSError:
        return None
    return data.decode("utf-8") if digest(data) == record.before else None
