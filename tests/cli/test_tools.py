"""`terse tools`: what an agent is shown of the tools, and what that costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Terse

LONG = "Gives one. " + "It takes the identifier that a search gave before, and nothing else. " * 6
TOOLS = [
    {
        "name": name,
        "title": "A tool",
        "description": LONG,
        "inputSchema": {
            "type": "object",
            "properties": {"id": {"type": "string", "title": "Id", "description": LONG}},
            "required": ["id"],
        },
    }
    for name in ("get_issue", "get_user", "list_issues", "delete_issue")
]
RULES = """terse 1

tools github/* {
  compress high
  compress low for get_user
  hide delete_*
  rename list_issues to issues
  because "short"
}
"""


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "github.terse").write_text(RULES)
    servers = {"github": {"tools": TOOLS}, "jira": {"tools": TOOLS[:1]}}
    (folder / "tools.lock").write_text(json.dumps({"version": 1, "servers": servers}))
    return folder


def test_the_page(terse_here: Terse, policies: Path, golden: Callable[[str, str], None]) -> None:
    """Each server of the lock: what its list costs, and what is shown of each tool, on 80 columns."""
    done = terse_here("tools")

    assert done.returncode == 0
    printed = done.stdout.decode()
    assert max(map(len, printed.splitlines())) <= 80
    golden("tools/page.txt", printed)


def test_the_facts_as_json(terse_here: Terse, policies: Path) -> None:
    """The same facts for programs; a hidden tool has the line that hides it."""
    facts = json.loads(terse_here("tools", "--json", "--server", "github").stdout)

    assert facts["format"] == 1
    (server,) = facts["servers"]
    tools = {tool["name"]: tool for tool in server["tools"]}
    assert tools["delete_issue"]["hidden_by"] == "policies/github.terse:6"
    assert tools["list_issues"]["shown_as"] == "issues"
    assert tools["get_user"]["shown"] < tools["get_user"]["received"]
    sizes = {size["how"]: size for size in server["sizes"]}
    assert sizes["in place, low"]["net"] == sizes["in place, low"]["tokens"]
    assert sizes["wrapped, max"]["net"] > sizes["wrapped, max"]["tokens"]


def test_an_answer_of_a_server_is_a_list(terse_here: Terse, tmp_path: Path) -> None:
    """As the wire has it; without rules the embedded policy, which has no `tools` block."""
    (tmp_path / "tools.json").write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}))
    done = terse_here("tools", "tools.json", "--server", "github", "--fetched", "1")

    assert done.returncode == 0
    assert b"no `tools` block speaks of these tools" in done.stdout
    assert b"+ 1 definition " in done.stdout


def test_the_list_as_a_client_is_shown_it(terse_here: Terse, policies: Path) -> None:
    """With our tool at the end, as the proxy sends it."""
    done = terse_here("tools", "--server", "github", "--emitted")
    shown = json.loads(done.stdout)["tools"]

    assert [tool["name"] for tool in shown] == ["get_issue", "get_user", "issues", "terse_schema"]
    assert shown[0]["inputSchema"]["properties"] == {"id": {"type": "string"}}
    assert terse_here("tools", "--emitted").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        ((), "", "there is no policies/tools.lock"),
        (("x.json",), "[1", "x.json cannot be read: not JSON"),
        (("x.json",), '{"a": 1}', 'x.json is no list of tools: it has no "tools"'),
        (("x.json", "--rules", "no"), '{"tools": []}', "--rules no: no such file or folder"),
        (("x.json", "--vocabulary", "no"), '{"tools": []}', "--vocabulary"),
        (("x.json", "--emitted", "--json"), '{"tools": []}', "--emitted and --json exclude each other"),
        (("x.json", "--server", "b"), '{"version": 1, "servers": {"a": {"tools": []}}}', "it has a"),
    ],
)
def test_what_is_no_list_is_told_in_one_line(
    terse_here: Terse, tmp_path: Path, arguments: tuple[str, ...], text: str, said: str
) -> None:
    """What, where, and what to write instead."""
    (tmp_path / "x.json").write_text(text)
    done = terse_here("tools", *arguments)

    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert said in line


def test_an_empty_list_is_one(terse_here: Terse, tmp_path: Path) -> None:
    """A server without tools costs next to nothing."""
    (tmp_path / "x.json").write_text('{"tools": []}')

    assert terse_here("tools", "x.json").returncode == 0
