"""Claude Code: `~/.claude.json` (user, and local by project), `.mcp.json` in a project.

Source: code.claude.com/docs/en/mcp (scopes, `type`, `${VAR}` in command, args, env, url and headers).
An unset `${VAR}` reaches the process as it is written, measured with 2.1.278 (dev.to/rulestack, 2026-09) and
2.1.310 (microsoft.github.io/apm, "MCP variable compatibility"): headers of remote servers rely on that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from terse.clients.client import Client, Machine, Place, Section, under
from terse.clients.entry import Shape
from terse.clients.jsonc import Jsonc


def _sections(value: Any) -> Iterator[Section]:
    yield from under("user", "mcpServers")(value)
    projects = value.get("projects") if isinstance(value, dict) else None
    for folder, project in (projects if isinstance(projects, dict) else {}).items():
        if isinstance(project, dict) and isinstance(project.get("mcpServers"), dict):
            yield Section("local", ("projects", folder, "mcpServers"), folder)


def _places(machine: Machine) -> tuple[Place, ...]:
    named = machine.environment.get("CLAUDE_CONFIG_DIR")
    user = machine.home / ".claude.json" if not named else machine.home / named / ".claude.json"
    shared = Place(machine.folder / ".mcp.json", under("project", "mcpServers"), is_shared=True)
    return (Place(user, _sections), shared)


CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    parse=Jsonc,
    places=_places,
    notes="restart Claude Code, or reconnect with /mcp; a changed .mcp.json is asked about once more",
    shape=Shape(beside=frozenset(("disabled", "timeout", "alwaysLoad"))),
    takes_comments=False,
)
