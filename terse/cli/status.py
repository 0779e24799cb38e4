"""`terse status`: which servers of which clients have terse in front of them."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from terse.cli import configured
from terse.cli.command import Command
from terse.cli.console import FINDINGS, write
from terse.cli.files import shown


def status(
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="NAME", help="Only this client; as often as needed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """List the servers of clients.

    Raises:
        CommandError: there is no such client.
    """
    from terse.clients.look import files, servers

    machine = configured.this_machine()
    opened = list(files(configured.chosen_clients(client or ()), machine))
    seen = [one for each in opened for one in servers(each, machine)]
    broken = [each for each in opened if each.problem is not None]
    if as_json:
        rows = [
            {
                "client": one.opened.client.name,
                "scope": one.section.scope,
                "file": str(one.path),
                "server": one.name,
                "wrapped": wrapped is not None,
                "terse": None if wrapped is None else list(wrapped.terse),
                "rules": None if wrapped is None else wrapped.rules,
                "off": one.server is not None and one.server.is_off,
                "problem": one.problem,
            }
            for one in seen
            for wrapped in [None if one.server is None else one.server.wrapped]
        ]
        unread = [{"file": str(each.place.path), "problem": each.problem} for each in broken]
        write(
            json.dumps({"format": 1, "servers": rows, "unreadable": unread}, ensure_ascii=False, indent=2)
            + "\n"
        )
    else:
        lines: list[tuple[str, ...]] = [("client", "scope", "server", "terse", "rules", "file")]
        for one in seen:
            wrapped = None if one.server is None else one.server.wrapped
            if wrapped is not None:
                terse, rules = " ".join(wrapped.terse), wrapped.rules or "default"
            else:
                terse, rules = "no" if one.problem is None else f"no: {one.problem}", ""
            off = " (off)" if one.server is not None and one.server.is_off else ""
            file = configured.tilde(one.path, machine)
            words = (one.opened.client.title, one.section.scope, one.name + off, terse, rules)
            lines.append((*(shown(word) for word in words), file))
        write(configured.table(lines) if seen else "no server is configured\n")
        configured.complain_of_broken(broken, machine)
    if broken:
        raise typer.Exit(FINDINGS)


COMMAND = Command(
    name="status",
    sentence="List the servers of MCP clients, and which of them have terse in front.",
    run=status,
    example="terse status",
    example_does="a row per server of every client",
    notes=("Exit codes: 0 done; 1 done, but for files that cannot be read; 2 not done.",),
)
