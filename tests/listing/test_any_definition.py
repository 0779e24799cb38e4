"""Whatever a server sends as a definition, and a model as arguments: nothing fails on it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from terse.listing.arguments import mistake
from terse.listing.definition import Definition, compact
from terse.listing.in_place import shown
from terse.listing.wrapped import Wrapped, found, invocation, names_for, wrappers
from terse.payload.exact import JsonValue, Number, dump
from terse.plan.model import Level

LEVELS: tuple[Level, ...] = ("low", "medium", "high", "max")
WORDS = st.sampled_from(
    [
        *(
            "type",
            "properties",
            "$defs",
            "definitions",
            "anyOf",
            "oneOf",
            "allOf",
            "items",
            "required",
            "$ref",
        ),
        *(
            "default",
            "title",
            "description",
            "enum",
            "additionalProperties",
            "x-mcp-header",
            "$schema",
            "not",
        ),
        *("tool_name", "tool_input", "a"),
    ]
)
LEAVES: st.SearchStrategy[JsonValue] = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(["object", "array", "#/$defs/a", "#/definitions/a", "A. B", "", "#"]),
    st.sampled_from([Number("1"), Number("1e400")]),
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=5)),
    max_leaves=20,
)
PARTS = st.sampled_from(["name", "description", "inputSchema", "annotations", "outputSchema", "other"])


@given(st.dictionaries(PARTS, VALUES), st.dictionaries(WORDS, VALUES, max_size=3))
def test_nothing_fails(definition: Definition, arguments: dict[str, JsonValue]) -> None:
    """What is no schema stays as it is; at `low` nothing becomes longer, and nobody's values change."""
    before = dump(definition)
    low, _ = shown(definition, "low", "x")

    assert len(compact({**low, "name": "x"})) <= len(compact({**definition, "name": "x"}))
    for level in LEVELS:
        assert shown(definition, level, "x") == shown(definition, level, "x")
        tools = [Wrapped("x", definition, level)]
        assert wrappers(names_for("a", ()), tools)
        assert found(tools, "a")
    schema = definition.get("inputSchema")
    if isinstance(schema, dict):
        mistake(arguments, schema)
    invocation(arguments, {"a": definition})
    assert dump(definition) == before
