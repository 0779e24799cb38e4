"""`terse hook`: a PostToolUse hook of Claude Code. A call comes on stdin, the smaller result goes out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from terse.tiers.expand import expand

ROWS = json.dumps([{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)])
BLOCKS = [{"type": "text", "text": ROWS}]


def _call(response: object, tool: str = "mcp__github__list_issues", **arguments: object) -> bytes:
    asked = {
        "session_id": "s",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        "tool_response": response,
    }
    return json.dumps(asked).encode()


def _hook(raw: bytes, *options: str) -> tuple[bytes, str]:
    done = subprocess.run(
        [sys.executable, "-m", "terse", "hook", *options], input=raw, capture_output=True, check=False
    )
    assert done.returncode == 0
    return done.stdout, done.stderr.decode()


@pytest.mark.parametrize("shape", ["text", "blocks", "result"])
def test_a_result_is_replaced_in_its_shape(shape: str) -> None:
    """What Claude Code gives comes back in the same shape, smaller, with nothing lost."""
    response = {"text": ROWS, "blocks": BLOCKS, "result": {"content": BLOCKS, "_meta": {"n": 1.50}}}[shape]
    out, errors = _hook(_call(response))
    told = json.loads(out)["hookSpecificOutput"]
    updated = told["updatedMCPToolOutput"]
    text = {
        "text": lambda: updated,
        "blocks": lambda: updated[0]["text"],
        "result": lambda: updated["content"][0]["text"],
    }[shape]()

    assert told.keys() == {"hookEventName", "updatedMCPToolOutput"}
    assert told["hookEventName"] == "PostToolUse"
    assert len(text) < len(ROWS) / 2
    assert json.loads(expand(text)) == json.loads(ROWS)
    assert errors == ""


def test_numbers_beside_the_texts_keep_their_spelling() -> None:
    """What is printed again is printed as it came, also a number that no float can hold."""
    raw = _call({"content": BLOCKS, "_meta": {"n": 7}}).replace(b'"n": 7', b'"n": 1e400')

    assert b'"n":1e400' in _hook(raw)[0]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"tool_name": "mcp__a__b"}',
        _call(BLOCKS, "Bash"),
        _call(BLOCKS, "mcp__github"),
        _call([{"type": "text", "text": "short"}]),
        _call({"its": "own"}),
        _call(None),
        _call([1, 2, 3]),
        _call(7),
        _call(BLOCKS).replace(b'"mcp__github__list_issues"', b"17"),
    ],
)
def test_anything_else_passes(raw: bytes) -> None:
    """Other tools, other results and what is no call: nothing is printed, and the exit code is 0."""
    out, errors = _hook(raw)

    assert out == b""
    assert "Traceback" not in errors


def test_rules_are_for_the_server_and_the_tool(tmp_path: Path) -> None:
    """`mcp__github__list_issues` is github/list_issues, and its arguments are those that rules ask about."""
    rules = tmp_path / "rules.terse"
    rules.write_text(
        "terse 1\n\nrule issues {\n  on github/list_issues\n  use compact\n  remove title\n"
        '  because "the test says so"\n}\n',
        encoding="utf-8",
    )
    out, _ = _hook(_call(BLOCKS), "--rules", str(rules))

    assert "Issue 1" not in json.loads(out)["hookSpecificOutput"]["updatedMCPToolOutput"][0]["text"]
    assert _hook(_call(BLOCKS, "mcp__gitlab__list_issues"), "--rules", str(rules)) == (b"", "")


def test_rules_that_do_not_compile_are_named_and_the_result_passes(tmp_path: Path) -> None:
    """A line on stderr says what is wrong with the rules."""
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\nrule {\n", encoding="utf-8")
    out, errors = _hook(_call(BLOCKS), "--rules", str(rules))

    assert out == b""
    assert "rules.terse:2" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("response", "needed"), [("short", set()), (ROWS, {"tiktoken"})], ids=["small", "large"]
)
def test_a_call_costs_no_more_than_it_needs(response: str, needed: set[str]) -> None:
    """Each call is a process: no option parser, no compiler, and no vocabulary for a small result."""
    command = [sys.executable, "-X", "importtime", "-m", "terse", "hook"]
    done = subprocess.run(command, input=_call(response), capture_output=True, check=True)
    imported = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.decode().splitlines()
    }

    assert imported & {"typer", "lark", "mcp", "pydantic", "asyncio", "tiktoken"} == needed
