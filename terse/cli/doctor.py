"""`terse doctor [SERVER…]`: each server started directly and through terse, and what differs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli import configured
from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, write
from terse.cli.files import shown

if TYPE_CHECKING:
    from terse.clients.client import Machine
    from terse.clients.conversation import Heard
    from terse.clients.entry import Server
    from terse.clients.look import Opened, Seen


@dataclass(slots=True)
class Checkup:
    """What is found of one server, or, without one, of the machine or a file.

    Attributes:
        facts: what is as it should be.
        findings: what is not, each with what to do.
    """

    title: str
    facts: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)


def doctor(
    servers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SERVER]…", help="Servers by name; if none is given, all with terse."),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="NAME", help="Only this client; as often as needed."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="How long an answer may take.")
    ] = 30.0,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Compare servers with themselves behind terse.

    Raises:
        CommandError: there is no such server or client.
    """
    if not 0 < seconds <= 3600:
        raise CommandError(f"--timeout {seconds:g}: write seconds, more than 0 and at most 3600")
    machine = configured.this_machine()
    opened = configured.opened_files(configured.chosen_clients(client or ()), machine)
    chosen = configured.servers_of(opened, machine, servers or (), None)
    checkups = [_of_machine(), *(each for each in map(_of_file, opened) if each is not None)]
    for _, all_seen in chosen:
        for seen in all_seen:
            if servers or (seen.server is not None and seen.server.wrapped is not None):
                checkups.append(_of_server(seen, machine, seconds))
    if as_json:
        rows = [{"what": each.title, "facts": each.facts, "findings": each.findings} for each in checkups]
        write(json.dumps({"format": 1, "checks": rows}, ensure_ascii=False, indent=2) + "\n")
    else:
        for each in checkups:
            write(_rendered(each))
    if any(each.findings for each in checkups):
        raise typer.Exit(FINDINGS)


def _rendered(checkup: Checkup) -> str:
    lines = [f"  ok    {shown(fact)}" for fact in checkup.facts]
    lines += [f"  !!    {shown(finding)}" for finding in checkup.findings]
    return "\n".join([shown(checkup.title), *lines]) + "\n"


def _of_machine() -> Checkup:
    from pathlib import Path

    from terse import __version__
    from terse.ledger.file import Unusable, opened
    from terse.ledger.place import place

    checkup = Checkup(f"terse {__version__}")
    path = place(os.environ)
    if path is None:
        checkup.facts.append("the ledger is off (TERSE_LEDGER=off)")
        return checkup
    try:
        opened(Path(path)).close()
    except Unusable as why:
        checkup.findings.append(
            f"the ledger {path} cannot be written: {why}; TERSE_LEDGER names another file"
        )
    else:
        checkup.facts.append("the ledger can be written")
    return checkup


def _of_file(opened: Opened) -> Checkup | None:
    """What is wrong with a file; None if nothing is."""
    path = opened.place.path
    if opened.problem is not None:
        why = f"{opened.problem}; {opened.client.title} cannot read it, either"
        return Checkup(str(path), findings=[why])
    if opened.client.takes_comments or opened.document is None:
        return None
    try:
        json.loads(opened.document.text.removeprefix("\ufeff"))
    except ValueError as error:
        why = f"it has comments or a comma too many, which {opened.client.title} does not read: {error}"
        return Checkup(str(path), findings=[why])
    return None


def _of_server(seen: Seen, machine: Machine, seconds: float) -> Checkup:
    client = seen.opened.client.title
    checkup = Checkup(f"{client}: {seen.name} ({seen.section.scope})")
    server = seen.server
    if server is None:
        checkup.findings.append(seen.problem or "")
        return checkup
    if server.is_off:
        checkup.facts.append(f"it is switched off in {client}")
    try:
        environment, words = _started(server, machine)
    except ValueError as why:
        checkup.findings.append(f"{why}; the client may know more than this terminal")
        return checkup
    if server.url is not None:
        checkup.facts.append("it is behind a URL, and terse is not in front of it: not compared")
        return checkup
    inner, through = words, words
    if server.wrapped is None:
        through = (*configured.own_command(), "proxy", "--server-name", seen.name, "--", *words)
    else:
        inner = words[server.wrapped.words :] if "--" in words[: server.wrapped.words] else ()
        _check_terse(server.wrapped.terse, environment, checkup)
        _check_rules(server.wrapped.rules, checkup)
    if checkup.findings:
        return checkup
    folder = server.cwd if server.cwd is not None else str(machine.folder)
    _compare(seen, inner, through, environment, folder, seconds, checkup)
    return checkup


