"""The commands behind `terse`, but for the quick ways out of `terse.cli.entry`."""

from __future__ import annotations

import sys

import typer
from typer.main import get_command

from terse import __version__
from terse.cli import (
    bench,
    capture,
    check,
    console,
    diff,
    doctor,
    expand,
    explain,
    fluency,
    fmt,
    hook,
    init,
    install,
    logout,
    lsp,
    measure,
    replay,
    show,
    snapshot,
    stats,
    status,
    tools,
    tune,
    uninstall,
    verify,
)
from terse.cli import test as inline_tests
from terse.cli.command import Command


def _proxy(context: typer.Context) -> None:
    from terse.cli.proxy import main

    raise typer.Exit(main(context.args))


PROXY = Command(
    name="proxy",
    sentence="Run an MCP server with its tool results made smaller by rules.",
    run=_proxy,
    example="terse proxy -- npx -y @modelcontextprotocol/server-memory",
    example_does="a server with the default policy in front of it",
    passes_arguments=True,
)
"""For `--help`: `terse.cli.entry` starts the proxy without loading this module."""


def _serve(context: typer.Context) -> None:
    from terse.cli.serve import main

    raise typer.Exit(main(context.args))


SERVE = Command(
    name="serve",
    sentence="Serve MCP servers over HTTP to many clients, with their results made smaller by rules.",
    run=_serve,
    example="terse serve --listen 127.0.0.1:8000 -- npx -y @modelcontextprotocol/server-memory",
    example_does="a server at http://127.0.0.1:8000/mcp, one process for each session",
    passes_arguments=True,
)


def _cli(context: typer.Context) -> None:
    from terse.cli.cli import main

    raise typer.Exit(main(context.args))


CLI = Command(
    name="cli",
    sentence="Use an MCP server as a local command: its tools with flags, their results smaller.",
    run=_cli,
    example="terse cli memory -- npx -y @modelcontextprotocol/server-memory",
    example_does="a server gets a name, and its tools are listed; later: terse cli memory TOOL --FLAG VALUE",
    passes_arguments=True,
)

COMMANDS: tuple[Command, ...] = (
    init.COMMAND,
    explain.COMMAND,
    check.COMMAND,
    fmt.COMMAND,
    inline_tests.COMMAND,
    diff.COMMAND,
    bench.COMMAND,
    replay.COMMAND,
    install.COMMAND,
    status.COMMAND,
    doctor.COMMAND,
    uninstall.COMMAND,
    stats.COMMAND,
    capture.COMMAND,
    measure.COMMAND,
    verify.COMMAND,
    tune.COMMAND,
    fluency.COMMAND,
    show.COMMAND,
    tools.COMMAND,
    snapshot.COMMAND,
    expand.COMMAND,
    lsp.COMMAND,
    PROXY,
    SERVE,
    CLI,
    hook.COMMAND,
    logout.COMMAND,
)
"""Every command, in the order of `terse --help`."""

HELP = "Rules in, smaller MCP tool results out."
USAGE_ERROR: type[typer.TyperException] = typer.BadParameter.__mro__[1]
"""What typer raises for arguments that it does not take; it exports a name for this kind alone."""
EXIT_CODES = "Exit codes: 0 done; 1 done, with findings; 2 not done: a wrong argument, an unreadable file."


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code. Prints one line, and no traceback, on any failure."""
    try:
        done = get_command(application()).main(args=arguments, prog_name="terse", standalone_mode=False)
        code = done if isinstance(done, int) else console.OK
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else console.UNUSABLE
        if isinstance(stop.__context__, BrokenPipeError):
            # Help texts are written by typer itself, which ends with 1.
            console.quiet_stdout()
            code = console.PIPE_CLOSED
    except USAGE_ERROR as wrong:
        _complain_of_usage(arguments, wrong)
        code = console.UNUSABLE
    except typer.Abort:
        code = console.INTERRUPTED
    except Exception as error:
        code = console.failed(error)
    return _flushed(code)


def application() -> typer.Typer:
    """The typer application: one command per entry of `COMMANDS`."""
    app = typer.Typer(
        help=HELP,
        epilog=_examples(),
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options_of_terse)
    for command in COMMANDS:
        settings = (
            {"ignore_unknown_options": True, "allow_extra_args": True} if command.passes_arguments else {}
        )
        app.command(
            command.name,
            help=command.sentence,
            epilog=_notes(command),
            context_settings=settings,
            add_help_option=not command.passes_arguments,
        )(command.run)
    return app


def _options_of_terse(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version.", is_eager=True),
) -> None:
    if version:
        typer.echo(f"terse {__version__}")
        raise typer.Exit(console.OK)


def _examples() -> str:
    lines = [f"  {command.example}\n      {command.example_does}" for command in COMMANDS]
    return "\n\n".join(("\b\nExamples:\n" + "\n".join(lines), EXIT_CODES))


def _notes(command: Command) -> str:
    example = f"\b\nExample:\n  {command.example}"
    return "\n\n".join((*command.notes, example))


def _complain_of_usage(arguments: list[str], wrong: typer.TyperException) -> None:
    """In one line: what is wrong, and where it stands what there is. `terse` alone gets its help."""
    if not arguments:
        console.write_error(f"{wrong.format_message()}\n")
        return
    name = arguments[0] if arguments[0] in {command.name for command in COMMANDS} else ""
    said = " ".join(wrong.format_message().split()).replace(": Value error, ", ": ").rstrip(".")
    said = f"{said[:1].lower()}{said[1:]}"
    console.complain(f"{name}: {said}: see terse {name} --help" if name else f"{said}: see terse --help")


def _flushed(code: int) -> int:
    """The exit code, with all output out: the interpreter's flush at exit would complain of a closed pipe."""
    if sys.stdout is None:
        return code
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        console.quiet_stdout()
        return console.PIPE_CLOSED
    return code
