"""`terse init`: a first rule file, from a running server or from saved results."""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write
from terse.cli.files import replace_file, shown
from terse.cli.snapshot import asked, call_of, derived, refuse_what_is_never_stored, save_tools

if TYPE_CHECKING:
    from terse.language import Checked
    from terse.review.starter import Measured, Start

DEFAULT_FOLDER = "policies"


def init(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="After --: how the server is started; it speaks over stdio."),
    ] = None,
    saved: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="DIR", help="A folder of saved results: SERVER/TOOL/x.json, TOOL.json."
        ),
    ] = None,
    server_name: Annotated[
        str | None,
        typer.Option(
            "--server-name",
            metavar="NAME",
            help="The server's name in rules. Default: from the command or the folder.",
        ),
    ] = None,
    calls: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="CALL",
            help="Call 'tool(argument: value, …)' of the server for a sample. Can be given again.",
        ),
    ] = None,
    folder: Annotated[
        str, typer.Option("--rules", metavar="DIR", help="The folder that the files are written to.")
    ] = DEFAULT_FOLDER,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long the server may take.")
    ] = 60.0,
) -> None:
    """Write a first rule file.

    Raises:
        CommandError: there is nothing to begin with, or something would be overwritten.
    """
    if (saved is None) == (not command):
        fail("name one to begin with: --from DIR with saved results, or -- COMMAND of a server")
    if calls and not command:
        fail("--call needs a server: -- COMMAND")
    if os.path.exists(folder) and not os.path.isdir(folder):
        fail(f"--rules {shown(folder)}: not a folder")
    folder = posixpath.normpath(folder.replace("\\", "/"))
    if command:
        _from_server(command, server_name, calls or [], folder, timeout)
    else:
        assert saved is not None, "INVARIANT: without a command there is a folder"
        _from_folder(saved, server_name, folder)


def _from_server(
    command: Sequence[str], server_name: str | None, texts: Sequence[str], folder: str, timeout: float
) -> None:
    from terse.capture.sample import NoPlace, files, place
    from terse.review.starter import Start, call_words

    server = server_name if server_name is not None else derived(command)
    try:
        # The name of a server is a folder, too, and stands in the rules.
        place(server, "tool")
    except NoPlace as error:
        fail(f"--server-name: {shown(str(error))}")
    _refuse_what_is_there(folder, [server])
    wanted = [call_of(server, text) for text in texts]
    refuse_what_is_never_stored(folder, wanted)
    answers = asked(command, wanted, timeout)
    starts: list[Start] = []
    for text, result in zip(texts, answers.results, strict=True):
        # What stands in the parentheses was read by the language's own parser: it can stand in a test.
        arguments = "".join(text.partition("(")[1:])
        words = call_words(server, result.call.tool) + arguments
        for path, body in files(result.call, result.texts, result.is_error):
            starts.append(Start(str(path), result.call, words, body))
    written = _written(folder, {server: starts})
    save_tools(folder, server, answers.tools)
    _save(folder, {server: starts}, written)
    _next_steps(folder, {server: starts}, shlex.join(command))
    if not starts:
        _advise_calls(answers.tools)


def _from_folder(saved: str, server_name: str | None, folder: str) -> None:
    from terse.capture.sample import NoPlace, place
    from terse.capture.saved import saved_results
    from terse.review.starter import Start, call_words

    notes: list[str] = []
    starts: dict[str, list[Start]] = {}
    try:
        for result in saved_results(saved, server_name, notes):
            call = result.call
            path = str(place(call.server, call.tool) / result.name)
            words = call_words(call.server, call.tool)
            starts.setdefault(call.server, []).append(Start(path, call, words, result.text))
    except NoPlace as error:
        fail(f"--from {shown(saved)}: {error}")
    except (OSError, ValueError) as error:
        fail(f"--from {shown(saved)}: {getattr(error, 'strerror', None) or error}")
    for note in notes:
        write(f"note: {shown(note)}\n")
    if not starts:
        fail(f"--from {shown(saved)}: there is no saved result")
    _refuse_what_is_there(folder, list(starts))
    refuse_what_is_never_stored(folder, [start.call for each in starts.values() for start in each])
    written = _written(folder, starts)
    _save(folder, starts, written)
    _next_steps(folder, starts, "COMMAND")


def _rule_path(folder: str, server: str) -> str:
    from terse.review.starter import rule_name

    return posixpath.normpath(posixpath.join(folder, f"{rule_name(server)}.terse"))


def _refuse_what_is_there(folder: str, servers: Sequence[str]) -> None:
    for server in servers:
        path = _rule_path(folder, server)
        if os.path.lexists(path):
            fail(f"{shown(path)} is there already, and nothing is overwritten: delete it, or use --rules DIR")


