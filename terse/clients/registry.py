"""The clients, in the order that they are looked for."""

from __future__ import annotations

from terse.clients import (
    claude_code,
    claude_desktop,
    codex,
    cursor,
    gemini,
    goose,
    opencode,
    vscode,
    windsurf,
    zed,
)
from terse.clients.client import Client

CLIENTS: tuple[Client, ...] = (
    claude_code.CLIENT,
    claude_desktop.CLIENT,
    cursor.CLIENT,
    vscode.CLIENT,
    windsurf.CLIENT,
    zed.CLIENT,
    codex.CLIENT,
    gemini.CLIENT,
    opencode.CLIENT,
    goose.CLIENT,
)
