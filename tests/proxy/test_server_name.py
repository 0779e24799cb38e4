"""The name of a server that was given none."""

from __future__ import annotations

import pytest

from terse.proxy.server_name import derived_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @modelcontextprotocol/server-github@1.2.0", "github"),
        ("uvx mcp-server-git --repository .", "git"),
        ("uv run mcp-server-time", "time"),
        ("python -m mcp_server_time", "time"),
        ("/usr/bin/python3.12 weather.py", "weather"),
        ("/opt/bin/github-mcp-server stdio", "github"),
        ("docker run -i --rm ghcr.io/github/github-mcp-server:latest", "github"),
        ("node /srv/notes.mjs", "notes"),
        ("my-server", "my"),
        ("npx", "npx"),
        ("mcp", "mcp"),
        ("/", "server"),
    ],
)
def test_the_name_is_what_people_call_the_server(command: str, name: str) -> None:
    """Launchers, scopes, versions, extensions and the words `mcp` and `server` are not part of it."""
    assert derived_name(command.split()) == name
