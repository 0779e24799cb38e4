"""What the schemas of tools mark with `x-mcp-header`: parameters that are sent as headers, too.

A client over HTTP must not offer a tool whose marks are not what the protocol (2026-07-28) allows: its server
would refuse each call. The proxy is that client, so such tools are taken out of the list here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from terse.proxy.message import replaced
from terse.proxy.spans import MALFORMED, Span, envelope, members, string, whole_objects

Marked = dict[tuple[str, ...], str]
"""The `x-mcp-header` of each marked property, by its path in the arguments."""

_MARK = "x-mcp-header"
_TYPES = ("string", "integer", "boolean")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Where else in a schema (JSON Schema 2020-12) there is another one. Not `default`, `const` and the like:
# what stands there is data.
_SCHEMA_IN = frozenset(
    (
        *("items", "contains", "unevaluatedItems", "additionalProperties", "unevaluatedProperties"),
        *("propertyNames", "contentSchema", "not", "if", "then", "else"),
    )
)
_SCHEMAS_LISTED_IN = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_SCHEMAS_NAMED_IN = frozenset(("patternProperties", "dependentSchemas", "$defs", "definitions"))


class Unusable(NamedTuple):
    """A tool that no client may offer, and why, in a few words."""

    tool: str
    problem: str


def may_mark(data: bytes) -> bool:
    """Whether a list of tools can mark anything, at a glance."""
    return b"x-mcp-header" in data or b"\\u00" in data


def marked_properties(schema: object) -> Marked:
    """What a tool's `inputSchema` marks, of one in which `problem_of` finds nothing."""
    return {
        path: mark
        for path, inner in _schemas(schema)
        if path and isinstance(mark := inner.get(_MARK), str) and _TOKEN.fullmatch(mark)
    }


def problem_of(schema: object) -> str | None:
    """What is wrong with the marks of an `inputSchema`; None if nothing is."""
    seen: set[str] = set()
    for path, inner in _schemas(schema):
        if _MARK not in inner:
            continue
        mark = inner[_MARK]
        if not path:
            return "it marks what is no property along `properties`"
        if not isinstance(mark, str) or not _TOKEN.fullmatch(mark):
            return "a mark is no name of a header"
        if inner.get("type") not in _TYPES:
            return f"the header {mark} is for what is no string, integer or boolean"
        if mark.lower() in seen:
            return f"the header {mark} stands for two parameters"
        seen.add(mark.lower())
    return None


def without_unusable(answer: bytes) -> tuple[bytes, list[Unusable]]:
    """An answer to `tools/list` without the tools that no client may offer, and these. Every other byte is as
    it came; a list that cannot be read is for the client to judge."""
    try:
        structure, found = envelope(answer)
        listed = members(structure, *found["result"])["tools"]
        kept: list[Span] = []
        unusable: list[Unusable] = []
        for span, tool in whole_objects(structure, listed):
            problem = problem_of(_value(answer, tool.get("inputSchema")))
            if problem is None:
                kept.append(span)
            else:
                unusable.append(Unusable(string(answer, tool["name"]), problem))
    except (*MALFORMED, KeyError):
        return answer, []
    if not unusable:
        return answer, []
    tools = b",".join(answer[span.start : span.end] for span in kept)
    return replaced(answer, {listed: b"[" + tools + b"]"}), unusable


def _value(message: bytes, span: Span | None) -> object:
    return None if span is None else json.loads(message[span.start : span.end])


def _schemas(root: object) -> Iterator[tuple[tuple[str, ...] | None, Mapping[str, object]]]:
    """Every schema in a schema, with its path along `properties`: empty for the root, None off that path."""
    waiting: list[tuple[tuple[str, ...] | None, object]] = [((), root)]
    while waiting:
        path, schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield path, schema
        for word, value in schema.items():
            if word == "properties" and isinstance(value, dict):
                waiting += ((None if path is None else (*path, name), inner) for name, inner in value.items())
            elif word in _SCHEMA_IN:
                waiting.append((None, value))
            elif word in _SCHEMAS_LISTED_IN and isinstance(value, list):
                waiting += ((None, inner) for inner in value)
            elif word in _SCHEMAS_NAMED_IN and isinstance(value, dict):
                waiting += ((None, inner) for inner in value.values())
