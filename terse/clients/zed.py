"""Zed: `context_servers` in `settings.json`, the user's and a project's.

Source: zed.dev/docs/ai/mcp (command, args, env, url, headers, enabled), …/configuring-zed (paths).
`source: custom` is of older versions, and is left as it is.
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.entry import Shape
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    base = machine.settings() / "Zed" if machine.platform == "win32" else machine.xdg() / "zed"
    if machine.platform == "darwin":
        # Zed keeps to ~/.config there, too.
        base = machine.home / ".config" / "zed"
    return (
        Place(base / "settings.json", under("user", "context_servers")),
        Place(machine.folder / ".zed" / "settings.json", under("project", "context_servers"), is_shared=True),
    )


CLIENT = Client(
    name="zed",
    title="Zed",
    parse=Jsonc,
    places=_places,
    notes="Zed takes the change up by itself; its settings show whether the server runs",
    shape=Shape(beside=frozenset(("enabled", "source", "timeout"))),
)
