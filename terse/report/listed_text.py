"""`terse tools` for people: 80 columns, the same in a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.hidden import visible
from terse.report.listed import Listed, ListedTool, ListSize

NAME = 34
"""Columns of a tool's name; a longer one is cut."""


def render(servers: Sequence[Listed]) -> str:
    """For each server a table of what its list costs, then what is shown of each tool."""
    lines = [line for server in servers for line in (*_server(server), "")]
    return "".join(visible(line).rstrip() + "\n" for line in lines[:-1])


def _server(server: Listed) -> Iterator[str]:
    number = len(server.tools)
    tools = f"{number} tool{'' if number == 1 else 's'}"
    yield f"{server.server}: {tools}, {server.received:,} tokens as received"
    yield f"rules: {server.policy}"
    yield ""
    fetched = f"+ {server.fetched} definition{'' if server.fetched == 1 else 's'}"
    yield f"{'':20}{'tokens':>9}{'saved':>9}{fetched:>18}{'saved':>9}"
    if server.by_rules is None:
        yield "rules                  no `tools` block speaks of these tools"
    else:
        yield _size(server.by_rules, server.received)
    for size in server.sizes:
        yield _size(size, server.received)
    yield ""
    yield f"{'tool':{NAME}} {'level':8}{'':10}{'received':>10}{'shown':>8}"
    for tool in server.tools:
        yield from _tool(tool)


def _size(size: ListSize, received: int) -> str:
    saved = f"{size.tokens:>9,}{_saved(size.tokens, received):>9}"
    return f"{size.how:20}{saved}{size.net:>18,}{_saved(size.net, received):>9}"


def _saved(tokens: int, received: int) -> str:
    return f"{100 * (received - tokens) / received:.1f}%" if received else ""


def _tool(tool: ListedTool) -> Iterator[str]:
    name = tool.name if len(tool.name) <= NAME else tool.name[: NAME - 1] + "…"
    if tool.hidden_by:
        yield f"{name:{NAME}} hidden{'':12}{tool.received:>10,}{0:>8}"
        yield f"  by {tool.hidden_by}"
        return
    yield f"{name:{NAME}} {tool.level or '-':8}{tool.presentation:10}{tool.received:>10,}{tool.shown:>8,}"
    if tool.shown_as != tool.name:
        yield f"  shown as {tool.shown_as}"
