"""The tools of a server, as they were listed."""

from __future__ import annotations

from collections.abc import Sequence

from terse.listing.arguments import nearest
from terse.listing.schema import Schema
from terse.payload.exact import JsonValue, NotExact, parse
from terse.shell.flags import fold
from terse.shell.unusable import Wrong

RETRIEVE = "terse_retrieve"
ITS_WORD = "retrieve"
"""What set-aside values are fetched with, where the server has no tool of that name."""
MAX_NAMED = 12


class Tool:
    """One tool.

    Attributes:
        name: as clients call it.
        description: "" without one.
        schema: its `inputSchema`.
    """

    __slots__ = ("description", "name", "schema")

    def __init__(self, definition: dict[str, JsonValue]) -> None:
        self.name = str(definition["name"])
        said, schema = definition.get("description"), definition.get("inputSchema")
        self.description = said if isinstance(said, str) else ""
        self.schema: Schema = schema if isinstance(schema, dict) else {}


def read(listed: bytes) -> list[Tool]:
    """The tools of a list, as JSON; those that can be called."""
    try:
        found = parse(listed.decode("utf-8", "surrogatepass"))
    except (NotExact, UnicodeDecodeError):
        return []
    tools = found if isinstance(found, list) else []
    return [Tool(one) for one in tools if isinstance(one, dict) and isinstance(one.get("name"), str)]


def named(word: str, tools: Sequence[Tool], server: str) -> Tool:
    """The tool that a word means, in any spelling: list_issues, list-issues, listIssues.

    Raises:
        Wrong: there is none. The message has the nearest name.
    """
    exact = next((tool for tool in tools if tool.name == word), None)
    if exact is not None:
        return exact
    alike = [tool for tool in tools if fold(tool.name) == fold(word)]
    if not alike and word == ITS_WORD:
        alike = [tool for tool in tools if tool.name.startswith(RETRIEVE)][:1]
        if not alike:
            raise Wrong(f"{server}: nothing is set aside by its rules, so there is nothing to retrieve")
    if len(alike) == 1:
        return alike[0]
    names = [tool.name for tool in tools]
    if alike:
        raise Wrong(f"{server}: {word} may be {' or '.join(tool.name for tool in alike)}: write it out")
    meant = nearest(word, names)
    if meant is not None:
        raise Wrong(f"{server} has no tool {word}: did you mean {meant}?")
    more = " …" if len(names) > MAX_NAMED else ""
    listed = f"there are {', '.join(names[:MAX_NAMED])}{more}" if names else "it has none"
    raise Wrong(f"{server} has no tool {word}: {listed}")
