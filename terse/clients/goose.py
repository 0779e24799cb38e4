"""Goose: `extensions` in `~/.config/goose/config.yaml`. Its built-in extensions are no processes, and stay.

Source: block.github.io/goose/docs/guides/config-files, …/getting-started/using-extensions (cmd, args, envs,
 env_keys, timeout; streamable_http and sse with uri and headers).
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.entry import Shape
from terse.clients.yaml_document import Yaml


def _places(machine: Machine) -> tuple[Place, ...]:
    if machine.platform == "win32":
        base = machine.settings() / "Block" / "goose" / "config"
    else:
        base = machine.xdg() / "goose"
    return (Place(base / "config.yaml", under("user", "extensions")),)


CLIENT = Client(
    name="goose",
    title="Goose",
    parse=Yaml,
    places=_places,
    notes="start a new Goose session",
    shape=Shape(
        command="cmd",
        env="envs",
        urls={"uri": None},
        # Goose fills its secrets into headers, and not into arguments.
        headers=None,
        remote={"streamable_http": "http", "sse": "sse"},
        beside=frozenset(
            ("name", "enabled", "timeout", "description", "bundled", "display_name", "available_tools")
        ),
    ),
)
