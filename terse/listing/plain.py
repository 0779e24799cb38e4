"""A tool's JSON Schema in fewer words: what says nothing to a model is left out, and nothing else."""

from __future__ import annotations

import re

from terse.listing.references import is_simple, shared, without_unreached
from terse.listing.schema import DIALECT_WORDS, Schema, is_text, mapped, subschemas
from terse.payload.exact import JsonValue, Number


def lossless(schema: Schema, tool: str) -> Schema:
    """The schema without what says nothing to a model.

    Args:
        tool: the tool's name.
    """
    if is_simple(schema):
        plain = shared(_plain(schema, (tool,), ""))
    else:
        plain = without_unreached(_worded(schema, (tool,), ""))
    if _needs_its_dialect(plain):
        return plain
    return {key: value for key, value in plain.items() if key != "$schema"}


def _plain(schema: Schema, names: tuple[str, ...], under: str) -> Schema:
    return _nullable(_without(mapped(schema, _plain, names), names, under))


def _worded(schema: Schema, names: tuple[str, ...], under: str) -> Schema:
    """As `_plain`, and every schema stays where it is: references may lead to any place."""
    return _without(mapped(schema, _worded, names), names, under)


def _without(schema: Schema, names: tuple[str, ...], under: str) -> Schema:
    made = {key: value for key, value in schema.items() if not _says_nothing(key, schema, names, under)}
    description = made.get("description")
    if is_text(description):
        made["description"] = tidy(description)
    return made


def _says_nothing(key: str, schema: Schema, names: tuple[str, ...], under: str) -> bool:
    value = schema[key]
    match key:
        case "title":
            return is_text(value) and _repeats(value, names)
        case "description":
            return is_text(value) and (not value.strip() or _repeats(value, names))
        case "$comment":
            return True
        case "additionalProperties":
            # What is not named may be there, which holds without the word; or may not, which nobody tries who
            # reads the names. Of alternatives it may be what makes them exclude each other.
            if value is False:
                return under != "oneOf" and bool(schema.get("properties") or (not under and names))
            return value is True or value == {}
        case "properties":
            return value == {} and bool(under) and schema.get("additionalProperties") is not False
        case "unevaluatedProperties" | "unevaluatedItems":
            return value is True or value == {}
        case "propertyNames":
            return value is True or value in ({}, {"type": "string"})
        case "required":
            return value == []
        case "default":
            return value is None or _is_told(value, schema.get("description"))
        case "minimum" | "exclusiveMinimum":
            return value == _LEAST_SAFE
        case "maximum" | "exclusiveMaximum":
            return value == _LARGEST_SAFE
        case "minLength" | "minItems" | "minProperties":
            return value == Number("0")
        case "uniqueItems" | "deprecated" | "readOnly" | "writeOnly":
            return value is False
    return False


LONGEST_DEFAULT = 100
"""Characters of a default that a description is searched for."""

_LARGEST_SAFE = Number("9007199254740991")
_LEAST_SAFE = Number("-9007199254740991")
"""What JavaScript counts exactly: writers of schemas name them for every integer."""

_LETTERS = re.compile(r"[\W_]+")
_SUFFIXES = ("arguments", "args", "input", "params", "parameters", "request", "schema")


def _repeats(title: str, names: tuple[str, ...]) -> bool:
    """Whether a text is one of the names in other letters: `Page Size` for `page_size`."""
    plain = _letters(title)
    for name in map(_letters, names):
        if plain == name or (plain.startswith(name) and plain[len(name) :] in _SUFFIXES):
            return True
    return False


def _letters(text: str) -> str:
    return _LETTERS.sub("", text).lower()


def _is_told(default: JsonValue, description: JsonValue) -> bool:
    """Whether the description names the default: `(default: 25)`, `default is 'asc'`, `Defaults to false.`"""
    if not is_text(description) or not isinstance(default, (Number, str, bool)) or default == "":
        return False
    if isinstance(default, str) and len(default) > LONGEST_DEFAULT:
        return False
    said = default if isinstance(default, str) else str(default).lower()
    pattern = (
        rf"\bdefaults?\b(?:[ \t]+(?:is|to|value(?: is)?))?[:=]?[ \t]*[`'\"]?{re.escape(said)}(?![\w.-]*\w)"
    )
    return re.search(pattern, description, re.IGNORECASE) is not None


def _nullable(schema: Schema) -> Schema:
    """A schema or null, said in one word where the schema has one type."""
    alternatives = schema.get("anyOf")
    if not isinstance(alternatives, list):
        return schema
    others = [one for one in alternatives if one != {"type": "null"}]
    if len(others) != 1 or not isinstance(others[0], dict):
        return schema
    only = others[0]
    if schema.keys() - {"anyOf"} & only.keys():
        return schema
    if len(alternatives) > 1:
        kind = only.get("type")
        if not isinstance(kind, str) or "enum" in only or "const" in only or "$ref" in only:
            return schema
        only = {**only, "type": [kind, "null"]}
    made: Schema = {}
    for key, value in schema.items():
        made.update(only if key == "anyOf" else {key: value})
    return made


def tidy(text: str) -> str:
    """A description without the white space that its place in a source file gave it."""
    lines = [line.rstrip() for line in text.split("\n")]
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line]
    margin = min(margins, default=0)
    joined = "\n".join([lines[0].lstrip(), *(line[margin:] for line in lines[1:])])
    return _BLANK_LINES.sub("\n\n", joined).strip()


_BLANK_LINES = re.compile(r"\n{3,}")


def _needs_its_dialect(schema: Schema) -> bool:
    """Whether a reader that takes it for JSON Schema 2020-12, as MCP has it, would read it otherwise."""
    if "$schema" not in schema:
        return False
    if "2020-12" in str(schema["$schema"]):
        return False
    for one in subschemas(schema):
        if not DIALECT_WORDS.isdisjoint(one) or isinstance(one.get("items"), list):
            return True
        if isinstance(one.get("exclusiveMinimum"), bool) or isinstance(one.get("exclusiveMaximum"), bool):
            return True
        # Before 2019-09 words beside a reference were ignored.
        if "$ref" in one and one.keys() - {"$ref", "description", "title", "default", "examples"}:
            return True
    return False
