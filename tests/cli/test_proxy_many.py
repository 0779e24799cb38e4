"""`terse proxy --config` without a name: all servers of the document, under one set of rules."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from terse.cli.policy import load_plan
from tests.proxy import process
from tests.proxy.process import Client, call, started
from tests.proxy.test_many import asked, introduced, take

MEMBER = str(process.HERE.parent / "servers" / "member.py")
PROXY = [sys.executable, "-m", "terse", "proxy"]


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def document(**servers: dict[str, Any]) -> str:
    return json.dumps({"mcpServers": servers})


def member(name: str, *options: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": [MEMBER, name, *options]}


@contextmanager
def proxied(servers: str, *options: str) -> Iterator[Client]:
    with started([*PROXY, *options, "--config", servers]) as client:
        yield client


def rules(folder: Path, text: str) -> tuple[str, str]:
    path = folder / "rules.terse"
    path.write_text(f"terse 1\n\n{text}")
    # Compiled here, into the cache: a machine under load must not make the proxy too late for the first list.
    load_plan(str(path))
    return "--rules", str(path)


def text(client: Client, ident: object, tool: str, **arguments: object) -> str:
    client.send(call(ident, tool, **arguments))
    return str(take(client, ident)["result"]["content"][0]["text"])


def warm(client: Client, tool: str) -> None:
    """Call a tool until its result is rewritten: a machine under load may be too slow for the first ones."""
    for number in range(20):
        if not text(client, f"warm {number}", tool, count=30).startswith("["):
            return
    raise AssertionError("nothing is rewritten")


def failed(*arguments: str) -> str:
    done = subprocess.run(
        [*PROXY, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def names_of(client: Client, ident: object) -> list[str]:
    """The names of all tools, page by page."""
    names: list[str] = []
    cursor: dict[str, object] = {}
    while True:
        page = asked(client, f"{ident} {len(names)}", "tools/list", **cursor)["result"]
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            return names
        cursor = {"cursor": page["nextCursor"]}


def test_all_servers_of_a_document_are_run() -> None:
    """Those that are not disabled, in its order, each with its name before its tools."""
    servers = document(one=member("one"), off={**member("off"), "disabled": True}, two=member("two"))
    with proxied(servers) as client:
        introduced(client)
        assert names_of(client, 1) == ["one__say", "two__say", "one__ask", "two__ask"]
        assert text(client, 2, "two__say", text="x") == "two say x"


def test_a_document_in_yaml_is_read_as_it_is_given() -> None:
    """Also as an argument."""
    entry = f"{{command: {sys.executable}, args: [{MEMBER}, "
    with proxied(f"mcpServers:\n  one: {entry}one]}}\n  two: {entry}two]}}\n") as client:
        introduced(client)
        assert text(client, 1, "one__say") == "one say "


def test_one_server_of_a_document_keeps_its_names() -> None:
    """By its name, or where it is the only one."""
    for servers, name in (
        (document(one=member("one"), two=member("two")), ["two"]),
        (document(two=member("two")), []),
    ):
        with started([*PROXY, "--config", servers, *name]) as client:
            introduced(client)
            assert text(client, 1, "say") == "two say "


def test_servers_that_cannot_be_started_do_not_stop_the_others() -> None:
    """A missing command, and a missing variable: the instructions and stderr say so."""
    servers = document(
        one=member("one"), gone={"command": "/not/there"}, unset={"command": "${TERSE_NO_SUCH}"}
    )
    with proxied(servers) as client:
        said = introduced(client)["instructions"]
        assert "gone is not available now: it cannot be started: No such file or directory" in said
        assert "unset is not available now: unset: command: the environment has no TERSE_NO_SUCH" in said
        assert text(client, 1, "one__say") == "one say "
        client.close()
        client.rest()
        assert client.wait() == 0
        assert client.errors().splitlines() == [
            "terse: the server gone is not available: it cannot be started: No such file or directory",
            "terse: the server unset is not available: unset: command: the environment has no TERSE_NO_SUCH",
        ]


def test_names_are_those_that_every_client_takes() -> None:
    """Other characters become `_`, and stderr says so; no name has over 64 characters, and each is found."""
    long = "x" * 80
    servers = json.dumps(
        {"mcpServers": {"My Server!": member("one"), "日本": member("two"), long: member("three")}}
    )
    with proxied(servers) as client:
        introduced(client)
        names = names_of(client, 1)
        assert names[:2] == ["My_Server__say", "server__say"]
        assert all(len(name) <= 64 for name in names)
        assert text(client, 2, names[0]) == "one say "
        assert text(client, 3, names[2]) == "three say "
        client.close()
        client.rest()
        client.wait()
        said = client.errors().splitlines()
    assert said[:2] == [
        "terse: the server My Server! is shown to the client as My_Server",
        "terse: the server 日本 is shown to the client as server",
    ]


def test_two_servers_of_one_name_are_refused() -> None:
    """Before anything is sent; the line says what to change."""
    servers = json.dumps({"mcpServers": {"a b": member("one"), "a/b": member("two")}})
    assert failed("--config", servers) == (
        "terse: the servers a b and a/b would both be shown to the client as a_b: "
        "give one of them another name\n"
    )


@pytest.mark.parametrize("options", [["--server-name", "x"], ["-e", "A=1"], ["--cwd", "/"], ["-H", "A: b"]])
def test_what_is_said_of_one_server_is_refused_for_several(options: list[str]) -> None:
    """In one line."""
    servers = document(one=member("one"), two=member("two"))
    said = failed(*options, "--config", servers)
    assert said.startswith(f"terse: {options[0]} is for a server that is alone")


def test_rules_speak_of_the_names_in_the_document(tmp_path: Path) -> None:
    """The pair of server and tool decides, and never the name that the client is shown."""
    options = rules(
        tmp_path,
        "rule all {\n  on one/records, one__records/*, */two__records\n  use compact\n}\n",
    )
    with proxied(document(one=member("one"), two=member("two")), *options) as client:
        introduced(client)
        names_of(client, 1)
        warm(client, "one__records")
        changed = text(client, 2, "one__records", count=100)
        unchanged = text(client, 3, "two__records", count=100)
    assert len(changed) < len(unchanged) / 2
    assert json.loads(unchanged)[99]["name"] == "two 99"


def test_refused_rules_end_the_whole_proxy(tmp_path: Path) -> None:
    """With exit code 2 and a line for it; no server is left, and no result is sent."""
    path = tmp_path / "wrong.terse"
    path.write_text("terse 1\n\nrule all {\n  on */*\n  use nothing-known\n}\n")
    servers = document(one=member("one"), two=member("two"))
    with proxied(servers, "--rules", str(path)) as client:
        client.send(call(1, "one__say"), call(2, "two__say"))
        assert client.wait() == 2
        assert client.errors().count("terse: the rules do not compile") == 1
        assert b'"result"' not in client.rest()


def test_the_session_is_one_for_all_servers(tmp_path: Path) -> None:
    """What one server sent counts for the conditions of another one's rule."""
    options = rules(
        tmp_path,
        "rule later {\n  on one/records\n  when session over 4000 tokens\n  use compact\n}\n"
        "rule noted {\n  on two/*\n  use compact\n}\n",
    )
    with proxied(document(one=member("one"), two=member("two")), *options) as client:
        introduced(client)
        names_of(client, 1)
        warm(client, "two__records")
        before = text(client, 2, "one__records", count=20)
        text(client, 3, "two__big", count=60_000)
        after = text(client, 4, "one__records", count=20)
    assert json.loads(before)[0]["name"] == "one 0"
    assert len(after) < len(before)


