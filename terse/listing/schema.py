"""JSON Schemas as values: every schema in one, and one with every schema in it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeGuard

from terse.payload.exact import JsonValue, Number

Schema = dict[str, JsonValue]

_IN_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_IN_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_ALONE = (
    *("items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then"),
    *("else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)


def is_text(value: JsonValue) -> TypeGuard[str]:
    """Whether the value is a JSON string: a number is carried as a kind of `str`, too."""
    return isinstance(value, str) and not isinstance(value, Number)


def subschemas(schema: Schema) -> Iterator[Schema]:
    """The schema and all schemas in it."""
    yield schema
    for key, value in schema.items():
        if key in _IN_MAPS and isinstance(value, dict):
            inner: Iterator[JsonValue] = iter(value.values())
        elif key in _IN_LISTS and isinstance(value, list):
            inner = iter(value)
        elif key in _ALONE:
            inner = iter(value if isinstance(value, list) else [value])
        else:
            continue
        for one in inner:
            if isinstance(one, dict):
                yield from subschemas(one)


_Change = Callable[[Schema, tuple[str, ...], str], Schema]


def mapped(schema: Schema, change: _Change, names: tuple[str, ...] = ()) -> Schema:
    """The schema with a change made to each schema directly in it.

    Args:
        change: is given the inner schema, the names that its property, or its definition, has, and the word
            that it stands under.
        names: those of the schema itself: an alternative in it is called so, too.
    """

    def inner(value: JsonValue, called: tuple[str, ...] = ()) -> JsonValue:
        return change(value, called, key) if isinstance(value, dict) else value

    made: Schema = {}
    for key, value in schema.items():
        if key in _IN_MAPS and isinstance(value, dict):
            made[key] = {name: inner(one, (name,)) for name, one in value.items()}
        elif key in _IN_LISTS and isinstance(value, list):
            made[key] = [inner(one, names) for one in value]
        elif key in _ALONE:
            made[key] = [inner(one) for one in value] if isinstance(value, list) else inner(value)
        else:
            made[key] = value
    return made


DIALECT_WORDS = {
    *(
        "dependencies",
        "additionalItems",
        "$recursiveRef",
        "$recursiveAnchor",
        "$dynamicRef",
        "$dynamicAnchor",
    ),
    *("$anchor", "$id", "id", "$vocabulary", "divisibleBy", "extends", "disallow"),
}
"""Words that other editions of JSON Schema read otherwise, or that move what references lead to."""
