"""`--rules` of the commands that look at a policy: which one that is, and what it is called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.console import CommandError, fail
from terse.cli.files import quoted, shown

if TYPE_CHECKING:
    from terse.plan.model import Plan

DEFAULT_RULES = "policies"
"""Where a repository has its rules: taken where there is such a folder and `--rules` is not given."""

RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", metavar="PATH", help="A rule file or a folder; if not given, the embedded default policy."
    ),
]
"""Of a command that is about rules wherever they are."""

RulesHereOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="PATH",
        help="A rule file or a folder. Default: policies/, or the embedded policy where there is none.",
    ),
]
"""Of a command that is about the rules of the folder it is called in: see `policy_here`."""


def policy_of(path: str) -> tuple[Plan, str]:
    """The plan of a rule file or of a folder of them, and the policy in words.

    Raises:
        CommandError: there is none, or it does not compile.
    """
    from terse.cli.policy import DoesNotCompile, load_plan

    if not os.path.exists(path):
        fail(f"--rules {quoted(path)}: no such file or folder")
    try:
        return load_plan(path), shown(path)
    except DoesNotCompile as error:
        raise CommandError(str(error), error.code) from None


def policy_here(rules: str | None) -> tuple[Plan, str]:
    """As `policy_of`; without `--rules`, that of the folder we are in, or the embedded one.

    Raises:
        CommandError: as `policy_of`.
    """
    if rules is None and not os.path.isdir(DEFAULT_RULES):
        from terse.cli.policy import default_plan

        return default_plan(), "the embedded default policy"
    return policy_of(DEFAULT_RULES if rules is None else rules)
