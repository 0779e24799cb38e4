"""VS Code: `mcp.json` in the user profile, and `.vscode/mcp.json` in a workspace. Servers stand at `servers`.

Source: code.visualstudio.com/docs/agents/reference/mcp-configuration (command, args, env, envFile, cwd;
 http and sse: url, headers; `${input:…}` and `${env:…}` in all of them).
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    return (
        Place(machine.settings() / "Code" / "User" / "mcp.json", under("user", "servers")),
        Place(machine.folder / ".vscode" / "mcp.json", under("project", "servers"), is_shared=True),
    )


CLIENT = Client(
    name="vscode",
    title="VS Code",
    parse=Jsonc,
    places=_places,
    notes="run `MCP: List Servers` in VS Code and restart the server",
)
