"""What `install`, `uninstall`, `status` and `doctor` share: which clients and servers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from terse.cli.console import fail, write_error
from terse.cli.files import shown

if TYPE_CHECKING:
    from terse.clients.client import Client, Machine
    from terse.clients.look import Opened, Seen

SCOPES = ("user", "project", "local")


def this_machine() -> Machine:
    """The user's home, the folder we are in, and the platform."""
    from terse.clients.client import Machine

    return Machine(Path(os.path.expanduser("~")), Path.cwd(), os.environ, sys.platform)


def chosen_clients(names: Sequence[str]) -> tuple[Client, ...]:
    """The clients of these names; all, where none is given.

    Raises:
        CommandError: there is no such client.
    """
    from terse.clients.registry import CLIENTS

    known = {client.name: client for client in CLIENTS}
    for name in names:
        if name not in known:
            fail(f"--client {shown(name)}: write one of {', '.join(known)}")
    return tuple(client for client in CLIENTS if not names or client.name in names)


def check_scope(scope: str | None) -> None:
    """
    Raises:
        CommandError: there is no such scope.
    """
    if scope is not None and scope not in SCOPES:
        fail(f"--scope {shown(scope)}: write one of {', '.join(SCOPES)}")


def opened_files(clients: Sequence[Client], machine: Machine) -> list[Opened]:
    """The files of these clients.

    Raises:
        CommandError: there is none.
    """
    from terse.clients.look import files

    opened = list(files(clients, machine))
    if not opened:
        looked = [tilde(place.path, machine) for client in clients for place in client.places(machine)]
        listed = ", ".join(looked[:4]) + (f" and {len(looked) - 4} more" if len(looked) > 4 else "")
        fail(f"no client's configuration is here: looked at {listed}")
    return opened


def complain_of_broken(opened: Sequence[Opened], machine: Machine) -> bool:
    """Name the files that cannot be understood; whether there are any."""
    broken = [each for each in opened if each.problem is not None]
    for each in broken:
        path = tilde(each.place.path, machine)
        write_error(f"terse: {path} is left as it is: {shown(each.problem or '')}\n")
    return bool(broken)


def servers_of(
    opened: Sequence[Opened], machine: Machine, names: Sequence[str], scope: str | None
) -> list[tuple[Opened, list[Seen]]]:
    """The servers of these names by file; all, where none is given.

    Raises:
        CommandError: a name is nowhere.
    """
    from terse.clients.look import servers

    found = [
        (each, [seen for seen in servers(each, machine) if scope in (None, seen.section.scope)])
        for each in opened
    ]
    known = {seen.name for _, all_seen in found for seen in all_seen}
    for name in names:
        if name not in known:
            there = ", ".join(shown(each) for each in sorted(known)) or "none"
            fail(f"no server is called {shown(name)} here: there is {there}")
    return [
        (each, kept)
        for each, all_seen in found
        if (kept := [seen for seen in all_seen if not names or seen.name in names])
    ]


def own_command() -> tuple[str, ...]:
    """How this very terse is started: by its absolute path, as clients have a PATH of their own."""
    given = Path(sys.argv[0])
    if given.name == "terse" and given.is_absolute() and os.access(given, os.X_OK):
        return (str(given),)
    if given.name == "terse" and (found := shutil.which(sys.argv[0])) is not None:
        return (os.path.abspath(found),)
    beside = Path(sys.executable).parent / "terse"
    if os.access(beside, os.X_OK):
        return (str(beside),)
    return (sys.executable, "-m", "terse")


def tilde(path: Path, machine: Machine) -> str:
    """A path as people write it."""
    text = str(path)
    home = str(machine.home)
    return shown("~" + text[len(home) :] if text.startswith(home + os.sep) else text)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their columns below each other, two spaces apart."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )
