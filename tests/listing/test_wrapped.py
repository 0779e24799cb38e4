"""Three tools in the place of many: their names, and what the list says at each level."""

from __future__ import annotations

import json
from typing import Any

import pytest

from terse.listing.wrapped import CUT_AT, Wrapped, found, listing, names_for, wrappers
from terse.payload.exact import parse_unambiguous
from terse.plan.model import Level


def tool(name: str, level: Level, description: str = "Reads. Then ends.", **schema: Any) -> Wrapped:
    definition = parse_unambiguous(
        json.dumps({"name": name, "description": description, "inputSchema": {"type": "object", **schema}})
    )
    assert isinstance(definition, dict)
    return Wrapped(name, definition, level)


@pytest.mark.parametrize(
    ("server", "prefix"),
    [
        ("github", "github"),
        ("My Server!", "My_Server"),
        ("日本", "server"),
        ("a" * 90, "a" * 40),
        ("", "server"),
    ],
)
def test_names_are_such_that_every_model_interface_takes(server: str, prefix: str) -> None:
    """Letters, digits, `_` and `-`, and no longer than 64, whatever the server is called."""
    names = names_for(server, ())

    assert names == (f"{prefix}_list_tools", f"{prefix}_get_tool_schema", f"{prefix}_invoke_tool")
    assert all(len(name) <= 64 for name in names)


def test_a_name_that_is_taken_gets_a_number() -> None:
    """A tool of the server keeps its own."""
    assert names_for("x", {"x_invoke_tool", "x_invoke_tool_2"}).invoke == "x_invoke_tool_3"


def test_each_tool_is_listed_at_its_own_level() -> None:
    """Whole description, first sentence, arguments, name; names stand side by side."""
    props = {"properties": {"page": {}, "owner": {}, "repo": {}}, "required": ["repo", "owner"]}
    tools = [
        tool("a", "max"),
        tool("b", "low", "Reads.\n\nThen ends."),
        tool("c", "medium", **props),
        tool("d", "high", properties={"x": {}}),
        tool("e", "max"),
        tool("f", "low", " "),
    ]

    assert listing(tools) == ("b(): Reads.\n\nThen ends.\nc(owner, repo, [page]): Reads.\nd([x])\nf()\na, e")


def test_the_list_has_a_tool_of_its_own_where_a_client_could_cut_it() -> None:
    """Or where it leaves something out from the start."""
    names = names_for("x", ())

    assert len(wrappers(names, [tool("a", "low")])) == 2
    assert len(wrappers(names, [tool("a", "low"), tool("b", "high")])) == 3
    assert len(wrappers(names, [tool("a", "low", "word " * CUT_AT)])) == 3


def test_nothing_found_says_what_to_do() -> None:
    """A search that is too narrow is put right in one turn."""
    assert found([tool("a", "max")], "nobody") == "No tool has all these words: list them without a search."
