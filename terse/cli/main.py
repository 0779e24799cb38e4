"""The commands behind `terse`, but for the quick ways out of `terse.cli.entry`."""

from __future__ import annotations

import errno
import os
import sys

import typer
from typer.main import get_command

from terse import __version__
from terse.cli import (
    bench,
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
    replay,
    show,
    snapshot,
    stats,
    status,
    tools,
    uninstall,
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
EXIT_CODES = "Exit codes: 0 done; 1 done, with findings; 2 not done: a wrong argument, an unreadable file."


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code. Prints one line, and no traceback, on any failure."""
    try:
        get_command(application()).main(args=arguments, prog_name="terse")
        code = console.OK
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else console.UNUSABLE
    except console.CommandError as failure:
        if failure.message:
            _complain(failure.message)
        code = failure.code
    except Exception as error:
        if os.environ.get("TERSE_TRACEBACK"):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            # Help texts are written by typer itself.
            console.quiet_stdout()
            _complain(f"cannot write: {error.strerror}")
            return console.UNUSABLE
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        _complain(f"a fault of terse itself, please report it: {reason} (TERSE_TRACEBACK=1 shows where)")
        code = console.UNUSABLE
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


def _complain(message: str) -> None:
    if sys.stderr is None:
        # `print` would take stdout instead, which is for the product.
        return
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    # What a rule file or a server wrote must not command a terminal.
    safe = "".join(sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in message)
    shown = f"terse: {safe}".encode(encoding, "backslashreplace").decode(encoding)
    print(shown, file=sys.stderr)


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
