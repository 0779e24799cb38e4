"""`terse hook`: Claude Code's PostToolUse hook, which makes results of MCP tools smaller without a proxy."""

from __future__ import annotations

from terse.cli import hooking
from terse.cli.command import Command
from terse.cli.rules_option import RulesOption


def hook(
    rules: RulesOption = None,
) -> None:
    """Answer one call on stdin: see `terse.cli.hooking`."""
    hooking.run(rules)


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
