"""`terse install [SERVER…]`: terse put in front of the servers that clients are configured with."""

from __future__ import annotations

import difflib
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli import configured
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write, write_error
from terse.cli.files import shown
from terse.hidden import visible

if TYPE_CHECKING:
    from terse.clients.changes import Planned
    from terse.clients.client import Machine
    from terse.clients.entry import Front
    from terse.clients.look import Seen


def install(
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
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="PATH", help="A rule file or folder; else the default policy."),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            "--terse", metavar="COMMAND", help="How clients start terse; if not given, this terse's path."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would change.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put terse in front of servers.

    Raises:
        CommandError: nothing is done: no such server or client, rules or files that are broken.
    """
    from terse.clients.changes import planned_install
    from terse.clients.entry import Front

    if not hasattr(os, "fork"):
        fail("terse proxy runs on Linux and macOS only: clients could not start it here")
    configured.check_scope(scope)
    machine = configured.this_machine()
    clients = configured.chosen_clients(client or ())
    front = Front(configured.own_command() if command is None else (_command(command),), _rules(rules))
    opened = configured.opened_files(clients, machine)
    is_broken = configured.complain_of_broken(opened, machine)
    chosen = configured.servers_of(opened, machine, servers or (), scope)
    plans = []
    for each, seen in chosen:
        wanted = [one for one in seen if one.server is None or one.server.wrapped is None]
        plan = planned_install(each, [one for one in wanted if one.server is not None], front)
        plan.left += [(one, one.problem or "") for one in wanted if one.server is None]
        plan.left += [(one, why) for one in seen if (why := _other(one, front)) is not None]
        plans.append((plan, [one for one in seen if one not in wanted and _other(one, front) is None]))
    if dry_run:
        for plan, _ in plans:
            write(difference(plan, machine))
    changing = [plan for plan, _ in plans if plan.changes]
    is_done = not changing or dry_run
    if not dry_run:
        for plan, already in plans:
            write(_told(plan, already, machine))
        if changing and not client and not yes:
            _ask(changing)
        is_done = carried_out(changing, machine)
        if changing and is_done:
            _told_after(changing, front)
    else:
        for plan, _ in plans:
            for one, why in plan.left:
                write_error(f"terse: {shown(one.name)} is left as it is: {shown(why)}\n")
    if not chosen and not is_broken:
        write("no server is configured\n")
    if is_broken and not chosen:
        raise CommandError("", 2)
    if is_broken or not is_done or any(plan.left for plan, _ in plans):
        raise typer.Exit(FINDINGS)


def carried_out(plans: list[Planned], machine: Machine) -> bool:
    """Write all that was planned; whether all could be.

    Raises:
        CommandError: nothing could be.
    """
    from terse.clients.changes import carry_out
    from terse.clients.file import Refused
    from terse.clients.manifest import held, place

    refused = 0
    try:
        with held(place(machine.home, machine.environment)) as manifest:
            for plan in plans:
                try:
                    carry_out(plan, manifest)
                except Refused as why:
                    refused += 1
                    name = configured.tilde(plan.opened.place.path, machine)
                    write_error(f"terse: {name} is left as it is: {shown(str(why))}\n")
    except Refused as why:
        fail(shown(str(why)))
    if plans and refused == len(plans):
        raise CommandError("", 2)
    return not refused


def difference(plan: Planned, machine: Machine) -> str:
    """What changes in a file, as a unified diff."""
    name = configured.tilde(plan.opened.place.path, machine)
    lines = difflib.unified_diff(
        plan.before.splitlines(keepends=True), plan.text.splitlines(keepends=True), name, name
    )
    return "".join(shown_line(line) for line in lines)


def shown_line(line: str) -> str:
    """A line of a diff, with nothing in it that commands a terminal."""
    text = line.rstrip("\r\n")
    ending = "" if line.endswith("\n") else "\n\\ No newline at end of file"
    return visible(text, "\t") + ending + "\n"


def _told(plan: Planned, already: list[Seen], machine: Machine) -> str:
    opened = plan.opened
    rows = [(shown(one.name), "terse is put in front of it") for one in plan.done]
    rows += [(shown(one.name), "terse is in front of it already") for one in already]
    rows += [(shown(one.name), f"left as it is: {shown(why)}") for one, why in plan.left]
    head = f"{opened.client.title}: {configured.tilde(opened.place.path, machine)}\n"
    return head + "".join(f"  {line}\n" for line in configured.table(rows).splitlines())


def _told_after(plans: list[Planned], front: Front) -> None:
    said = " ".join(front.terse)
    write(f"\nClients start terse as {shown(said)}")
    is_in_venv = front.terse == configured.own_command() and sys.prefix != sys.base_prefix
    write(", of a virtual environment: it has to stay there" if is_in_venv else "")
    write(".\n")
    for title, notes in dict.fromkeys((plan.opened.client.title, plan.opened.client.notes) for plan in plans):
        write(f"{title}: {notes}.\n")
    if any(plan.opened.place.is_shared for plan in plans) and os.path.isabs(front.terse[0]):
        write("A project's file is read by others, too: `--terse terse` writes no path of this machine.\n")
    write("`terse doctor` tells whether servers answer as before; `terse uninstall` gives the files back.\n")


def _ask(plans: list[Planned]) -> None:
    """
    Raises:
        CommandError: the answer is no, or nobody is there to give one.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        fail("nothing is changed without a yes: name the client with --client, or write --yes")
    count = sum(len(plan.done) for plan in plans)
    files = "this file" if len(plans) == 1 else f"these {len(plans)} files"
    what = "1 server" if count == 1 else f"{count} servers"
    if not typer.confirm(f"Put terse in front of {what} in {files}?", default=False):
        fail("nothing is changed")


def _command(given: str) -> str:
    """
    Raises:
        CommandError: it could not be told from another command later.
    """
    if os.path.basename(given) not in ("terse", "terse.exe"):
        fail(f"--terse {shown(given)}: write the path of a `terse`, or just terse")
    return given


def _rules(given: str | None) -> str | None:
    """The absolute path of the rules: clients start servers anywhere.

    Raises:
        CommandError: they do not compile.
    """
    if given is None:
        return None
    from terse.cli.policy import DoesNotCompile, load_plan

    path = os.path.abspath(given)
    if not given or not os.path.exists(path):
        fail(f"--rules {shown(given)}: there is no such file or folder")
    try:
        load_plan(path)
    except DoesNotCompile as problem:
        # In one line: which command shows the errors stands in it.
        fail(str(problem).partition("\n")[0])
    return path


def _other(seen: Seen, front: Front) -> str | None:
    """Why terse in front of a server is not the one that is asked for."""
    if seen.server is None or seen.server.wrapped is None or seen.server.wrapped.rules == front.rules:
        return None
    return "terse is in front of it already, with other rules: `terse uninstall` it first"


COMMAND = Command(
    name="install",
    sentence="Put terse in front of the servers that MCP clients are configured with.",
    run=install,
    example="terse install memory --client cursor --dry-run",
    example_does="what would change in Cursor's configuration",
    notes=(
        "Clients: claude-code, claude-desktop, cursor, vscode, windsurf, zed, codex, gemini, opencode, "
        "goose. Their files are looked for in the home folder and in this one.",
        "Only the servers' own entries are edited: comments and formatting stay, a private backup is left "
        "beside the file, and what is not understood is not touched.",
        "Exit codes: 0 done, or nothing to do; 1 done, but for what is named; 2 not done.",
    ),
)
