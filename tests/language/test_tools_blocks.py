"""`tools` blocks: what they may say, and what they compile to."""

from __future__ import annotations

import pytest

from terse.plan.model import Compress, Hide, Pattern, Present, Rename, Show
from terse.plan.stored import decode, encode
from tests.language.example import check_text, codes_of

LOCK = (
    '\n=== tools.lock ===\n{"version": 1, "servers": {"x": {"tools": [\n'
    '{"name": "list_issues"}, {"name": "list_users"}, {"name": "open"}]}}}\n'
)


def tools(on: str, *lines: str) -> str:
    return f"tools {on} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def found(*blocks: str, lock: str = "") -> list[str]:
    return [code for code in codes_of("terse 1\n" + "".join(blocks) + lock) if code != "T208"]


@pytest.mark.parametrize(
    ("blocks", "codes"),
    [
        ([tools("x/*", "compress high", "compress low for open")], []),
        ([tools("x/*", "compress high"), tools("*/*", "compress low")], []),
        ([tools("x/*", "compress high"), tools("x/*", "compress low")], ["T504"]),
        ([tools("x/*", "compress high"), tools("x/*", "compress high")], []),
        ([tools("x/*", "compress high"), tools("*/open", "compress low")], ["T504"]),
        (
            [
                tools("x/*", "compress high"),
                tools("*/open", "compress low"),
                tools("x/open", "compress low"),
            ],
            [],
        ),
        ([tools("x/*", "compress low for list_*", "compress max for *_users")], ["T504"]),
        ([tools("x/*", "present wrapped"), tools("*/*", "present in place")], []),
        ([tools("x/*", "present wrapped"), tools("*/open", "present in place")], ["T508"]),
        ([tools("x/*", "present wrapped", "present in place")], ["T508"]),
        ([tools("x/*", "show a", "show b")], []),
        ([tools("x/*", "show a"), tools("x/*", "show b")], ["T509"]),
        ([tools("x/*", "show a"), tools("*/*", "show b")], []),
        ([tools("x/*", "hide a"), tools("*/*", "hide a, b")], []),
        ([tools("x/list_*", "hide *")], ["T506"]),
        ([tools("x/list_*", "hide list_a*")], []),
        ([tools("x/*, y/list_*", "hide open")], []),
        ([tools("x/*, y/list_*", "hide *_a")], ["T506"]),
        ([tools("x/list_*", "compress low for open")], ["T506"]),
        ([tools("x/list_*", "rename open to shut")], ["T506"]),
        ([tools("x/*", "hide o*", "rename open to shut")], ["T507"]),
        ([tools("x/*", "hide o*"), tools("y/*", "rename open to shut")], []),
        ([tools("x/*", "rename a to c"), tools("*/*", "rename b to c")], ["T502"]),
        ([tools("x/*", "rename a to c"), tools("y/*", "rename b to c")], []),
    ],
)
def test_blocks_do_not_contradict_themselves_or_each_other(blocks: list[str], codes: list[str]) -> None:
    """The narrower pattern wins, a tie does not compile, and the order of blocks means nothing."""
    assert found(*blocks) == codes
    assert found(*reversed(blocks)) == codes


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("hide list_*", []),
        ("hide create_*", ["T205"]),
        ("show opne", ["T205"]),
        ("compress low for create_issue", ["T205"]),
        ("rename shut to close", ["T205"]),
        ("rename open to list_users", ["T502"]),
    ],
)
def test_names_are_those_of_the_tools_of_the_lock(line: str, codes: list[str]) -> None:
    """A name that no tool has is a slip, and one that another tool has is taken."""
    assert found(tools("x/*", line), lock=LOCK) == codes


def test_a_name_that_is_nearly_a_tool_s_is_told() -> None:
    """Whoever swapped two letters is told what they meant."""
    (slip,) = [d for d in check_text("terse 1\n" + tools("x/*", "hide opne") + LOCK).diagnostics if d.help]

    assert slip.help == "did you mean `open`?"


def test_a_block_is_in_the_plan_with_the_patterns_of_each_line() -> None:
    """Names in a line are of the servers of the block; the plan's JSON gives the same plan."""
    text = "terse 1\n" + tools(
        "x/*, y/list_*",
        "compress high",
        "compress low for list_a, open",
        "present wrapped",
        "show list_*",
        "hide list_b*",
        "rename open to unlock",
        'because "short"',
    )
    plan = check_text(text).plan
    assert plan is not None
    (block,) = plan.tools

    assert block.on == (Pattern("x", "*"), Pattern("y", "list_*"))
    assert block.compress == (
        Compress(block.on, "high", "main.terse:3"),
        Compress(
            (Pattern("x", "list_a"), Pattern("y", "list_a"), Pattern("x", "open")), "low", "main.terse:4"
        ),
    )
    assert block.present == (Present(block.on, "wrapped", "main.terse:5"),)
    assert block.show == (Show(block.on, (Pattern("x", "list_*"), Pattern("y", "list_*")), "main.terse:6"),)
    assert block.hide == (Hide((Pattern("x", "list_b*"), Pattern("y", "list_b*")), "main.terse:7"),)
    assert block.rename == (Rename((Pattern("x", "open"),), "unlock", "main.terse:8"),)
    assert block.because == ("short",)
    assert decode(encode(plan)) == plan
