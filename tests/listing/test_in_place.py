"""A tool stays a tool: what its definition says at each level, and what never changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from terse.listing.definition import compact
from terse.listing.in_place import shown
from terse.payload.exact import dump, parse_unambiguous
from terse.plan.model import Level

TOOL: dict[str, Any] = {
    "name": "search_issues",
    "title": "Search for issues",
    "description": "Searches issues, e.g. open ones. Use `list_issues` for all.\n\nNewest first.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "title": "search_issuesArguments",
        "properties": {
            "query": {
                "type": "string",
                "title": "Query",
                "description": "What to look for. In GitHub's syntax.",
            },
            "state": {"type": "string", "enum": ["open", "closed"], "default": "open"},
            "labels": {"type": "array", "items": {"type": "string", "description": "A label."}},
            "page": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None},
            "range": {"$ref": "#/$defs/Range"},
            "region": {"type": "string", "description": "Where.", "x-mcp-header": "Region"},
        },
        "required": ["query"],
        "additionalProperties": False,
        "$defs": {"Range": {"type": "object", "properties": {"since": {"type": "string"}}}},
    },
    "outputSchema": {"type": "object"},
    "annotations": {"title": "Search", "readOnlyHint": True},
    "icons": [{"src": "https://example.com/a.png"}],
    "_meta": {"a": 1.0},
    "future": [1],
}


def at(level: Level, **options: Any) -> dict[str, Any]:
    parsed = parse_unambiguous(json.dumps(TOOL))
    assert isinstance(parsed, dict)
    found: dict[str, Any] = json.loads(dump(shown(parsed, level, "search_issues", **options)[0]))
    return found


REGION = {"type": "string", "x-mcp-header": "Region"}


def test_low_leaves_out_what_says_nothing() -> None:
    """Full descriptions, and every word of the schema that a model could use."""
    tool = at("low")

    assert tool["description"] == TOOL["description"]
    assert tool["inputSchema"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for. In GitHub's syntax."},
            "state": {"type": "string", "enum": ["open", "closed"], "default": "open"},
            "labels": {"type": "array", "items": {"type": "string", "description": "A label."}},
            "page": {"type": ["integer", "null"], "minimum": 1},
            "range": {"type": "object", "properties": {"since": {"type": "string"}}},
            "region": {**REGION, "description": "Where."},
        },
        "required": ["query"],
    }


def test_medium_has_first_sentences() -> None:
    """Of the tool and of each argument; the schema is whole."""
    tool = at("medium")

    assert tool["description"] == "Searches issues, e.g. open ones."
    assert tool["inputSchema"]["properties"]["query"]["description"] == "What to look for."
    assert tool["inputSchema"]["properties"]["state"] == at("low")["inputSchema"]["properties"]["state"]


def test_high_has_names_and_types_of_arguments() -> None:
    """Without descriptions; the values that an argument is limited to are its type."""
    tool = at("high")

    assert "description" not in tool
    assert tool["inputSchema"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "state": {"type": "string", "enum": ["open", "closed"]},
            "labels": {"type": "array", "items": {"type": "string"}},
            "page": {"type": ["integer", "null"]},
            "range": {"type": "object"},
            "region": REGION,
        },
        "required": ["query"],
    }


def test_max_has_the_name_and_what_is_sent_as_a_header() -> None:
    """A client that would not see the header's property would not send it, and the server would refuse."""
    tool = at("max")

    assert "description" not in tool
    assert tool["inputSchema"] == {"type": "object", "properties": {"region": REGION}}


@pytest.mark.parametrize("level", ["low", "medium", "high", "max"])
def test_what_is_for_people_and_programs_stays(level: Level) -> None:
    """Titles, annotations, icons, `_meta` and later words, in their order; the schema is valid."""
    tool = at(level)
    kept = ("name", "title", "outputSchema", "annotations", "icons", "_meta", "future")

    assert {key: tool[key] for key in kept} == {key: TOOL[key] for key in kept}
    assert list(tool) == [key for key in TOOL if key in tool]
    assert "outputSchema" not in at(level, with_output=False)
    Draft202012Validator.check_schema(tool["inputSchema"])
    assert Draft202012Validator(tool["inputSchema"]).is_valid({"query": "a", "region": "b"})


def test_each_level_is_smaller_than_the_one_before() -> None:
    """And the same every time it is made."""
    levels: tuple[Level, ...] = ("low", "medium", "high", "max")
    sizes = [len(json.dumps(at(level))) for level in levels]

    assert sizes == sorted(sizes, reverse=True)
    assert [json.dumps(at(level)) for level in levels] == [json.dumps(at(level)) for level in levels]


def test_a_tool_that_is_no_tool_of_ours_passes() -> None:
    """A description that is no text, a schema that is none: they stay as they are."""
    odd: dict[str, Any] = {"name": "x", "description": 1, "inputSchema": True, "outputSchema": None}
    parsed = parse_unambiguous(json.dumps(odd))
    assert isinstance(parsed, dict)

    assert json.loads(dump(shown(parsed, "low", "x")[0])) == odd


def test_the_compact_form_is_what_is_for_the_model() -> None:
    """The server's own values without white space: what a fetched definition costs."""
    parsed = parse_unambiguous(json.dumps(TOOL))
    assert isinstance(parsed, dict)

    assert json.loads(compact(parsed)) == {key: TOOL[key] for key in ("name", "description", "inputSchema")}
    assert compact(parsed) == json.dumps(json.loads(compact(parsed)), separators=(",", ":"))


def test_a_list_of_lists_of_itself_comes_to_an_end() -> None:
    """A definition that contains itself is cut off at some depth."""
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/L"}},
        "$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}},
    }
    parsed = parse_unambiguous(json.dumps({"name": "x", "inputSchema": schema}))
    assert isinstance(parsed, dict)

    Draft202012Validator.check_schema(json.loads(dump(shown(parsed, "high", "x")[0]))["inputSchema"])
