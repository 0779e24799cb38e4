"""A home and a project with a sample configuration of each client, made by us as its page documents it."""

from __future__ import annotations

from pathlib import Path

from terse.clients.client import Machine

SAMPLES = Path(__file__).parent / "samples"

WHERE = {
    "claude-code": ("claude_code.json", "home/.claude.json"),
    "claude-desktop": ("claude_desktop.json", "home/.config/Claude/claude_desktop_config.json"),
    "cursor": ("cursor.json", "home/.cursor/mcp.json"),
    "vscode": ("vscode.json", "home/.config/Code/User/mcp.json"),
    "windsurf": ("windsurf.json", "home/.codeium/windsurf/mcp_config.json"),
    "zed": ("zed.json", "home/.config/zed/settings.json"),
    "codex": ("codex.toml", "home/.codex/config.toml"),
    "gemini": ("gemini.json", "home/.gemini/settings.json"),
    "opencode": ("opencode.jsonc", "home/.config/opencode/opencode.jsonc"),
    "goose": ("goose.yaml", "home/.config/goose/config.yaml"),
}


def machine(folder: Path) -> Machine:
    """A machine whose home and project are below this folder."""
    (folder / "home").mkdir(exist_ok=True)
    (folder / "project").mkdir(exist_ok=True)
    return Machine(folder / "home", folder / "project", {}, "linux")


def put(folder: Path, client: str) -> Path:
    """The sample of a client, where it looks for it."""
    sample, where = WHERE[client]
    data = (SAMPLES / sample).read_bytes().replace(b"@FOLDER@", str(folder / "project").encode())
    path = folder / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
