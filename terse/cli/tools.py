"""`terse tools`: what an agent is shown of the servers' tools, and what that costs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import fail, write
from terse.cli.files import read_text, shown
from terse.cli.rules_option import DEFAULT_RULES, RulesHereOption, policy_here
from terse.cli.vocabulary_option import DEFAULT_VOCABULARY

if TYPE_CHECKING:
    from terse.listing.definition import Definition

LOCK = "tools.lock"


def tools(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A tools.lock, or a server's answer to tools/list; - for stdin. Default: the tools.lock of "
            "the rules.",
        ),
    ] = None,
    rules: RulesHereOption = None,
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="NAME", help="The server: of several, only this one."),
    ] = None,
    fetched: Annotated[
        int,
        typer.Option("--fetched", metavar="N", min=0, help="Definitions that a session fetches later."),
    ] = 3,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    emitted: Annotated[
        bool,
        typer.Option("--emitted", help="Print the list as a client is shown it, one tool a line."),
    ] = False,
    vocabulary: Annotated[
        str,
        typer.Option("--vocabulary", metavar="NAME", help="Count tokens with o200k_base or cl100k_base."),
    ] = DEFAULT_VOCABULARY,
) -> None:
    """Show what an agent is shown of the tools.

    Raises:
        CommandError: the file is no list of tools, or the rules cannot be read or do not compile.
    """
    from terse.report import listed_json, listed_text
    from terse.review.listed import emitted as emitted_list
    from terse.review.listed import listed
    from terse.tokens import UnknownVocabulary
    from terse.tokens import vocabulary as named

    plan, policy = policy_here(rules)
    found = _servers(file if file is not None else _lock(rules), server)
    if emitted and json:
        fail("--emitted and --json exclude each other: name one")
    if emitted and len(found) > 1:
        fail(f"--emitted is of one server: say which, with --server {shown(next(iter(found)))}")
    if emitted:
        for name, definitions in found.items():
            write(emitted_list(plan.tools, name, definitions))
        return
    try:
        counted = named(vocabulary)
    except UnknownVocabulary as error:
        fail(f"--vocabulary: {error}")
    facts = [listed(plan.tools, policy, name, tools, counted, fetched) for name, tools in found.items()]
    write(listed_json.render(facts) if json else listed_text.render(facts))


def _lock(rules: str | None) -> str:
    path = DEFAULT_RULES if rules is None else rules
    folder = os.path.dirname(path) if os.path.isfile(path) else path
    lock = os.path.join(folder, LOCK)
    if not os.path.exists(lock):
        fail(f"there is no {shown(lock)}: name a file, or write one with `terse snapshot -- COMMAND`")
    return lock


def _servers(path: str, only: str | None) -> dict[str, list[Definition]]:
    from terse.payload.exact import NotExact, parse_unambiguous

    try:
        document = parse_unambiguous(read_text(path))
    except NotExact as error:
        fail(f"{shown(path)} cannot be read: {error}")
    if isinstance(document, dict) and isinstance(document.get("result"), dict):
        document = document["result"]
    listings = document.get("servers") if isinstance(document, dict) else None
    if not isinstance(listings, dict):
        listings = {only or "server": document}
        only = None
    servers: dict[str, list[Definition]] = {}
    for name, one in listings.items():
        tools = one.get("tools") if isinstance(one, dict) else None
        if not isinstance(tools, list):
            fail(f'{shown(path)} is no list of tools: it has no "tools"')
        if only is None or name == only:
            servers[str(name)] = [tool for tool in tools if isinstance(tool, dict) and "name" in tool]
    if not servers:
        fail(f"{shown(path)} has no server {shown(only or '')}: it has {', '.join(map(shown, listings))}")
    return servers


COMMAND = Command(
    name="tools",
    sentence="Show what an agent is shown of the servers' tools, and what that costs.",
    run=tools,
    example="terse tools policies/tools.lock --rules policies/",
    example_does="each server's list under the rules and at each level, and what is shown of each tool",
    notes=(
        "Tokens are those of names, descriptions and input schemas, which clients give a model. The last two "
        "columns have the definitions in them that a session fetches later.",
        "Exit codes: 0 done; 1 the rules do not compile; 2 there is no list to show.",
    ),
)
