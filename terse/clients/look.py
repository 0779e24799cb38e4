"""What is configured on this machine: every client's files, and the servers in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from terse.clients import file
from terse.clients.client import Client, Machine, Place, Section
from terse.clients.document import Broken, Document, NotEditable
from terse.clients.entry import Server, read


@dataclass(frozen=True, slots=True)
class Opened:
    """A file of a client that is there.

    Attributes:
        problem: why it cannot be understood; then there is no document.
    """

    client: Client
    place: Place
    found: file.Found | None
    document: Document | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A server in a file.

    Attributes:
        server: what its entry says; None where that is not understood, for `problem`.
    """

    opened: Opened
    section: Section
    name: str
    server: Server | None
    problem: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.section.keys, self.name)

    @property
    def path(self) -> Path:
        return self.opened.place.path


def files(clients: Iterable[Client], machine: Machine) -> Iterator[Opened]:
    """The files that are there, whether they can be understood or not."""
    for client in clients:
        targets: set[Path] = set()
        for place in client.places(machine):
            try:
                found = file.read(place.path)
                # In the home folder, the user's file is the project's, too.
                if found is not None and found.target not in targets:
                    targets.add(found.target)
                    document = client.parse(file.text_of(found))
                    yield Opened(client, place, found, document)
            except (file.Refused, Broken) as problem:
                yield Opened(client, place, None, None, str(problem))


def servers(opened: Opened, machine: Machine) -> Iterator[Seen]:
    """The servers of a file: for the user, and for the project that is worked in."""
    if opened.document is None:
        return
    value = opened.document.value
    for section in opened.place.sections(value):
        if section.project is not None and section.project != str(machine.folder):
            continue
        entries = value
        for key in section.keys:
            entries = entries[key]
        for name, entry in entries.items():
            try:
                yield Seen(opened, section, name, read(opened.client.shape, entry))
            except NotEditable as problem:
                yield Seen(opened, section, name, None, str(problem))
