"""opencode: `mcp` in `opencode.json` or `opencode.jsonc`, the user's and a project's.

Source: opencode.ai/docs/mcp-servers (`mcp.NAME`, type local or remote, command, environment, enabled),
opencode.ai/v2/docs/mcp-servers (`mcp.servers.NAME`, disabled). `{env:NAME}` is replaced in the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from terse.clients.client import Client, Machine, Place, Section, under
from terse.clients.entry import Shape
from terse.clients.jsonc import Jsonc


def _places(machine: Machine) -> tuple[Place, ...]:
    def both(folder: Path, scope: str, *, is_shared: bool) -> Iterator[Place]:
        def sections(value: Any) -> Iterator[Section]:
            servers = value.get("mcp", {}) if isinstance(value, dict) else {}
            inner = servers.get("servers") if isinstance(servers, dict) else None
            # A server may have this name, and then has a type.
            is_second = isinstance(inner, dict) and "type" not in inner
            yield from under(scope, "mcp", "servers")(value) if is_second else under(scope, "mcp")(value)

        for name in ("opencode.json", "opencode.jsonc"):
            yield Place(folder / name, sections, is_shared=is_shared)

    return (
        *both(machine.xdg() / "opencode", "user", is_shared=False),
        *both(machine.folder, "project", is_shared=True),
        *both(machine.folder / ".opencode", "project", is_shared=True),
    )


CLIENT = Client(
    name="opencode",
    title="opencode",
    parse=Jsonc,
    places=_places,
    notes="restart opencode",
    shape=Shape(
        args=None,
        env="environment",
        local="local",
        remote={"remote": None},
        beside=frozenset(("enabled", "disabled", "timeout")),
    ),
)
