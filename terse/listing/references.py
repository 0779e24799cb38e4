"""Definitions of a JSON Schema: each in its place or shared, whichever is shorter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from terse.listing.schema import DIALECT_WORDS, Schema, is_text, mapped, subschemas
from terse.payload.exact import JsonValue, dump

MAX_DEFINITIONS = 200
"""Of more, none is put in its place: each is looked for in all others."""

MAX_DEPTH = 32
"""Containers in containers of a schema that definitions were put into: readers of JSON have their limits."""

_LOCAL = re.compile(r"#/(\$defs|definitions)/([^/%~]+)")


def shared(schema: Schema) -> Schema:
    """Definitions that nothing leads to are left out, and one that is shorter in its place stands there.

    Args:
        schema: one that `is_simple`.
    """
    found = [key for key in ("$defs", "definitions") if isinstance(schema.get(key), dict)]
    if not found:
        return schema
    definitions = {(key, name): one for key in found for name, one in _members(schema, key)}
    root: Schema = {key: value for key, value in schema.items() if key not in found}
    for key in sorted(definitions) if len(definitions) <= MAX_DEFINITIONS else ():
        parts = (root, *_needed(root, definitions).values())
        count = sum(one == key for part in parts for one in _references(part))
        body = definitions[key]
        if (
            not count
            or key in _reached(body, definitions)
            or not all(_fits(part, key, body) for part in parts)
        ):
            continue
        reference = len(f'{{"$ref":"{_pointer(key)}"}}')
        length = len(dump(body))
        if (count - 1) * length <= count * reference + len(key[1]) + 4:
            placed = _inlined(root, key, body)
            others = {other: _inlined(one, key, body) for other, one in definitions.items() if other != key}
            if all(_depth(one) <= MAX_DEPTH for one in (placed, *others.values())):
                root, definitions = placed, others
    needed = _needed(root, definitions)
    for word in found:
        kept: Schema = {name: one for (where, name), one in needed.items() if where == word}
        if kept:
            root[word] = kept
    return root


def without_unreached(schema: Schema) -> Schema:
    """The schema without the definitions that nothing leads to, whatever else its references lead to."""
    found = [key for key in ("$defs", "definitions") if isinstance(schema.get(key), dict)]
    if not found or any(not _MOVING.isdisjoint(one) for one in subschemas(schema)):
        return schema
    definitions = {(key, name): one for key in found for name, one in _members(schema, key)}
    root: Schema = {key: value for key, value in schema.items() if key not in found}
    reached: set[_Key] = set()
    waiting = [root]
    while waiting:
        for one in subschemas(waiting.pop()):
            reference = one.get("$ref")
            if reference is None:
                continue
            inside = _INSIDE.match(reference) if is_text(reference) else None
            if inside is None:
                return schema
            key = (inside[1], inside[2])
            if key in definitions and key not in reached:
                reached.add(key)
                waiting.append(definitions[key])
    made = dict(schema)
    for word in found:
        value = schema[word]
        kept = {
            name: one
            for name, one in (value.items() if isinstance(value, dict) else ())
            if (word, name) in reached or (word, name) not in definitions
        }
        if kept:
            made[word] = kept
        else:
            del made[word]
    return made


_MOVING = frozenset(("$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"))
_INSIDE = re.compile(r"#(?:/(\$defs|definitions)/([^/%~]+))?(?:/(?!\$defs|definitions)[^%~]*)?\Z")
"""A reference into the schema itself; with groups, into a definition or what is in one."""

_Key = tuple[str, str]


def _members(schema: Schema, key: str) -> Iterator[tuple[str, Schema]]:
    value = schema[key]
    if isinstance(value, dict):
        for name, one in value.items():
            if isinstance(one, dict):
                yield name, one


def is_simple(schema: Schema) -> bool:
    """Whether every reference is one to a definition of the root, so that schemas may change their place."""
    for one in subschemas(schema):
        if not DIALECT_WORDS.isdisjoint(one):
            return False
        if one is not schema and ("$defs" in one or "definitions" in one):
            return False
        reference = one.get("$ref")
        if reference is not None and not (is_text(reference) and _LOCAL.fullmatch(reference)):
            return False
    defined = [one for key in ("$defs", "definitions") for one in _values(schema.get(key))]
    return all(isinstance(one, dict) for one in defined)


def _values(value: JsonValue) -> list[JsonValue]:
    return list(value.values()) if isinstance(value, dict) else []


def _references(schema: Schema) -> Iterator[_Key]:
    for one in subschemas(schema):
        reference = one.get("$ref")
        if is_text(reference) and (found := _LOCAL.fullmatch(reference)):
            yield found[1], found[2]


def _reached(schema: Schema, definitions: dict[_Key, Schema]) -> set[_Key]:
    reached: set[_Key] = set()
    waiting = list(_references(schema))
    while waiting:
        key = waiting.pop()
        if key in definitions and key not in reached:
            reached.add(key)
            waiting += _references(definitions[key])
    return reached


def _needed(root: Schema, definitions: dict[_Key, Schema]) -> dict[_Key, Schema]:
    reached = _reached(root, definitions)
    return {key: one for key, one in definitions.items() if key in reached}


def _depth(value: JsonValue) -> int:
    """How many containers stand in one another."""
    depth = 0
    level = [value]
    while level:
        inner = [one for one in level if isinstance(one, (dict, list))]
        depth += bool(inner)
        level = [each for one in inner for each in (one.values() if isinstance(one, dict) else one)]
    return depth


def _pointer(key: _Key) -> str:
    return f"#/{key[0]}/{key[1]}"


_REMARKS = frozenset(("description", "title", "default", "examples", "deprecated"))


def _fits(schema: Schema, key: _Key, body: Schema) -> bool:
    """Whether the definition can stand in the place of each reference to it, with what stands beside that."""
    for one in subschemas(schema):
        if one.get("$ref") == _pointer(key):
            beside = one.keys() - {"$ref"}
            if beside - _REMARKS or beside & body.keys():
                return False
    return True


def _inlined(schema: Schema, key: _Key, body: Schema) -> Schema:
    """The schema with the definition in the place of each reference to it."""

    def change(one: Schema, names: tuple[str, ...], under: str) -> Schema:
        one = mapped(one, change)
        if one.get("$ref") != _pointer(key):
            return one
        return {**body, **{word: value for word, value in one.items() if word != "$ref"}}

    return change(schema, (), "")


def resolved(schema: Schema, root: Schema) -> Schema:
    """The definition that a schema refers to; itself where it refers to none."""
    reference = schema.get("$ref")
    found = _LOCAL.fullmatch(reference) if is_text(reference) else None
    if found is None:
        return schema
    definitions = root.get(found[1])
    one = definitions.get(found[2]) if isinstance(definitions, dict) else None
    return one if isinstance(one, dict) else schema
