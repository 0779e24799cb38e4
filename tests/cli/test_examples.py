"""The example of every command, run as a newcomer would type it, in a folder such as one has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from terse.cli.command import Command
from terse.cli.main import COMMANDS
from terse.ledger.writer import Ledger
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.payload import Payload
from terse.plan.run import run
from terse.tokens import vocabulary
from tests.ledger.notes import record

ROOT = Path(__file__).parent.parent.parent
ISSUES = Path("samples", "github", "list_issues", "open.json")
SERVER = """
from mcp.server import MCPServer

server = MCPServer("tables")


@server.tool(structured_output=False)
def list_tables(schema: str) -> str:
    return f"{schema}: orders, customers"


server.run("stdio")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Policies, samples, results, a recorded session, an emitted text, a server, and an npx of our own."""
    from terse.cli.policy import default_plan

    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    shutil.copytree(ROOT / "policies", tmp_path / "old-policies")
    shutil.copytree(ROOT / "policies" / "samples", tmp_path / "samples")
    shutil.copytree(ROOT / "docs" / "examples" / "samples", tmp_path / "results")
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    issues = Payload.of((tmp_path / ISSUES).read_text(encoding="utf-8"))
    outcome = run(default_plan(), issues, Call("github", "list_issues"), Session(), vocabulary())
    (tmp_path / "emitted.txt").write_text(outcome.text, encoding="utf-8")
    call = {"server": "github", "tool": "list_issues", "arguments": {}}
    result = {"content": [{"type": "text", "text": issues.text}]}
    (tmp_path / "monday.jsonl").write_text(json.dumps({**call, "result": result}) + "\n", encoding="utf-8")
    cursor = tmp_path / "home" / ".cursor" / "mcp.json"
    cursor.parent.mkdir(parents=True)
    memory = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}
    cursor.write_text(json.dumps({"mcpServers": {"memory": memory}}), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    npx = tmp_path / "bin" / "npx"
    npx.write_text(f"#!/bin/sh\nexec {sys.executable} server.py\n", encoding="utf-8")
    npx.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_a_command_runs(command: Command, folder: Path) -> None:
    """Each example does what it says: exit code 0, and nothing that looks like a fault."""
    path = os.pathsep.join((str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
    ledger = folder / "ledger.sqlite"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "TERSE_LEDGER": str(ledger)}
    if command.name == "cli":
        # It keeps the server's name, and leaves the server running.
        environment |= {"XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder), "XDG_RUNTIME_DIR": ""}
    if command.name in ("capture", "measure"):
        environment |= {"XDG_STATE_HOME": str(folder), "TERSE_CAPTURES": ""}
    if command.name in ("install", "status", "doctor", "uninstall"):
        environment |= {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""}
    if command.name == "stats":
        noting = Ledger(ledger, print)
        noting.observe(record())
        noting.close(30.0)
    if command.name == "diff":
        if shutil.which("git") is None:
            pytest.skip("git is not installed here, and the example compares with a branch")
        _commit(folder)
    example = command.example.replace("terse ", f"{sys.executable} -m terse ", 1)
    if command.name == "serve":
        _serve_for_a_moment(example, folder, environment)
        return
    done = subprocess.run(
        ["sh", "-c", example],
        cwd=folder,
        env=environment,
        input=b"",
        capture_output=True,
        timeout=120,
        check=False,
    )

    if command.name == "cli":
        subprocess.run([sys.executable, "-m", "terse", "cli", "--stop"], env=environment, check=True)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr


def _serve_for_a_moment(example: str, folder: Path, environment: dict[str, str]) -> None:
    """It says where it listens, and a signal ends it. Another test may use the example's own port."""
    with subprocess.Popen(
        ["sh", "-c", f"exec {example.replace(':8000', ':0')}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"terse: listening on http://127.0.0.1:")
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def _commit(folder: Path) -> None:
    """Make the folder a repository whose branch main has all of it."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for arguments in (
        ["init", "--quiet", "-b", "main"],
        ["add", "."],
        [*who, "commit", "--quiet", "-m", "a"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
