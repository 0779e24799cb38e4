"""`terse hook`: Claude Code's PostToolUse hook, which makes results of MCP tools smaller without a proxy."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from terse.cli.command import Command
from terse.cli.console import write_bytes, write_error

MAX_BYTES = 16 * 1024 * 1024
"""A larger call with its result passes: it is not worth the memory of a process for each call."""

PREFIX = "mcp__"


def hook(
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            metavar="PATH",
            help="A rule file or a folder; if not given, the embedded default policy.",
        ),
    ] = None,
) -> None:
    """Answer one call on stdin. INVARIANT: whatever fails, nothing is printed, and the result passes."""
    try:
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        answer = None if len(raw) > MAX_BYTES else _answer(raw, rules)
    except (KeyboardInterrupt, SystemExit):
        raise
    # Not only Exception: a panic in a tokenizer's native code arrives as a BaseException.
    except BaseException as error:
        # Of rules that do not compile, the words; of anything else they may quote the result.
        from terse.cli.policy import DoesNotCompile

        said = str(error) if isinstance(error, DoesNotCompile) else type(error).__name__
        write_error(f"terse: the result was left as it came: {said}\n")
        return
    if answer is not None:
        write_bytes(answer)


def _answer(raw: bytes, rules: str | None) -> bytes | None:
    """What the hook prints for a call; None where the result stays as it is."""
    text = raw.decode("utf-8")
    if PREFIX not in text:
        return None
    asked = json.loads(text)
    server, between, tool = str(asked["tool_name"]).removeprefix(PREFIX).partition("__")
    if not (asked["tool_name"].startswith(PREFIX) and server and between and tool):
        return None
    from terse.api import Call, Policy
    from terse.cli.policy import default_plan, load_plan
    from terse.payload.exact import dump, parse_unambiguous

    # Exactly: what stands beside the texts is printed again.
    exact = parse_unambiguous(text)
    response = exact["tool_response"] if isinstance(exact, dict) else None
    if not (type(response) is str or isinstance(response, dict) or _is_blocks(response)):
        return None
    policy = Policy(default_plan() if rules is None else load_plan(rules))
    applied = policy.apply(response, Call(server, tool, asked.get("tool_input") or {}))
    if applied.fault is not None and not _has_no_texts(response):
        write_error(f"terse: a result of {server}/{tool}: {applied.fault}\n")
    if not applied.changed:
        return None
    told = {"hookEventName": "PostToolUse", "updatedMCPToolOutput": applied.result}
    return dump({"hookSpecificOutput": told}).encode() + b"\n"


def _is_blocks(response: object) -> bool:
    return isinstance(response, list) and all(isinstance(block, dict) for block in response)


def _has_no_texts(response: object) -> bool:
    """A tool's own object, which no text stands for."""
    return isinstance(response, dict) and "content" not in response


COMMAND = Command(
    name="hook",
    sentence="Make results of MCP tools smaller as Claude Code's PostToolUse hook, without a proxy.",
    run=hook,
    example="terse hook --rules policies/",
    example_does="reads a call with its result on stdin, and prints the smaller result for Claude Code",
    notes=(
        'In .claude/settings.json: {"hooks": {"PostToolUse": [{"matcher": "mcp__.*", "hooks": [{"type": '
        '"command", "command": "terse hook"}]}]}}. The tool mcp__github__list_issues is github/list_issues '
        "to rules.",
        "Each call is a process of its own: nothing is remembered or set aside. For that, and for what "
        "starts only once, there is `terse proxy`.",
        "Exit codes: 0, also where something failed: one line on stderr says what, and the result passes.",
    ),
)
