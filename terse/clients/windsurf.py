"""Windsurf: `~/.codeium/windsurf/mcp_config.json`. Addresses stand at `serverUrl` or `url`.

Source: docs.windsurf.com/windsurf/cascade/mcp (serverUrl, headers, env, `${env:NAME}`, disabledTools).
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.entry import Shape
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    path = machine.home / ".codeium" / "windsurf" / "mcp_config.json"
    return (Place(path, under("user", "mcpServers")),)


CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    parse=Jsonc,
    places=_places,
    notes="press refresh in Windsurf's list of MCP servers",
    shape=Shape(
        urls={"serverUrl": None, "url": None},
        beside=frozenset(("disabled", "disabledTools", "alwaysAllow")),
    ),
)