def _compare(
    seen: Seen,
    inner: Sequence[str],
    through: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    seconds: float,
    checkup: Checkup,
) -> None:
    from terse.clients.conversation import ask

    quiet = {**environment, "TERSE_LEDGER": "off"}
    behind = ask(through, quiet, folder, seconds)
    if not inner:
        if behind.problem is None:
            checkup.facts.append("it answers through terse; behind a URL, it is not compared")
        else:
            checkup.findings.append(f"through terse: {behind.problem}")
        return
    direct = ask(inner, environment, folder, seconds)
    if direct.problem is not None:
        checkup.findings.append(f"without terse, too, it does not answer: {direct.problem}")
        return
    if behind.problem is not None:
        checkup.findings.append(f"it answers directly, and not through terse: {behind.problem}")
        return
    wrapped = None if seen.server is None else seen.server.wrapped
    has_rules = wrapped is not None and wrapped.rules is not None
    differing = [what for what, line in direct.answers.items() if behind.answers.get(what) != line]
    if differing:
        # A server that counts or tells the time differs from itself.
        again = ask(inner, environment, folder, seconds)
        differing = [what for what in differing if again.answers.get(what) == direct.answers[what]]
    _tell(direct, behind, differing, checkup, has_rules=has_rules)


def _tell(direct: Heard, behind: Heard, differing: list[str], checkup: Checkup, *, has_rules: bool) -> None:
    from terse.clients.conversation import harmless

    same = [what for what in direct.answers if what != "tools/call" and what not in differing]
    if same:
        checkup.facts.append(f"the same, byte for byte: {', '.join(same)}")
    for what in differing:
        if what == "tools/call":
            continue
        if what.startswith("tools/list") and has_rules:
            checkup.facts.append(f"{what} is another: its rules may change it (`terse tools` shows how)")
        else:
            checkup.findings.append(f"{what} differs: please report it, and `terse uninstall` this server")
    if "tools/call" in direct.answers:
        name = harmless(direct.tools)
        before, after = len(direct.answers["tools/call"]), len(behind.answers["tools/call"])
        checkup.facts.append(f"{name}, called without arguments: {before:,} bytes, {after:,} through terse")
    more = (behind.seconds - direct.seconds) * 1000
    checkup.facts.append(f"it starts in {direct.seconds * 1000:.0f} ms, and {more:+.0f} ms through terse")


def _started(server: Server, machine: Machine) -> tuple[dict[str, str], tuple[str, ...]]:
    """The environment and the command line as the client makes them.

    Raises:
        ValueError: a variable is not known here.
    """
    from terse.proxy.servers import expand_variables

    environment = dict(os.environ)
    known = {"workspaceFolder": str(machine.folder), "userHome": str(machine.home), **environment}
    for name, text in server.env.items():
        environment[name] = expand_variables(text, known)
    own = {f"${{{name}}}" for name in server.env}

    def expanded(word: str) -> str:
        # What is in the entry's own environment is for terse, and not for the client, to fill in.
        return word if any(each in word for each in own) else expand_variables(word, known)

    return environment, tuple(expanded(word) for word in server.command)


def _check_terse(command: Sequence[str], environment: Mapping[str, str], checkup: Checkup) -> None:
    from terse import __version__

    again = "`terse uninstall` this server and `terse install` it again"
    path = shutil.which(command[0], path=environment.get("PATH"))
    if path is None:
        checkup.findings.append(f"there is no {command[0]}: {again}")
        return
    try:
        done = subprocess.run([path, *command[1:], "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        checkup.findings.append(f"{command[0]} cannot be started ({error}): {again}")
        return
    said = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not said.startswith("terse "):
        checkup.findings.append(f"{command[0]} is no terse that runs: {again}")
    elif said != f"terse {__version__}":
        checkup.facts.append(f"{path} is {said}; this is terse {__version__}")
    elif not os.path.isabs(command[0]):
        checkup.facts.append(
            f"{command[0]} is found on this terminal's PATH; a client started from a menu may have another"
        )
    else:
        checkup.facts.append(f"{path} runs")


def _check_rules(rules: str | None, checkup: Checkup) -> None:
    from terse.cli.policy import DoesNotCompile, load_plan

    if rules is None:
        return
    if not os.path.exists(rules):
        checkup.findings.append(f"there is no {rules}: the server does not start without its rules")
        return
    try:
        load_plan(rules)
    except DoesNotCompile as problem:
        checkup.findings.append(str(problem).partition("\n")[0])
    else:
        checkup.facts.append(f"{rules} compiles")


COMMAND = Command(
    name="doctor",
    sentence="Start servers directly and through terse, and tell what differs and what to do.",
    run=doctor,
    example="terse doctor memory --client cursor",
    example_does="a server of Cursor's, whether terse is in front of it or not yet",
    notes=(
        "It asks for what every client asks for (initialize, the lists of tools, prompts and resources), "
        "calls one tool that says it only reads and needs no arguments, and compares the answers byte for "
        "byte.",
        "Exit codes: 0 all is well; 1 there are findings; 2 not done.",
    ),
)
