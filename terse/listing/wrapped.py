"""Many tools behind three: one that lists them, one that gives a definition, one that calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from terse.listing.definition import Definition
from terse.listing.plain import tidy
from terse.listing.references import resolved
from terse.listing.schema import Schema, is_text
from terse.listing.sentence import first_sentence
from terse.payload.exact import JsonValue, NotExact, parse_unambiguous
from terse.plan.model import Level

CUT_AT = 2000
"""Characters of a description that every client shows: Claude Code cuts at 2 kB (docs of October 2026)."""

MAX_PREFIX = 40
"""Characters of the server's name before our tools' names: model interfaces take 64 for the whole."""


class Wrapped(NamedTuple):
    """A tool that is reached through ours.

    Attributes:
        name: the name it is shown under.
        level: how much the list says of it.
    """

    name: str
    definition: Definition
    level: Level


class Names(NamedTuple):
    """What our three tools are called for one server."""

    list_tools: str
    get_schema: str
    invoke: str


def names_for(server: str | None, taken: Collection[str]) -> Names:
    """The names, with the server's before them; none of them is one that is taken.

    Args:
        server: None where somebody else puts the server's name before all names of its tools.
    """
    prefix = ""
    if server is not None:
        prefix = (re.sub(r"[^A-Za-z0-9_-]+", "_", server)[:MAX_PREFIX].strip("_") or "server") + "_"

    def free(name: str) -> str:
        found, number = f"{prefix}{name}", 1
        while found in taken:
            number += 1
            found = f"{prefix}{name}_{number}"
        return found

    return Names(free("list_tools"), free("get_tool_schema"), free("invoke_tool"))


def wrappers(
    names: Names, tools: Sequence[Wrapped], shown_as: Callable[[str], str] = str
) -> list[Definition]:
    """Our tools as the client is shown them. The first is left out where the last one's description says as
    much, and no client cuts it.

    Args:
        shown_as: the name that the client will know a tool of this name by.
    """
    listed = listing(tools)
    read_only: JsonValue = {"readOnlyHint": True, "openWorldHint": False}
    name: Schema = {"type": "string"}
    made: list[Definition] = []
    if len(listed) > CUT_AT or any(tool.level in ("high", "max") for tool in tools):
        made.append(
            {
                "name": names.list_tools,
                "description": f"Lists the tools of {shown_as(names.invoke)}.",
                "inputSchema": {"type": "object", "properties": {"search": name}},
                "annotations": read_only,
            }
        )
    made.append(
        {
            "name": names.get_schema,
            "description": "Gives a tool's description and arguments. Call it before a tool's first call.",
            "inputSchema": {"type": "object", "properties": {"tool_name": name}, "required": ["tool_name"]},
            "annotations": read_only,
        }
    )
    invoke: Definition = {
        "name": names.invoke,
        "description": f"Calls a tool:\n{listed}",
        "inputSchema": {
            "type": "object",
            "properties": {"tool_name": name, "tool_input": {"type": "object"}},
            "required": ["tool_name"],
        },
    }
    if all(_is_read_only(tool.definition) for tool in tools):
        invoke["annotations"] = {"readOnlyHint": True}
    made.append(invoke)
    return made


def listing(tools: Sequence[Wrapped]) -> str:
    """The tools, one a line; names alone side by side, at the end."""
    lines = [_line(tool) for tool in tools if tool.level != "max"]
    alone = ", ".join(tool.name for tool in tools if tool.level == "max")
    return "\n".join([*lines, alone] if alone else lines)


def found(tools: Sequence[Wrapped], search: str) -> str:
    """What our first tool answers: each tool with its arguments and its first sentence; with words to search
    for, those that have them all.
    """
    words = search.lower().split()
    lines = [
        line
        for tool in tools
        for line in [_line(tool._replace(level="medium"))]
        if all(word in f"{line} {tool.definition.get('description')}".lower() for word in words)
    ]
    return "\n".join(lines) if lines else "No tool has all these words: list them without a search."


def _line(tool: Wrapped) -> str:
    signature = f"{tool.name}({_arguments(tool.definition.get('inputSchema'))})"
    description = tool.definition.get("description")
    if tool.level == "high" or not is_text(description) or not description.strip():
        return signature
    return f"{signature}: {tidy(description) if tool.level == 'low' else first_sentence(description)}"


def _arguments(schema: JsonValue) -> str:
    """The names, those that are required first, the others in brackets: `owner, repo, [page]`."""
    if not isinstance(schema, dict):
        return ""
    schema = resolved(schema, schema)
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, dict) else []
    wanted = schema.get("required")
    required = [name for name in wanted if is_text(name)] if isinstance(wanted, list) else []
    optional = [name for name in known if name not in required]
    first = [name for name in known if name in required]
    return ", ".join([*first, f"[{', '.join(optional)}]"] if optional else first)


def _is_read_only(definition: Definition) -> bool:
    annotations = definition.get("annotations")
    return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True


# ---- calls ----------------------------------------------------------------------------------------------


class Invocation(NamedTuple):
    """What a call of our last tool asks for: a tool by the name it is shown under, and its arguments.

    Attributes:
        is_as_given: they are the `tool_input` of the call, as it stands there.
    """

    tool: str
    arguments: dict[str, JsonValue]
    is_as_given: bool


def invocation(given: Mapping[str, JsonValue], schemas: Mapping[str, Definition]) -> Invocation | None:
    """What is asked for; None where it is no call of a tool.

    Models send the arguments as a text of JSON, under the name `arguments`, or beside `tool_name`: they are
    taken where no argument of the tool has that name.

    Args:
        given: the arguments of the call of our tool.
        schemas: the tools by the names they are shown under.
    """
    tool = given.get("tool_name")
    if not is_text(tool):
        return None
    rest = {name: value for name, value in given.items() if name not in ("tool_name", "tool_input")}
    as_given = given.get("tool_input")
    if isinstance(as_given, dict) and (as_given or not rest):
        return Invocation(tool, as_given, is_as_given=True)
    if is_text(as_given) and not rest:
        parsed = _parsed(as_given)
        return None if parsed is None else Invocation(tool, parsed, is_as_given=False)
    if as_given not in (None, {}):
        return None
    own = _argument_names(schemas.get(tool))
    if not own.isdisjoint(("tool_name", "tool_input")):
        return None
    if rest.keys() == {"arguments"} and "arguments" not in own:
        inner = rest["arguments"]
        if is_text(inner):
            inner = _parsed(inner)
        if isinstance(inner, dict):
            return Invocation(tool, inner, is_as_given=False)
    return Invocation(tool, rest, is_as_given=False)


def _parsed(text: str) -> dict[str, JsonValue] | None:
    if not text.strip():
        return {}
    try:
        value = parse_unambiguous(text)
    except NotExact:
        return None
    return value if isinstance(value, dict) else None


def _argument_names(definition: Definition | None) -> set[str]:
    schema = None if definition is None else definition.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return set(properties) if isinstance(properties, dict) else set()
