"""A name for the server when none was given: for reports only, since rules that name servers demand one."""

from __future__ import annotations

import re

_LAUNCHERS = frozenset(
    {
        *("npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "node", "uvx", "uv", "pipx"),
        *("python", "py", "docker", "podman", "env", "sh", "bash", "cmd"),
    }
)
_SUBCOMMANDS = frozenset(("run", "exec", "dlx", "tool", "x"))
_VERSION = re.compile(r"[\d.]+$")
_AFFIXES = re.compile(r"^(?:mcp[-_]server[-_]|server[-_]|mcp[-_])|(?:[-_]mcp[-_]server|[-_]mcp|[-_]server)$")


def derived_name(command: list[str]) -> str:
    """A server's name from its command: `github` from `npx -y @modelcontextprotocol/server-github`.

    It is the first word that is neither a launcher (npx, uvx, python, docker …), nor one of its subcommands,
    nor an option, without folder, scope, version, file extension, and `mcp` and `server` at either end.
    """
    words = [word for word in command[1:] if not word.startswith("-")]
    if _VERSION.sub("", _base(command[0])) not in _LAUNCHERS:
        words.insert(0, command[0])
    word = next((word for word in words if word not in _SUBCOMMANDS and _base(word)), command[0])
    name = _AFFIXES.sub("", _base(word))
    return re.sub(r"[^A-Za-z0-9._-]", "-", name) or "server"


def derived_name_of_url(url: str) -> str:
    """A server's name from its URL: `linear` from `https://mcp.linear.app/mcp`.

    It is the last part of the host before its ending that says more than `mcp`, `api` or `www`.
    """
    host = re.sub(r"^\w+://(?:[^/?#]*@)?([^/?#:]*).*$", r"\1", url, flags=re.DOTALL)
    if re.fullmatch(r"[\d.]*|\[.*", host):
        return "server"
    parts = host.split(".")
    telling = [part for part in parts[: max(1, len(parts) - 1)] if part and part not in ("mcp", "api", "www")]
    return re.sub(r"[^A-Za-z0-9._-]", "-", telling[-1]) if telling else "server"


def _base(word: str) -> str:
    base = re.split(r"[/\\]", word.rstrip("/\\"))[-1]
    base = re.sub(r"(?<=.)(?:@|==).*$", "", base)
    base = re.sub(r":[\w.]+$", "", base)
    return re.sub(r"\.(?:py|m?js|cjs|ts|sh|exe|cmd|bat|jar)$", "", base)
