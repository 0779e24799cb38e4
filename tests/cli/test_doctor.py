"""`terse doctor` on real servers: the same directly and through terse, and what is said where it is not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Terse

SERVER = """
import sys

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("tables")


@server.tool(structured_output=False, annotations=ToolAnnotations(readOnlyHint=True))
def list_tables() -> str:
    return "orders, customers"


@server.tool(structured_output=False)
def drop_tables() -> str:
    open("dropped", "w").close()
    return "gone"


@server.prompt()
def hello() -> str:
    return "Say hello."


@server.resource("a://b")
def b() -> str:
    return "b"


server.run("stdio")
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Cursor is configured with a server of the SDK, and one that cannot be started."""
    folder = tmp_path / "home"
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "TERSE_LEDGER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    (folder / ".cursor").mkdir(parents=True)
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    talks = "import sys; print('no such database', file=sys.stderr); sys.exit(3)"
    servers = {
        "tables": {"command": sys.executable, "args": ["server.py"], "env": {"WHERE": "${workspaceFolder}"}},
        "dies": {"command": sys.executable, "args": ["-c", talks]},
        "missing": {"command": "there-is-no-such-program"},
        "asks": {"command": "true", "env": {"KEY": "${env:THERE_IS_NO_SUCH_VARIABLE}"}},
    }
    text = json.dumps({"mcpServers": servers}, indent=2)
    (folder / ".cursor" / "mcp.json").write_text(text, encoding="utf-8")
    return folder


def checks(done_stdout: bytes) -> dict[str, dict[str, list[str]]]:
    return {each["what"]: each for each in json.loads(done_stdout)["checks"]}


@pytest.mark.parametrize("is_installed", [False, True], ids=["before", "after"])
def test_a_real_server_is_the_same(
    terse_here: Terse, home: Path, tmp_path: Path, *, is_installed: bool
) -> None:
    """Before terse is put in front and after: all lists the same bytes, and only a reader is called."""
    if is_installed:
        assert terse_here("install", "tables", "--client", "cursor").returncode == 0
    done = terse_here("doctor", "tables", "--json")

    assert done.returncode == 0, done.stdout
    found = checks(done.stdout)["Cursor: tables (user)"]
    lists = "initialize, tools/list, prompts/list, resources/list"
    assert f"the same, byte for byte: {lists}" in found["facts"]
    assert any(fact.startswith("list_tables, called without arguments: ") for fact in found["facts"])
    assert any(fact.startswith("it starts in ") for fact in found["facts"])
    assert not (tmp_path / "dropped").exists()


def test_rules_may_change_the_list_of_tools(terse_here: Terse, home: Path, tmp_path: Path) -> None:
    """What rules are there for is no finding; rules that are gone are."""
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\ntools */* {\n  compress max\n}\nrule a {\n  on */*\n  use compact\n}\n")
    assert terse_here("install", "tables", "--client", "cursor", "--rules", str(rules)).returncode == 0
    done = terse_here("doctor", "--json")
    assert done.returncode == 0, done.stdout
    facts = checks(done.stdout)["Cursor: tables (user)"]["facts"]
    assert f"{rules} compiles" in facts

    rules.unlink()
    done = terse_here("doctor", "--json")
    assert done.returncode == 1
    findings = checks(done.stdout)["Cursor: tables (user)"]["findings"]
    assert findings == [f"there is no {rules}: the server does not start without its rules"]


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (
            "dies",
            "it does not answer: it ended before it answered initialize: no such database",
        ),
        ("missing", "without terse, too, it does not answer: there-is-no-such-program cannot be started"),
        ("asks", "the environment has no THERE_IS_NO_SUCH_VARIABLE"),
    ],
)
def test_a_server_that_does_not_start(terse_here: Terse, home: Path, server: str, said: str) -> None:
    """That it is not terse's fault is said, with the server's own last words."""
    done = terse_here("doctor", server)

    assert done.returncode == 1
    assert said in done.stdout.decode()
    assert b"Traceback" not in done.stderr


def test_a_terse_that_is_gone(terse_here: Terse, home: Path) -> None:
    """A virtual environment that was deleted is the usual reason why servers are gone."""
    words = ("install", "tables", "--client", "cursor", "--terse", "/nowhere/bin/terse")
    assert terse_here(*words).returncode == 0
    done = terse_here("doctor")

    assert done.returncode == 1
    assert (
        b"there is no /nowhere/bin/terse: `terse uninstall` this server and `terse install` it" in done.stdout
    )


def test_a_server_that_says_nothing(terse_here: Terse, home: Path) -> None:
    """It is given up on, and ended with all that it started."""
    path = home / ".cursor" / "mcp.json"
    entry = {"command": sys.executable, "args": ["-c", "import time; time.sleep(600)"]}
    path.write_text(json.dumps({"mcpServers": {"mute": entry}}), encoding="utf-8")
    done = terse_here("doctor", "mute", "--timeout", "1")

    assert done.returncode == 1
    assert b"no answer to initialize in 1 s" in done.stdout


def test_a_file_that_its_client_cannot_read(terse_here: Terse, home: Path) -> None:
    """Claude Desktop says nothing of a comma too many: its servers are just not there."""
    path = home / ".claude.json"
    path.write_text('{"mcpServers": {},}', encoding="utf-8")
    done = terse_here("doctor")

    assert done.returncode == 1
    assert b"a comma too many, which Claude Code does not read" in done.stdout


def test_a_ledger_that_cannot_be_written(terse_here: Terse, home: Path, tmp_path: Path) -> None:
    """It would be missed weeks later."""
    (tmp_path / "file").write_bytes(b"")
    done = terse_here("doctor", TERSE_LEDGER=str(tmp_path / "file" / "ledger.sqlite"))

    assert done.returncode == 1
    assert b"cannot be written" in done.stdout
