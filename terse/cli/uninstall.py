"""`terse uninstall [SERVER…]`: terse taken out of the configurations of clients again."""

from __future__ import annotations

from typing import Annotated

import typer

from terse.cli import configured
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_error
from terse.cli.files import shown
from terse.cli.install import carried_out, difference


def uninstall(
    servers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SERVER]…", help="Servers by name; all, if none is given."),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="NAME", help="Only this client; as often as needed."),
    ] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="Only user, project or local.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would change.")
    ] = False,
) -> None:
    """Take terse out.

    Raises:
        CommandError: nothing is done: no such server or client, or files that are broken.
    """
    from terse.clients.changes import planned_uninstall
    from terse.clients.file import Refused
    from terse.clients.manifest import Manifest, place

    configured.check_scope(scope)
    machine = configured.this_machine()
    opened = configured.opened_files(configured.chosen_clients(client or ()), machine)
    is_broken = configured.complain_of_broken(opened, machine)
    try:
        manifest = Manifest(place(machine.home, machine.environment))
    except Refused as why:
        fail(shown(str(why)))
    plans = []
    for each, seen in configured.servers_of(opened, machine, servers or (), scope):
        wrapped = [one for one in seen if one.server is not None and one.server.wrapped is not None]
        if wrapped and each.found is not None:
            plans.append(planned_uninstall(each, wrapped, manifest.records.get(str(each.found.target))))
    changing = [plan for plan in plans if plan.changes]
    if dry_run:
        for plan in plans:
            write(difference(plan, machine))
    is_done = dry_run or carried_out(changing, machine)
    for plan in plans:
        name = configured.tilde(plan.opened.place.path, machine)
        target = "" if plan.opened.found is None else str(plan.opened.found.target)
        record = manifest.records.get(target)
        for one, reason in plan.left:
            reason += "" if record is None else f" (the file before is {record.backup})"
            write_error(f"terse: {shown(one.name)} in {name} is left as it is: {shown(reason)}\n")
        if plan.changes and not dry_run and is_done:
            names = ", ".join(shown(one.name) for one in plan.done)
            how = "the file is what it was before, byte for byte" if plan.restores else "nothing else changed"
            write(f"{plan.opened.client.title}: {name}: terse is out of {names}; {how}\n")
    if not plans and not is_broken:
        write("terse is in front of no server\n")
    if is_broken and not plans:
        raise CommandError("", 2)
    if is_broken or not is_done or any(plan.left for plan in plans):
        raise typer.Exit(FINDINGS)


COMMAND = Command(
    name="uninstall",
    sentence="Take terse out of the configurations of MCP clients again.",
    run=uninstall,
    example="terse uninstall --dry-run",
    example_does="what would change where terse is in front of a server",
    notes=(
        "A file that nobody changed since `terse install` becomes what it was, byte for byte; in another, "
        "only what terse put in is taken out.",
        "Exit codes: 0 done, or nothing to do; 1 done, but for what is named; 2 not done.",
    ),
)