def test_what_is_set_aside_is_fetched_with_one_tool(tmp_path: Path) -> None:
    """It stands once, at the end of the list, without a server's name, and gives what any server sent."""
    options = rules(tmp_path, "rule all {\n  on */*\n  use compact\n  set aside every text\n}\n")
    with proxied(document(one=member("one"), two=member("two")), *options) as client:
        introduced(client)
        assert names_of(client, 1) == ["one__say", "two__say", "one__ask", "two__ask", "terse_retrieve"]
        warm(client, "one__records")
        for ident, server in enumerate(("one", "two"), 2):
            sent = text(client, ident, f"{server}__story")
            (handle,) = re.findall(r"terse_retrieve (h\d{9})", sent)
            fetched = text(client, f"fetch {server}", "terse_retrieve", handle=handle)
            assert fetched == f"{server} tells " * 100
        assert "Nothing is kept" in text(client, 9, "terse_retrieve", handle="h123456789")


def test_tools_of_ours_have_the_name_of_the_server_they_are_about(tmp_path: Path) -> None:
    """Texts call them as the client knows them; what is called through them reaches the server."""
    options = rules(tmp_path, "tools two/* {\n  compress high\n  present wrapped\n}\n")
    with proxied(document(one=member("one"), two=member("two")), *options) as client:
        introduced(client)
        names = names_of(client, 1)
        assert [name for name in names if name.startswith("one__")] == ["one__say", "one__ask"]
        assert "two__invoke_tool" in names
        assert "two__say" not in names
        said = text(client, 2, "two__invoke_tool", tool_name="say", tool_input={"text": "hi"})
        assert said == "two say hi"
        assert text(client, 3, "two__invoke_tool", tool_name="two__say", tool_input={}) == "two say "


def test_a_server_that_is_back_is_spoken_of_as_before(tmp_path: Path) -> None:
    """The client counts its calls on, and so do results that speak of an earlier one."""
    options = rules(tmp_path, "rule all {\n  on */*\n  use compact then dedup\n}\n")
    with proxied(document(one=member("one"), two=member("two")), *options) as client:
        introduced(client)
        names_of(client, 1)
        warm(client, "one__records")
        text(client, 2, "two__records", count=80)
        text(client, 3, "two__records", count=90)
        text(client, 4, "two__die")
        while json.loads(client.receive()).get("method") != "notifications/tools/list_changed":
            pass
        assert text(client, 5, "two__records", count=90).startswith("Re-run now: identical to call #2")
        assert "call #" not in text(client, 6, "two__records", count=81)
        assert text(client, 7, "two__records", count=81).startswith("Re-run now: identical to call #4")
        # Who begins anew has nothing, and counts from one.
        introduced(client)
        names_of(client, 8)
        assert "call #" not in text(client, 9, "two__records", count=80)
        assert text(client, 10, "two__records", count=80).startswith("Re-run now: identical to call #1")
