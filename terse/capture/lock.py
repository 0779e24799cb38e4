"""tools.lock: what the servers of a policy offer, so that patterns and arguments can be checked against it.

`{"version": 1, "servers": {"github": {"tools": [ … ]}}}`: each tool as the server's tools/list has it.
Servers and tools are sorted by name, so that the file changes only where a server does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "tools.lock"
VERSION = 1

Servers = dict[str, list[dict[str, Any]]]


class NotALock(ValueError):  # noqa: N818 — says what the file is
    """The file is no tools.lock. The message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a new list of tools changes for a server, by tool name."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def read(text: str) -> Servers:
    """The tools by server.

    Raises:
        NotALock: the text is no tools.lock.
    """
    try:
        lock = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotALock(f"it is not JSON: {error}") from None
    if not isinstance(lock, dict) or lock.get("version") != VERSION:
        raise NotALock(f'it has no `"version": {VERSION}`')
    servers = lock.get("servers")
    if not isinstance(servers, dict) or not all(map(_is_listing, servers.values())):
        raise NotALock("it has no `servers` with their `tools`")
    return {name: listing["tools"] for name, listing in servers.items()}


def _is_listing(value: object) -> bool:
    tools = value.get("tools") if isinstance(value, dict) else None
    return isinstance(tools, list) and all(
        isinstance(tool, dict) and isinstance(tool.get("name"), str) for tool in tools
    )


def write(servers: Servers) -> str:
    """The text of the file."""
    listings = {
        name: {"tools": sorted(tools, key=lambda tool: str(tool["name"]))}
        for name, tools in sorted(servers.items())
    }
    return json.dumps({"version": VERSION, "servers": listings}, indent=2, ensure_ascii=False) + "\n"


def merge(path: Path, server: str, tools: list[dict[str, Any]]) -> tuple[str, Change]:
    """The text of the file with the tools of one server replaced, and what that changes.

    Raises:
        NotALock: there is such a file, and it is no tools.lock.
        OSError: it cannot be read.
    """
    servers: Servers = read(path.read_text(encoding="utf-8")) if path.exists() else {}
    change = _change(servers.get(server, []), tools)
    servers[server] = tools
    return write(servers), change


def _change(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Change:
    before = {tool["name"]: tool for tool in old}
    after = {tool["name"]: tool for tool in new}
    return Change(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(name for name in after.keys() & before.keys() if after[name] != before[name])),
    )
