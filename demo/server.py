"""A small MCP server over real data: the files of a folder, its git log, and the packages installed here.

    python demo/server.py [FOLDER]

Built on the official SDK. It knows nothing of terse.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
LEFT_OUT = frozenset(
    {".git", ".venv", ".node", "node_modules", "__pycache__", "build", "dist"}
    | {".cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
MAX_MATCHES = 200
MAX_TEXT_BYTES = 1_000_000

server = MCPServer("files-and-packages", log_level="WARNING")


@server.tool(structured_output=False)
def list_files(folder: str = ".") -> dict[str, Any]:
    """Every file below a folder, with its size and the time it was changed."""
    return {
        "folder": folder,
        "files": [
            {
                "path": path.relative_to(ROOT).as_posix(),
                "type": path.suffix.removeprefix(".") or None,
                "size_bytes": path.stat().st_size,
                "modified": datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat(),
            }
            for path in _files(_inside(folder))
        ],
    }


@server.tool(structured_output=False)
def read_file(path: str) -> str:
    """The text of one file."""
    return _inside(path).read_text(encoding="utf-8")


@server.tool(structured_output=False)
def search_files(pattern: str, folder: str = ".") -> dict[str, Any]:
    """Lines that match a regular expression, with the file and the line number."""
    regex = re.compile(pattern)
    matches: list[dict[str, Any]] = []
    for path in _files(_inside(folder)):
        if path.stat().st_size > MAX_TEXT_BYTES:
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        matches += (
            {"path": path.relative_to(ROOT).as_posix(), "line": number, "text": line}
            for number, line in enumerate(lines, 1)
            if regex.search(line)
        )
    return {"pattern": pattern, "total": len(matches), "matches": matches[:MAX_MATCHES]}


@server.tool(structured_output=False)
def git_log(count: int = 30) -> dict[str, Any]:
    """The latest commits, newest first."""
    git = shutil.which("git")
    if git is None:
        raise ToolError("git is not installed here")
    keys = ("commit", "author", "email", "date", "subject")
    # Root may read a clone that belongs to somebody else; git asks to be told so.
    command = [git, "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "log", f"-{count}"]
    done = subprocess.run(
        [*command, "--format=%H%x1f%an%x1f%ae%x1f%aI%x1f%s"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ToolError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "git log failed")
    return {
        "commits": [dict(zip(keys, line.split("\x1f"), strict=True)) for line in done.stdout.splitlines()]
    }


@server.tool(structured_output=False)
def list_packages() -> dict[str, Any]:
    """The Python packages installed here, with what their metadata says."""
    packages = [
        {
            "name": found.metadata["Name"],
            "version": found.version,
            "summary": found.metadata["Summary"],
            "license": found.metadata["License-Expression"],
            "requires_python": found.metadata["Requires-Python"],
            "requires": found.requires or [],
        }
        for found in distributions()
    ]
    return {"packages": sorted(packages, key=lambda package: str(package["name"]).lower())}


def _inside(name: str) -> Path:
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT):
        raise ToolError(f"{name} is outside the folder that is served")
    return path


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT or path.name.endswith(".egg-info") or path.is_symlink():
            continue
        if path.is_dir():
            found += _files(path)
        elif path.is_file():
            found.append(path)
    return found


if __name__ == "__main__":
    server.run("stdio")
