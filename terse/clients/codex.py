"""Codex: `[mcp_servers.NAME]` in `~/.codex/config.toml`, and in `.codex/config.toml` of a project.

Source: developers.openai.com/codex/mcp (command, args, env, env_vars, cwd; url, bearer_token_env_var,
http_headers, env_http_headers; enabled, startup_timeout_sec, tool_timeout_sec, enabled_tools and more).
Its processes get a few variables of the environment and those that `env_vars` names.
"""

from __future__ import annotations

from terse.clients.client import Client, Machine, Place, under
from terse.clients.entry import Shape
from terse.clients.toml_document import Toml


def _places(machine: Machine) -> tuple[Place, ...]:
    named = machine.environment.get("CODEX_HOME")
    base = machine.home / named if named else machine.home / ".codex"
    return (
        Place(base / "config.toml", under("user", "mcp_servers")),
        Place(machine.folder / ".codex" / "config.toml", under("project", "mcp_servers"), is_shared=True),
    )


CLIENT = Client(
    name="codex",
    title="Codex",
    parse=Toml,
    places=_places,
    notes="start a new Codex session",
    shape=Shape(
        headers="http_headers",
        token_variable="bearer_token_env_var",
        passes_variables="env_vars",
        beside=frozenset(
            (
                *("enabled", "required", "startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec"),
                *("enabled_tools", "disabled_tools", "default_tools_approval_mode"),
            )
        ),
    ),
)
