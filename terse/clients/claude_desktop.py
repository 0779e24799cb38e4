"""Claude Desktop: `claude_desktop_config.json`. It starts processes; its remote servers are elsewhere.

Source: modelcontextprotocol.io/docs/develop/connect-local-servers; paths also at playwright.dev/mcp/clients.
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    path = machine.settings() / "Claude" / "claude_desktop_config.json"
    return (Place(path, under("user", "mcpServers")),)


CLIENT = Client(
    name="claude-desktop",
    title="Claude Desktop",
    parse=Jsonc,
    places=_places,
    notes="quit Claude Desktop and start it again; closing its window is not enough",
    takes_comments=False,
)
