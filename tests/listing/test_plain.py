"""What is left out of a schema says nothing to a model; what is left says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from terse.listing.plain import lossless, tidy
from terse.payload.exact import dump, parse_unambiguous


def made(schema: dict[str, Any], tool: str = "list_issues") -> dict[str, Any]:
    """The schema in fewer words, by way of exact JSON."""
    parsed = parse_unambiguous(json.dumps(schema))
    assert isinstance(parsed, dict)
    found: dict[str, Any] = json.loads(dump(lossless(parsed, tool)))
    return found


def prop(**words: Any) -> dict[str, Any]:
    """What becomes of a property called `page_size`."""
    found: dict[str, Any] = made({"type": "object", "properties": {"page_size": words}})["properties"]
    return dict(found["page_size"])


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ({"title": "Page Size", "type": "integer"}, {"type": "integer"}),
        ({"title": "How many", "type": "integer"}, {"title": "How many", "type": "integer"}),
        ({"description": "Page size.", "type": "integer"}, {"type": "integer"}),
        ({"type": "object", "additionalProperties": True}, {"type": "object"}),
        ({"type": "object", "properties": {}, "additionalProperties": {}}, {"type": "object"}),
        (
            {"type": "object", "properties": {}, "additionalProperties": False},
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ),
        ({"type": "string", "default": None}, {"type": "string"}),
        ({"type": "integer", "default": 25}, {"type": "integer", "default": 25}),
        (
            {"type": "integer", "default": 25, "description": "How many (default: 25)"},
            {"type": "integer", "description": "How many (default: 25)"},
        ),
        (
            {"type": "integer", "default": 2, "description": "How many (default: 25)"},
            {"type": "integer", "default": 2, "description": "How many (default: 25)"},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}),
        (
            {"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]},
            {"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]},
        ),
        (
            {"type": "integer", "minimum": -9007199254740991, "maximum": 100},
            {"type": "integer", "maximum": 100},
        ),
        ({"enum": [{"title": "Page Size"}]}, {"enum": [{"title": "Page Size"}]}),
        ({"const": {"default": None}}, {"const": {"default": None}}),
    ],
)
def test_words_that_say_nothing(words: dict[str, Any], left: dict[str, Any]) -> None:
    """Titles that repeat the name, defaults that are told, limits that every integer has, and no more."""
    assert prop(**words) == left


def test_a_property_may_be_called_like_a_word_of_json_schema() -> None:
    """Names of arguments are never taken for keywords."""
    names = {name: {"type": "string"} for name in ("title", "default", "$schema", "required", "properties")}
    schema = {"type": "object", "properties": names, "required": ["title"]}

    assert made(schema) == schema


def test_the_dialect_is_named_where_it_matters() -> None:
    """MCP reads a schema as 2020-12: an older one keeps its `$schema` where that reads it otherwise."""
    seven = "http://json-schema.org/draft-07/schema#"
    pair = {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}

    assert made({"$schema": seven, "type": "object", "properties": {"a": {"type": "string"}}}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
    }
    assert made({"$schema": seven, "type": "object", "properties": {"a": pair}})["$schema"] == seven


LONG = {"type": "object", "properties": {"street": {"type": "string", "description": "With the number."}}}


def test_definitions_stand_where_they_are_shortest() -> None:
    """What nothing leads to is gone, what is used once stands in its place, what is used often is shared."""
    schema = {
        "type": "object",
        "properties": {
            "from": {"$ref": "#/$defs/Address"},
            "to": {"$ref": "#/$defs/Address"},
            "sort": {"$ref": "#/$defs/Sort", "description": "The order."},
        },
        "$defs": {"Address": LONG, "Sort": {"enum": ["a", "b"]}, "Unused": LONG},
    }

    assert made(schema) == {
        "type": "object",
        "properties": {
            "from": {"$ref": "#/$defs/Address"},
            "to": {"$ref": "#/$defs/Address"},
            "sort": {"enum": ["a", "b"], "description": "The order."},
        },
        "$defs": {"Address": LONG},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}}}},
        },
        {
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "b": {"$ref": "#/properties/a"},
            },
        },
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A", "description": "Mine."}},
            "$defs": {"A": {"type": "string", "description": "Theirs."}},
        },
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/Missing"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}},
        {
            "$id": "https://example.com/x",
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {}},
        },
    ],
)
def test_references_lead_where_they_led(schema: dict[str, Any]) -> None:
    """A definition that contains itself, a path into the schema, a clash: all stay as they are."""
    assert made(schema) == schema


def test_no_schema_nests_deeper_than_readers_go() -> None:
    """A chain of definitions is not put into one another without end."""
    links = {
        f"d{n}": {"type": "object", "properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(99)
    }
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**links, "d99": LONG}}
    text = json.dumps(made(schema))

    depth = deepest = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        deepest = max(deepest, depth)
    assert deepest <= 34
    assert "#/$defs/d" in text


def test_definitions_that_nothing_leads_to_go_all_the_same() -> None:
    """Where a path into the schema keeps the rest as it is; not where a reference is not understood."""
    used = {"A": {"$ref": "#/$defs/B/properties/x"}, "B": {"properties": {"x": {"$ref": "#"}}}}
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/properties/a"}},
        "$defs": {**used, "C": LONG, "D": {"$ref": "#/$defs/C"}},
    }
    unclear = {**schema, "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/a~1b"}}}

    assert made(schema) == {**schema, "$defs": used}
    assert made(unclear) == unclear


def test_numbers_keep_their_spelling() -> None:
    """`1.0` and an integer of thirty digits are what they were."""
    large = "123456789012345678901234567890"
    text = f'{{"type":"object","properties":{{"a":{{"maximum":1.0,"default":{large},"minimum":1E2}}}}}}'
    parsed = parse_unambiguous(text)
    assert isinstance(parsed, dict)

    assert dump(lossless(parsed, "x")) == text


def test_white_space_of_a_source_file_goes() -> None:
    """The margin, ends of lines and blank lines on blank lines; what is indented stays so."""
    assert tidy("\n    Adds.  \n\n\n\n    Args:\n        a: one\n    ") == "Adds.\n\nArgs:\n    a: one"


WORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "boolean", "object", "array"]),
        "title": st.sampled_from(["A", "B", "Other"]),
        "description": st.sampled_from(["A.", "Default: 1", "text"]),
        "default": st.sampled_from([None, 1, "a"]),
        "minimum": st.sampled_from([0, 5]),
        "minLength": st.sampled_from([0, 1]),
        "maxLength": st.sampled_from([1]),
        "uniqueItems": st.booleans(),
        "required": st.sampled_from([[], ["a"]]),
        "enum": st.sampled_from([["a", "b"], [1, None]]),
        "$ref": st.sampled_from(["#/$defs/A", "#/$defs/B"]),
    },
)


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    return st.builds(
        lambda words, more: {**words, **more},
        WORDS,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": some,
                "items": inner,
                "additionalProperties": st.one_of(st.just(True), st.just({}), inner),
                "anyOf": st.lists(st.one_of(inner, st.just({"type": "null"})), min_size=1, max_size=3),
                "allOf": st.lists(inner, min_size=1, max_size=2),
                "not": inner,
            },
        ),
    )


SCHEMAS = st.builds(
    lambda root, a, b: {**root, "$defs": {"A": a, "B": b}},
    st.recursive(WORDS, _grown, max_leaves=6),
    _grown(st.just({"type": "string"})).map(lambda one: {k: v for k, v in one.items() if k != "$ref"}),
    st.sampled_from([{"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}, {"type": "integer"}]),
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 7, "", "a", "bb"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(SCHEMAS, st.lists(VALUES, max_size=6))
def test_the_same_values_are_valid(schema: dict[str, Any], values: list[Any]) -> None:
    """Whatever the schema: no value is allowed that was not, and none forbidden that was allowed."""
    short = made(schema)

    assert len(json.dumps(short)) <= len(json.dumps(schema))
    for value in values:
        assert _valid(short, value) == _valid(schema, value)


def _valid(schema: dict[str, Any], value: Any) -> bool:
    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except RecursionError:
        # A definition that is nothing but itself: no value can be judged.
        return False
