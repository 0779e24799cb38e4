"""`terse show`: the rules in the order in which they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write
from terse.cli.files import quoted, shown
from terse.cli.rules_option import RulesHereOption, policy_here

if TYPE_CHECKING:
    from terse.payload.call import Call


def show(
    tool: Annotated[
        str | None, typer.Argument(metavar="SERVER/TOOL", help="The tool. Default: all of them.")
    ] = None,
    rules: RulesHereOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show the order of the rules.

    Raises:
        CommandError: the tool is none, or the rules cannot be read or do not compile.
    """
    from terse.report import shown_json, shown_text
    from terse.review.order import shown as shown_order

    call = None if tool is None else _call(tool)
    plan, policy = policy_here(rules)
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


COMMAND = Command(
    name="show",
    sentence="Show all rules in the order in which they are asked, and why.",
    run=show,
    example="terse show github/list_issues --rules policies/",
    example_does="which rules could apply to a tool, first asked first, and the guards on it",
    notes=(
        "The first rule applies whose `on`, `except` and `when` lines hold. The order follows from the "
        "rules: a narrower one is asked before a broader one, wherever they stand.",
        "Exit codes: 0 done; 1 the rules do not compile; 2 they cannot be read.",
    ),
)
