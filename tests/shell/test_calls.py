"""Tools of a server on the official SDK as commands: pages, flags, results, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.proxy.web import serving
from tests.servers.remote import RemoteApp
from tests.shell.lines import NOTEBOOK, Shell

Golden = Callable[[str, str], None]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tools", ["notebook"]),
        ("list-notes", ["notebook", "list-notes", "--help"]),
        ("write-note", ["notebook", "write_note", "--help"]),
        ("add", ["notebook", "--help", "add"]),
    ],
)
def test_help_pages(notebook: Shell, golden: Golden, name: str, arguments: list[str]) -> None:
    """What there is, with types, values, defaults and bounds, and what has to be given."""
    golden(f"cli/{name}.txt", notebook.out(*arguments))


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], {"state": "open", "labels": None, "draft": False, "filter": None}),
        (["--state", "closed"], {"state": "closed"}),
        (["--state=closed", "--draft"], {"state": "closed", "draft": True}),
        (["--draft", "--state", "all"], {"draft": True, "state": "all"}),
        (["--no-draft"], {"draft": False}),
        (["--draft=true"], {"draft": True}),
        (["--labels", "a", "--labels", "b, c"], {"labels": ["a", "b, c"]}),
        (["--labels", '["a", "b"]'], {"labels": ["a", "b"]}),
        (["--filter", '{"state": "closed"}'], {"filter": {"state": "closed", "tags": []}}),
        (["--filter.state", "closed", "--filter.tags", "x"], {"filter": {"state": "closed", "tags": ["x"]}}),
        (["--arguments", '{"state": "closed"}', "--draft"], {"state": "closed", "draft": True}),
    ],
)
def test_flags(notebook: Shell, flags: list[str], expected: dict[str, object]) -> None:
    """Switches, lists, objects whole and by members, all as JSON: the server gets what was meant."""
    rows = json.loads(notebook.out("notebook", "list-notes", "--max-results", "1", *flags))

    assert {name: rows[0][name] for name in expected} == expected


@pytest.mark.parametrize("tool", ["list-notes", "list_notes", "listNotes"])
@pytest.mark.parametrize("flag", ["--max-results", "--max_results", "--maxResults"])
def test_every_spelling_of_a_name(notebook: Shell, tool: str, flag: str) -> None:
    """Dashes, underscores, humps: a name is found however it is spelt."""
    assert len(json.loads(notebook.out("notebook", tool, flag, "2"))) == 2


def test_values_from_files_and_stdin(notebook: Shell) -> None:
    """`@FILE` and `-` are the text as it is; `@@` begins one that begins with @."""
    body = "first — línea\n\nlast\n"
    (notebook.folder / "body.md").write_text(body, encoding="utf-8")

    assert json.loads(notebook.out("notebook", "write-note", "--title", "@@me", "--body", "@body.md")) == {
        "title": "@me",
        "body": body,
        "priority": None,
    }
    said = notebook.out("notebook", "write-note", "--title=--x", "--body", "-", stdin=body.encode())
    assert json.loads(said)["body"] == body
    whole = json.dumps({"title": "t", "body": "b", "priority": 0.5})
    assert json.loads(notebook.out("notebook", "write-note", "--arguments", "-", stdin=whole.encode())) == {
        "title": "t",
        "body": "b",
        "priority": 0.5,
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list_note"], "notebook has no tool list_note: did you mean list_notes?"),
        (
            ["zzz"],
            "notebook has no tool zzz: there are list_notes, write_note, add, picture, archive, fail, ",
        ),
        (
            ["list-notes", "--stat", "x"],
            "list_notes: there is no --stat: did you mean --state (open | closed | all)?",
        ),
        (["list-notes", "--state", "opn"], 'list_notes: --state "opn": did you mean open?'),
        (["list-notes", "--state"], "list_notes: --state needs a value, open | closed | all"),
        (["list-notes", "--max-results", "few"], 'list_notes: --max-results "few": write a whole number'),
        (
            ["list-notes", "--max-results", "99"],
            "list_notes: --max-results: 99 is greater than the maximum of 50",
        ),
        (["list-notes", "--draft=maybe"], 'list_notes: --draft "maybe": write true or false'),
        (["list-notes", "--draft", "--draft"], "list_notes: --draft is given twice"),
        (
            ["list-notes", "--filter.state", "no"],
            'list_notes: --filter.state "no": write one of open | closed',
        ),
        (["list-notes", "--filter", '{"tags": 3}'], "list_notes: --filter"),
        (["list-notes", "--arguments", "[1]"], "list_notes: --arguments: write a JSON object"),
        (["list-notes", "--arguments", '{"labels": [1]}'], "list_notes: --labels"),
        (["add", "--first", "1"], "add: missing: --second (integer)"),
        (["add", "1", "2"], 'add: it is not clear what "1" is: write --first VALUE'),
        (["write-note", "--title", "x", "--body", "@no.md"], "no such file: no.md"),
        (
            ["write-note", "--title", "x", "--body", "--loud"],
            "write_note: --body needs a value, string: a value ",
        ),
        (["--jsn", "add"], "there is no option --jsn: did you mean --json?"),
        (["--wait", "soon", "add"], "--wait 'soon' is no time: write a number of seconds"),
        (["retrieve", "h1"], "notebook: nothing is set aside by its rules"),
    ],
)
def test_wrong_arguments_get_one_line(notebook: Shell, arguments: list[str], said: str) -> None:
    """The field, its type, the nearest name; nothing is called; exit code 2."""
    found = notebook.refused("notebook", *arguments)

    assert found.startswith(said)
    assert "\n" not in found


def test_a_failing_tool(notebook: Shell) -> None:
    """What it says is on stderr, and the exit code is 1; as JSON it is on stdout."""
    done = notebook.run("notebook", "fail", "no ink")

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"fail" in done.stderr
    done = notebook.run("notebook", "--json", "fail", "no ink")
    assert done.returncode == 1
    assert json.loads(done.stdout)["isError"] is True


def test_whole_results_as_json(notebook: Shell) -> None:
    """`--json` before the tool or after it: structuredContent and all, on one line."""
    for arguments in (["--json", "add"], ["add", "--json"]):
        said = notebook.out("notebook", *arguments, "--first", "40", "--second", "2")
        assert said.count("\n") == 1
        assert json.loads(said)["structuredContent"] == {"result": 42}


def test_images_and_files(notebook: Shell, tmp_path: Path) -> None:
    """A note on stderr says what there is; `--output` writes it, several beside each other."""
    done = notebook.run("notebook", "picture")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"[image/png, 5 bytes: --output FILE keeps it]\n"
    notebook.out("notebook", "picture", "--count", "2", "--output", str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "a-2.png").read_bytes() == b"hello"
    notebook.out("notebook", "--output", str(tmp_path / "a.zip"), "archive")
    assert (tmp_path / "a.zip").read_bytes() == b"zip"
    done = notebook.run("notebook", "where", "--output", str(tmp_path / "none"))
    assert done.returncode == 1
    assert b"nothing but text" in done.stderr
    assert not (tmp_path / "none").exists()


def test_one_session_for_all_calls(notebook: Shell) -> None:
    """Later calls are made to the same process of the same server, whose memory they share."""
    first, second = (json.loads(notebook.out("notebook", "where")) for _ in range(2))

    assert first["pid"] == second["pid"]
    assert second["calls"] == first["calls"] + 1


RULES = """terse 1

