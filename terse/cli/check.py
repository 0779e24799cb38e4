"""`terse check`: rule files, read as the proxy would read them, and what is wrong with them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from terse.cli import checking
from terse.cli.command import Command
from terse.cli.console import CommandError


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
            metavar="PATH", help="Rule files or folders, each a policy of its own. Default: policies/"
        ),
    ] = None,
    output: Annotated[Output, typer.Option("--output", help="How findings are written.")] = Output.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")
    ] = FailOn.WARNING,
    samples: Annotated[
        bool,
        typer.Option("--samples", help="Also run the policy on its samples: steps without effect, budgets."),
    ] = False,
    root: Annotated[str | None, typer.Option("--root", help="The folder that imports stay in.")] = None,
) -> None:
    """Check rule files.

    Raises:
        CommandError: a path cannot be read, or something was found.
    """
    code = checking.run(paths or (), output.value, fail_on.value, root, samples)
    if code:
        raise CommandError("", code)


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
