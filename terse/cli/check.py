"""`terse check`: rule files, read as the proxy would read them, and what is wrong with them."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import FINDINGS, CommandError, fail, write
from terse.cli.files import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from terse.diagnostic import Diagnostic


class Output(StrEnum):
    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


class FailOn(StrEnum):
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]…", help="Rule files or folders, each a policy of its own. Default: policies/"
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="How findings are written.")] = Output.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")
    ] = FailOn.WARNING,
    root: Annotated[str | None, typer.Option("--root", help="The folder that imports stay in.")] = None,
) -> None:
    """Check rule files.

    Raises:
        CommandError: a path cannot be read, or something was found.
    """
    from terse.diagnostic import Severity
    from terse.language import Unreadable
    from terse.language import check as check_policy

    found: dict[tuple[object, ...], Diagnostic] = {}
    for path in paths or ["policies"]:
        try:
            checked = check_policy([path], root)
        except Unreadable as error:
            fail(f"{shown(error.path)}: {error.reason}")
        for diagnostic in checked.diagnostics:
            # Two policies may share a file, and what is wrong with it is told once.
            found.setdefault((diagnostic.sort_key, diagnostic.message), diagnostic)
    diagnostics = sorted(found.values(), key=lambda diagnostic: diagnostic.sort_key)
    text = _renderer(output)(diagnostics)
    if text:
        write(text)
    least = Severity[fail_on.name]
    if any(diagnostic.severity >= least for diagnostic in diagnostics):
        raise CommandError("", FINDINGS)


def _renderer(output: Output) -> Callable[[Sequence[Diagnostic]], str]:
    from terse.report import github, json, sarif, text

    match output:
        case Output.JSON:
            return json.render
        case Output.GITHUB:
            return github.render
        case Output.SARIF:
            return sarif.render
    return lambda diagnostics: text.render(diagnostics, _colours())


def _colours() -> bool:
    # no-color.org: any value that is not empty means no.
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


COMMAND = Command(
    name="check",
    sentence="Check rule files: syntax, names, and everything that can be known before a call is made.",
    run=check,
    example="terse check policies/",
    example_does="what is wrong with the rules below a folder",
    notes=(
        "A folder is one policy, made of all .terse files below it, as for `terse proxy --rules`.",
        "Exit codes: 0 nothing found; 1 findings; 2 a path cannot be read.",
        "`terse explain T201` prints the page of a code.",
    ),
)
