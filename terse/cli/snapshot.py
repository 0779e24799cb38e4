"""`terse snapshot`: what a server offers, saved beside the rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write
from terse.cli.files import quoted, replace_file, shown
from terse.cli.rules_option import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from terse.capture.lock import Change
    from terse.capture.server import Answers, Result
    from terse.payload.call import Call


def snapshot(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="After --: how the server is started; it speaks over stdio."),
    ],
    server_name: Annotated[
        str | None,
        typer.Option(
            "--server-name",
            metavar="NAME",
            help="The server's name in rules. Default: one made from the command.",
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option("--rules", metavar="PATH", help="The rules; files are written to their folder."),
    ] = DEFAULT_RULES,
    calls: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="CALL",
            help="Call 'tool(argument: value, …)' and save the result as a sample. Can be given again.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long all of it may take.")
    ] = 60.0,
) -> None:
    """Save tools and samples.

    Raises:
        CommandError: the server or a file of ours does not do what it should.
    """
    server = server_name if server_name is not None else derived(command)
    wanted = [call_of(server, text) for text in calls or ()]
    folder = folder_of(rules)
    refuse_what_is_never_stored(rules, wanted)
    answers = asked(command, wanted, timeout)
    save_tools(folder, server, answers.tools)
    for result in answers.results:
        save_result(folder, result)


def derived(command: Sequence[str]) -> str:
    """The server's name, made from its command."""
    from terse.proxy.server_name import derived_name

    name = derived_name(list(command))
    write(f"the server is called {name} (--server-name gives it another name)\n")
    return name


def call_of(server: str, text: str) -> Call:
    """The call that `--call` names, with or without the server.

    Raises:
        CommandError: it is none.
    """
    from terse.capture.sample import NoPlace, place
    from terse.language import BadCall, parse_call
    from terse.payload.call import Call

    if not text.strip():
        fail(f"--call {quoted(text)}: it is empty: write tool(argument: value, …), or its name")
    head = text.partition("(")[0]
    try:
        call = parse_call(text if "/" in head else f"server/{text}")
        if "/" in head and call.server != server:
            fail(f"--call {quoted(text)}: the server is called {shown(server)}")
        place(server, call.tool)
    except (BadCall, NoPlace) as error:
        fail(f"--call {quoted(text)}: {error}")
    return Call(server, call.tool, call.arguments)


def folder_of(rules: str) -> str:
    """The folder that tools.lock and samples stand in."""
    from terse.language.check import root_of
    from terse.language.disk import Disk
    from terse.language.load import normal

    if not rules:
        fail("--rules '': the name of the file is empty")
    path = normal(rules.replace("\\", "/"))
    if path.endswith(".terse"):
        return root_of([path], Disk())
    if os.path.exists(path) and not os.path.isdir(path):
        fail(f"--rules {shown(rules)}: neither a .terse file nor a folder")
    return path


def refuse_what_is_never_stored(rules: str, calls: Sequence[Call]) -> None:
    """A guard that says `never store` holds for samples, too.

    Raises:
        CommandError: one of the calls may not be stored, or nobody can tell.
    """
    from terse.cli.policy import DoesNotCompile, load_plan
    from terse.plan.choose import applies

    if not calls or not any(
        Path(rules).rglob("*.terse") if os.path.isdir(rules) else [os.path.exists(rules)]
    ):
        return
    try:
        plan = load_plan(rules)
    except DoesNotCompile as error:
        reason = str(error).partition("\n")[0]
        fail(f"no sample is saved while nobody can tell what must never be stored: {reason}")
    for call in calls:
        for guard in plan.guards:
            if guard.never_store and applies(guard, call):
                fail(f"guard {guard.name} ({guard.at}) never stores results of {shown(call.name)}: no sample")


def asked(command: Sequence[str], calls: Sequence[Call], timeout: float) -> Answers:
    """What the server says.

    Raises:
        CommandError: it fails.
    """
    from terse.capture.server import ServerFailed, ask

    try:
        return ask(command, calls, timeout)
    except ServerFailed as error:
        fail(f"the server failed: {shown(str(error))}")


def save_tools(folder: str, server: str, tools: list[dict[str, object]]) -> None:
    """Write the tools of the server to tools.lock, and say what that changes."""
    from terse.capture.lock import NAME, NotALock, merge

    path = Path(folder, NAME)
    try:
        text, change = merge(path, server, tools)
    except NotALock as error:
        fail(f"{shown(str(path))}: {error}; restore it, or delete it and take all snapshots anew")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read {shown(str(path))}: {getattr(error, 'strerror', None) or error}")
    counted = f"{len(tools)} tool{'' if len(tools) == 1 else 's'}"
    if change or not path.exists():
        replace_file(str(path), text)
        write(f"{shown(str(path))}: {shown(server)} has {counted}{_words(change)}\n")
    else:
        write(f"{shown(str(path))}: {shown(server)} has {counted}, as before\n")


def _words(change: Change) -> str:
    parts = [
        f"{', '.join(map(shown, names))} {word}"
        for word, names in (("removed", change.removed), ("changed", change.changed))
        if names
    ]
    if change.added:
        parts.insert(0, f"{len(change.added)} new")
    return f": {'; '.join(parts)}" if parts else ""


def save_result(folder: str, result: Result) -> list[str]:
    """Write the samples of a result, say so, and return their paths."""
    from terse.capture.sample import files
    from terse.tokens import vocabulary

    saved = []
    for place, text in files(result.call, result.texts, result.is_error):
        path = str(Path(folder, place))
        replace_file(path, text)
        kind = "an error, " if result.is_error else ""
        write(f"{shown(path)}: {kind}{vocabulary().count(text):,} tokens\n")
        saved.append(path)
    if result.other:
        write(f"{shown(result.call.name)}: not saved, as they have no text: {', '.join(result.other)}\n")
    if not saved and not result.other:
        write(f"{shown(result.call.name)}: the result is empty, nothing to save\n")
    return saved


COMMAND = Command(
    name="snapshot",
    sentence="Save a server's list of tools, and results of calls as samples, beside the rules.",
    run=snapshot,
    example="terse snapshot --call 'list_tables(schema: \"public\")' -- python server.py",
    example_does="tools.lock, and a sample to explain and test rules with",
    notes=(
        "Rules are checked against both: names of tools, arguments and fields.",
        "tools.lock keeps the tools of other servers. A sample is the text as received: "
        "samples/SERVER/TOOL/NAME.json.",
        "A guard with `never store` holds here, too: no sample of its calls is saved.",
        "Exit codes: 0 done; 1 the rules do not compile; 2 the server cannot be asked, or something "
        "cannot be written.",
    ),
)
