"""Cursor: `~/.cursor/mcp.json`, and `.cursor/mcp.json` in a project.

Source: cursor.com/docs/mcp (stdio: command, args, env, envFile; remote: url, headers; `${env:NAME}`).
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    return (
        Place(machine.home / ".cursor" / "mcp.json", under("user", "mcpServers")),
        Place(machine.folder / ".cursor" / "mcp.json", under("project", "mcpServers"), is_shared=True),
    )


CLIENT = Client(
    name="cursor",
    title="Cursor",
    parse=Jsonc,
    places=_places,
    notes="switch the server off and on in Cursor's settings, or restart Cursor",
)
