"""Gemini CLI: `mcpServers` in `~/.gemini/settings.json`, and in `.gemini/settings.json` of a project.

Source: geminicli.com/docs/tools/mcp-server (command, args, env, cwd; url for SSE, httpUrl for HTTP, headers;
 timeout, trust, includeTools, excludeTools). A text with a variable that is not set stays as it is.
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.entry import Shape
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    return (
        Place(machine.home / ".gemini" / "settings.json", under("user", "mcpServers")),
        Place(machine.folder / ".gemini" / "settings.json", under("project", "mcpServers"), is_shared=True),
    )


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    parse=Jsonc,
    places=_places,
    notes="restart Gemini CLI",
    shape=Shape(
        urls={"httpUrl": "http", "url": "sse"},
        remote={"http": "http", "sse": "sse"},
        beside=frozenset(("timeout", "trust", "description", "includeTools", "excludeTools")),
    ),
)