def _written(folder: str, starts: dict[str, list[Start]]) -> dict[str, tuple[str, list[Measured]]]:
    """The rule files by path with what they do to the samples. Nothing is on disk yet.

    Raises:
        CommandError: a sample would be overwritten, or the rules do not go with those that are there.
    """
    from terse.language.format import formatted
    from terse.language.parse import parse
    from terse.review.starter import first_rule, measure, rule_file
    from terse.tokens import vocabulary

    for start in (start for each in starts.values() for start in each):
        sample = Path(folder, start.path)
        if os.path.lexists(sample) and not _has(sample, start.text):
            fail(f"{shown(str(sample))} is there already, and nothing is overwritten: use --rules DIR")
    files: dict[str, tuple[str, list[Measured]]] = {}
    for server, each in starts.items():
        path = _rule_path(folder, server)
        plan = _checked(folder, {path: first_rule(server)}, path).plan
        assert plan is not None, "INVARIANT: what does not compile has ended the command"
        measured = [measure(plan, start, vocabulary()) for start in each]
        text = rule_file(server, measured, _lines(folder, server, each))
        files[path] = (formatted(parse(path, text.encode()).file), measured)
    _checked(folder, {path: text for path, (text, _) in files.items()}, folder)
    return files


def _has(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _checked(folder: str, texts: dict[str, str], path: str) -> Checked:
    """Check rule files that are not on disk yet, together with those that are.

    Raises:
        CommandError: there is an error.
    """
    from terse.diagnostic import Severity
    from terse.language import check
    from terse.language.overlay import Overlay

    checked = check([path], folder, Overlay(texts, folder))
    for found in checked.diagnostics:
        if found.severity is Severity.ERROR:
            where = found.primary.span.place
            fail(f"the new rules do not go with those in {shown(folder)}: {shown(where)}: {found.message}")
    return checked


def _lines(folder: str, server: str, starts: Sequence[Start]) -> list[str]:
    """Command lines for the head of the rule file; paths are as this command was given them."""
    path = shlex.quote(_rule_path(folder, server))
    lines = [f"terse check {path}"]
    if starts:
        sample = shlex.quote(posixpath.join(folder, starts[0].path))
        lines += [f"terse test {path} --coverage", f"terse explain {sample} --rules {path}"]
    return [*lines, f"terse proxy --rules {path} --server-name {shlex.quote(server)} -- COMMAND"]


def _save(
    folder: str, starts: dict[str, list[Start]], written: dict[str, tuple[str, list[Measured]]]
) -> None:
    for start in (start for each in starts.values() for start in each):
        path = str(Path(folder, start.path))
        if not os.path.lexists(path):
            replace_file(path, start.text)
    for path, (text, measured) in written.items():
        replace_file(path, text)
        tests = f"{len(measured)} test{'' if len(measured) == 1 else 's'}"
        write(f"{shown(path)}: a rule that loses nothing, and {tests}\n")
        for each in measured:
            counts = f"{each.tokens_before:,} → {each.tokens_after:,} tokens"
            write(f"  {shown(each.start.path)}: {counts}, {each.saved:.0f}% saved\n")


def _next_steps(folder: str, starts: dict[str, list[Start]], command: str) -> None:
    server, first = next(iter(starts.items()))
    lines = [*_lines(folder, server, first)[:-1]]
    name = shlex.quote(server)
    lines.append(
        f"terse proxy --rules {shlex.quote(_rule_path(folder, server))} --server-name {name} -- {command}"
    )
    write("\nNext:\n" + "".join(f"  {shown(line)}\n" for line in lines))


def _advise_calls(tools: Sequence[dict[str, object]]) -> None:
    """Tools that say they only read and need no argument: calling them for a sample is safe."""
    safe = []
    for tool in tools:
        schema, hints = tool.get("inputSchema"), tool.get("annotations")
        required = schema.get("required") if isinstance(schema, dict) else None
        if isinstance(hints, dict) and hints.get("readOnlyHint") is True and not required:
            safe.append(str(tool["name"]))
    write("There is no sample yet, and so no test: nothing of the server was called. ")
    if safe:
        calls = " ".join(f"--call {shlex.quote(name)}" for name in safe[:3])
        write(f"Tools that only read:\n  terse snapshot {shown(calls)} …\n")
    else:
        write("`terse snapshot --call` saves one.\n")


COMMAND = Command(
    name="init",
    sentence="Write a first rule file, with samples and tests, from a server or from saved results.",
    run=init,
    example="terse init --from results/",
    example_does="a rule file that loses nothing, for the server whose results are there",
    notes=(
        "Nothing is overwritten, and no tool is called but those of --call.",
        "The rule loses nothing. Comments in the file say where more could be saved, with the rule for it.",
        "Exit codes: 0 done; 2 nothing was written.",
    ),
)