rule reports {
  on notebook/report
  set aside log
  use compact
}

rule rest {
  on */*
  use compact
}

tools notebook/* {
  compress max
  hide secret
  rename write_note to write
}
"""


def test_rules_hold(shell: Shell) -> None:
    """Results are made smaller, what is set aside is fetched by its handle in a later call, tools are hidden
    and renamed, and definitions stay whole; `--raw` is what the server said."""
    shell.knows(notebook=NOTEBOOK)
    rules = shell.folder / "rules.terse"
    rules.write_text(RULES, encoding="utf-8")
    asked = ["notebook", "--rules", "rules.terse"]
    page = shell.out(*asked)
    assert "secret" not in page
    assert "write --title --body" in page
    assert "(open | closed | all; default open)" in shell.out(*asked, "list-notes", "--help")
    assert "has no tool secret" in shell.refused(*asked, "secret")
    report = shell.out(*asked, "report")
    handle = next(
        word
        for word in report.replace("]", " ").replace('"', " ").split()
        if word[:1] == "h" and word[1:].isdigit()
    )
    assert "line 399 of the log" in shell.out(*asked, "retrieve", handle)
    assert "line 7 of the log" in shell.out(
        *asked, "terse_retrieve", "--handle", handle, "--search", "line 7 "
    )
    raw = shell.out(*asked, "--raw", "report")
    assert json.loads(raw)["log"].count("\n") == 399
    assert len(report) < len(raw) / 10


def test_another_folder_is_the_same_server(shell: Shell) -> None:
    """The server starts where the document says, or at home, whoever calls first; files are the caller's."""
    shell.knows(notebook=NOTEBOOK)
    other = shell.folder / "other"
    other.mkdir()
    (other / "body.md").write_text("here", encoding="utf-8")
    first = json.loads(shell.run("notebook", "where", cwd=other).stdout)
    second = json.loads(shell.out("notebook", "where"))

    assert first["pid"] == second["pid"]
    assert first["cwd"] == str(shell.folder)
    said = shell.run("notebook", "write-note", "--title", "t", "--body", "@body.md", cwd=other)
    assert json.loads(said.stdout)["body"] == "here"


def test_a_server_behind_a_url(shell: Shell) -> None:
    """It gets a name as a command does, with its headers; each call is one of the same session."""
    app = RemoteApp()
    with serving(app) as address:
        done = shell.run("far", "-H", "X-Word: ${WORD:-w}", f"{address}/mcp")
        assert done.returncode == 0, done.stderr.decode()
        before = len(app.sessions)
        assert shell.run("far").returncode == 0
        assert len(app.sessions) == before
        entry = json.loads((shell.folder / "config" / "terse" / "servers.json").read_text())
        assert entry["mcpServers"]["far"] == {"url": f"{address}/mcp", "headers": {"X-Word": "${WORD:-w}"}}
        shell.stop()


def test_a_call_imports_nothing_heavy(notebook: Shell) -> None:
    """A command line is quick because of what it leaves out."""
    notebook.out("notebook", "where")
    script = (
        "import sys; from terse.cli.entry import main; code = main(['cli', 'notebook', 'where']);"
        "heavy = {'typer', 'lark', 'mcp', 'msgspec', 'jsonschema', 'yaml', 'asyncio', 'http', 'dataclasses'};"
        "print(code, sorted(heavy.intersection(name.partition('.')[0] for name in sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=notebook.environment,
        cwd=notebook.folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "0 []"
