"""`terse show`: the rules in the order in which they are asked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import CommandError, fail, write
from terse.cli.files import quoted, shown

if TYPE_CHECKING:
    from terse.payload.call import Call
    from terse.plan.model import Plan

DEFAULT_RULES = "policies"


def show(
    tool: Annotated[
        str | None, typer.Argument(metavar="SERVER/TOOL", help="The tool. Default: all of them.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            metavar="PATH",
            help="A rule file or a folder. Default: policies/, or the embedded policy where there is none.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show the order of the rules.

    Raises:
        CommandError: the tool is none, or the rules cannot be read or do not compile.
    """
    from terse.report import shown_json, shown_text
    from terse.review.order import shown as shown_order

    call = None if tool is None else _call(tool)
    plan, policy = _policy(rules)
    facts = shown_order(plan, policy, call)
    write(shown_json.render(facts) if json else shown_text.render(facts))


def _call(text: str) -> Call:
    from terse.language import BadCall, parse_call

    try:
        call = parse_call(text)
    except BadCall as error:
        fail(f"{quoted(text)}: {str(error).partition(': write')[0]}: write server/tool")
    if call.arguments:
        fail(f"{shown(text)}: the order of rules is that of a tool: write {shown(call.name)}")
    return call


def _policy(rules: str | None) -> tuple[Plan, str]:
    from terse.cli.policy import DoesNotCompile, default_plan, load_plan

    if rules is None and not os.path.isdir(DEFAULT_RULES):
        return default_plan(), "the embedded default policy"
    path = DEFAULT_RULES if rules is None else rules
    if not os.path.exists(path):
        fail(f"--rules {quoted(path)}: no such file or folder")
    try:
        return load_plan(path), shown(path)
    except DoesNotCompile as error:
        raise CommandError(str(error), error.code) from None


COMMAND = Command(
    name="show",
    sentence="Show all rules in the order in which they are asked, and why.",
    run=show,
    example="terse show github/list_issues --rules policies/",
    example_does="which rules could apply to a tool, first asked first, and the guards on it",
    notes=(
        "The first rule applies whose `on`, `except` and `when` lines hold. The order follows from the "
        "rules: a narrower one is asked before a broader one, wherever they stand.",
    ),
)
