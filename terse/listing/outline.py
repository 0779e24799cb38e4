"""A tool's JSON Schema as names and types of its arguments only, or less."""

from __future__ import annotations

from terse.listing.references import resolved
from terse.listing.schema import Schema, is_text, subschemas
from terse.payload.exact import JsonValue

HEADER = "x-mcp-header"
"""A property with it is sent as an HTTP header, too: MCP 2026-07-28 has the server refuse a call without."""


def arguments_only(schema: Schema) -> Schema:
    """Names of arguments with their types, the values they are limited to, and which are required."""
    return _narrowed(schema, schema, keep_all=True)


def nothing_but_type(schema: Schema) -> Schema:
    """A schema that allows every object, and still names what is sent as a header."""
    return _narrowed(schema, schema, keep_all=False)


def _narrowed(schema: Schema, root: Schema, *, keep_all: bool) -> Schema:
    properties = schema.get("properties")
    made: Schema = {"type": "object"}
    kept: Schema = {}
    if isinstance(properties, dict):
        for name, one in properties.items():
            if not isinstance(one, dict):
                if keep_all:
                    kept[name] = one
            elif _has_header(one):
                kept[name] = _header(one)
            elif keep_all:
                kept[name] = _typed(resolved(one, root), root)
    if kept:
        made["properties"] = kept
    if keep_all and isinstance(schema.get("required"), list) and schema["required"]:
        made["required"] = schema["required"]
    return made


def _has_header(schema: Schema) -> bool:
    return any(HEADER in one for one in subschemas(schema))


def _header(schema: Schema) -> Schema:
    """A property that is sent as a header: its type, and what makes it one."""
    made = {key: schema[key] for key in ("type", HEADER) if key in schema}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        inner: Schema = {
            name: _header(one)
            for name, one in properties.items()
            if isinstance(one, dict) and _has_header(one)
        }
        if inner:
            made["properties"] = inner
    return made


_TYPE_WORDS = ("type", "enum", "const")


def _typed(schema: Schema, root: Schema, depth: int = 3) -> Schema:
    made = {key: value for key, value in schema.items() if key in _TYPE_WORDS}
    if not made:
        types = _alternative_types(schema, root)
        if types:
            made["type"] = types[0] if len(types) == 1 else list(types)
    kind = made.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        # Some model interfaces refuse a list that does not say of what.
        items = schema.get("items")
        known = resolved(items, root) if isinstance(items, dict) and depth else {}
        made["items"] = _typed(known, root, depth - 1)
    return made


def _alternative_types(schema: Schema, root: Schema) -> list[JsonValue]:
    found: list[JsonValue] = []
    for word in ("anyOf", "oneOf"):
        alternatives = schema.get(word)
        for one in alternatives if isinstance(alternatives, list) else ():
            kind = resolved(one, root).get("type") if isinstance(one, dict) else None
            if not is_text(kind):
                return []
            if kind not in found:
                found.append(kind)
    return found
