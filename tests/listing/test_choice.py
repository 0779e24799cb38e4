"""What the blocks of a plan say of one tool."""

from __future__ import annotations

import pytest

from terse.listing.choice import Treatment, treatment, upstream_name
from terse.plan.model import ToolsBlock
from tests.language.example import check_text

BLOCKS = """terse 1
tools */* {
  compress medium
  because "everything"
}
tools github/* {
  compress high
  compress low for create_*, get_file
  present wrapped
  show list_*, create_*, get_*
  hide *_secret
  rename list_issues to issues
  because "short"
}
tools github/create_* {
  show create_issue
  present in place
}
"""


def blocks(text: str = BLOCKS) -> tuple[ToolsBlock, ...]:
    plan = check_text(text).plan
    assert plan is not None
    return plan.tools


@pytest.mark.parametrize(
    ("tool", "level", "presentation", "name", "hidden_by"),
    [
        ("jira/search", "medium", "in place", "search", None),
        ("github/list_users", "high", "wrapped", "list_users", None),
        ("github/list_issues", "high", "wrapped", "issues", None),
        ("github/get_file", "low", "wrapped", "get_file", None),
        ("github/create_issue", "low", "in place", "create_issue", None),
        ("github/create_fork", "low", "in place", "create_fork", "main.terse:16"),
        ("github/get_secret", "high", "wrapped", "get_secret", "main.terse:11"),
        ("github/search", "high", "wrapped", "search", "main.terse:10"),
    ],
)
def test_the_narrowest_line_holds(
    tool: str, level: str, presentation: str, name: str, hidden_by: str | None
) -> None:
    """Level, presentation and `show` each by their own narrowest pattern; a `hide` always."""
    found = treatment(blocks(), *tool.split("/"))

    assert found is not None
    assert found[:4] == (level, presentation, name, hidden_by)


def test_a_tool_that_no_block_speaks_of_is_left_alone() -> None:
    """Everything that is not named passes as it came."""
    assert treatment(blocks("terse 1\ntools github/* {\n  compress high\n}\n"), "jira", "search") is None


def test_a_block_without_a_level_is_low() -> None:
    """What says nothing is left out of every tool that a block speaks of."""
    found = treatment(blocks("terse 1\ntools x/* {\n  hide a\n}\n"), "x", "b")

    assert found == Treatment("low", "in place", "b", None)


def test_a_new_name_is_mapped_back() -> None:
    """By server; the old name is nobody's new one."""
    assert upstream_name(blocks(), "github", "issues") == "list_issues"
    assert upstream_name(blocks(), "github", "list_issues") is None
    assert upstream_name(blocks(), "jira", "issues") is None
