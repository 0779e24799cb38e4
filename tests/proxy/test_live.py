"""Rules that change while a proxy runs: valid ones hold from the next result on, others change nothing."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.proxy import process
from tests.proxy.process import PATIENCE, Client, request
from tests.proxy.test_retrieve import TYPED
from tests.proxy.test_retrieve import command as proxied

AS_IT_CAME = "terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n"
REMOVING = "terse 1\n\nrule everything {\n  on */*\n  remove every body\n  use minify\n}\n"
BROKEN = "terse 1\n\nrule everything {\n  on */*\n  remov"
HIDING = AS_IT_CAME + "\ntools */* {\n  hide list_issues\n  rename all_issues to every_issue\n}\n"


class Session:
    """A client of a proxy process, whose rules are edited."""

    def __init__(self, client: Client, rules: Path, log: Path) -> None:
        self.rules = rules
        self._client = client
        self._log = log
        self._last = 0
        self.told: list[str] = []
        begin = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "anybody", "version": "1"},
        }
        self.ask("initialize", **begin)
        client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.tools = self.list_tools()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        self._client.send(request(self._last, method, **params))
        while (message := json.loads(self._client.receive())).get("id") != self._last:
            self.told.append(message["method"])
        return dict(message)

    def list_tools(self) -> list[str]:
        return [tool["name"] for tool in self.ask("tools/list")["result"]["tools"]]

    def text(self, tool: str) -> str:
        text: str = self.ask("tools/call", name=tool, arguments={})["result"]["content"][0]["text"]
        return text

    def said(self) -> str:
        return self._log.read_text()

    def until_said(self, what: str, times: int = 1) -> None:
        until = time.monotonic() + PATIENCE
        while self.said().count(what) < times:
            assert time.monotonic() < until, f"{what!r} was not said: {self.said()}"
            time.sleep(0.05)


@contextmanager
def session(
    tmp_path: Path, rules: str, *options: str, path: str = "rules.terse", line: list[str] | None = None
) -> Iterator[Session]:
    """A proxy in front of a server with issues; its stderr goes to a file."""
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(rules)
    log = tmp_path / "stderr"
    if line is None:
        line = [*proxied(rules, tmp_path, *options)]
        line[line.index("--rules") + 1] = str(tmp_path / path.partition("/")[0])
    shell = ["sh", "-c", 'exec "$@" 2>"$0"', str(log), *line]
    with process.started(shell, XDG_CACHE_HOME=str(tmp_path / "cache")) as client:
        yield Session(client, file, log)


def test_a_changed_rule_holds_from_the_next_result_on(tmp_path: Path) -> None:
    """Without a restart, in the same session; the log says so."""
    with session(tmp_path, AS_IT_CAME) as client:
        before = client.text("list_issues")
        client.rules.write_text(REMOVING)
        client.until_said("has changed: its rules hold")
        after = client.text("list_issues")

    assert "words and words" in before
    assert "words and words" not in after


def test_rules_that_do_not_compile_change_nothing(tmp_path: Path) -> None:
    """What is wrong is told, with its line; the old rules stay until the file is right again."""
    with session(tmp_path, REMOVING) as client:
        for content in (BROKEN, ""):
            client.rules.write_text(content)
            client.until_said("the old rules stay", 1 if content else 2)
            assert "words and words" not in client.text("list_issues")
        assert "rules.terse:" in client.said()
        client.rules.write_text(AS_IT_CAME)
        client.until_said("has changed: its rules hold")
        assert "words and words" in client.text("list_issues")


def test_a_file_that_is_gone_leaves_its_rules(tmp_path: Path) -> None:
    """Deleted, the rules stay; written anew, the new ones hold. An editor's rename is no more than that."""
    with session(tmp_path, REMOVING) as client:
        client.rules.unlink()
        client.until_said("the old rules stay")
        assert "words and words" not in client.text("list_issues")
        beside = tmp_path / "rules.terse~"
        beside.write_text(AS_IT_CAME)
        os.replace(beside, client.rules)
        client.until_said("has changed: its rules hold")
        assert "words and words" in client.text("list_issues")


def test_a_file_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    """Half of a rule file is never read while its writer goes on."""
    with session(tmp_path, AS_IT_CAME) as client:
        with open(client.rules, "w") as file:
            for character in REMOVING:
                file.write(character)
                file.flush()
                time.sleep(0.02)
        client.until_said("has changed: its rules hold")
        assert "the old rules stay" not in client.said()
        assert "words and words" not in client.text("list_issues")


def test_a_folder_is_watched_for_files_that_come_and_go(tmp_path: Path) -> None:
    """A rule file that is put beside the others counts, and one that is taken out does not."""
    with session(tmp_path, AS_IT_CAME, path="policy/main.terse") as client:
        (tmp_path / "policy" / "narrow.terse").write_text(
            "terse 1\n\nrule narrow {\n  on */list_issues\n  remove every body\n}\n"
        )
        client.until_said("has changed: its rules hold", 1)
        assert "words and words" not in client.text("list_issues")
        (tmp_path / "policy" / "narrow.terse").unlink()
        client.until_said("has changed: its rules hold", 2)
        assert "words and words" in client.text("list_issues")


def test_a_file_that_is_imported_is_watched(tmp_path: Path) -> None:
    """Also one that is imported only since the rules were changed."""
    profile = "terse 1\n\nprofile noise {\n  remove every %s\n}\n"
    importing = AS_IT_CAME.replace("\n\n", '\n\nimport "shared.terse"\n\n', 1).replace(
        "use", "apply noise\n  use"
    )
    (tmp_path / "shared.terse").write_text(profile % "nothing")
    with session(tmp_path, AS_IT_CAME) as client:
        client.rules.write_text(importing)
        client.until_said("has changed: its rules hold", 1)
        assert "words and words" in client.text("list_issues")
        (tmp_path / "shared.terse").write_text(profile % "body")
        client.until_said("has changed: its rules hold", 2)
        assert "words and words" not in client.text("list_issues")


def test_tools_that_are_shown_otherwise_are_told_of(tmp_path: Path) -> None:
    """The client hears that the list changed; what it was shown before is reached until it asks again."""
    renamed = AS_IT_CAME + "\ntools */* {\n  rename all_issues to every_issue\n}\n"
    with session(tmp_path, renamed) as client:
        assert "every_issue" in client.tools
        client.rules.write_text(HIDING.replace("every_issue", "issues"))
        client.until_said("has changed: its rules hold")
        assert "words" in client.text("every_issue")
        assert "is hidden by a policy" in client.text("list_issues")
        assert client.told == ["notifications/tools/list_changed"]
        listed = client.list_tools()
        assert "issues" in listed
        assert "list_issues" not in listed
        assert "words" in client.text("issues")
        client.rules.write_text(AS_IT_CAME)
        client.until_said("has changed: its rules hold", 2)
        assert "words" in client.text("issues")
        assert client.told == ["notifications/tools/list_changed"] * 2
        assert client.list_tools() == [
            "all_issues" if tool == "every_issue" else tool for tool in client.tools
        ]
        assert "words" in client.text("all_issues")


def test_a_comment_is_no_change_of_the_tools(tmp_path: Path) -> None:
    """Nobody is told of what makes no difference to what is shown."""
    with session(tmp_path, HIDING) as client:
        client.rules.write_text("# what is hidden\n\n\n" + HIDING)
        time.sleep(2.5)
        assert client.list_tools() == client.tools
        assert client.told == []


def test_what_was_set_aside_outlives_the_rule(tmp_path: Path) -> None:
    """A handle that the client has is good, whatever the rules are now; and a repeat is said to be one of
    what the client has."""
    aside = REMOVING.replace("remove every body", "set aside every body").replace("use", "use dedup then")
    with session(tmp_path, aside) as client:
        text = client.text("list_issues")
        handle = text[text.index("terse_retrieve h") + 15 :][:10]
        client.rules.write_text(REMOVING.replace("use", "use dedup then"))
        client.until_said("has changed: its rules hold")
        fetched = client.ask("tools/call", name="terse_retrieve", arguments={"handle": handle})
        assert "words and words" in fetched["result"]["content"][0]["text"]
        after = client.text("list_issues")
        assert "identical" not in after
        assert "identical to call #2" in client.text("list_issues")


def test_rules_are_not_watched_where_that_is_not_wanted(tmp_path: Path) -> None:
    """`--no-watch`: the rules of the start are those of the end."""
    with session(tmp_path, AS_IT_CAME, "--no-watch") as client:
        client.rules.write_text(REMOVING)
        time.sleep(2.5)
        assert "words and words" in client.text("list_issues")
        assert "changed" not in client.said()


def test_rules_that_name_a_server_are_refused_where_it_has_no_name(tmp_path: Path) -> None:
    """As at the start; but the session goes on under the old ones."""
    with session(tmp_path, REMOVING) as client:
        client.rules.write_text(AS_IT_CAME.replace("*/*", "github/*"))
        client.until_said("say which one this is, with --server-name")
        assert "words and words" not in client.text("list_issues")


def test_several_servers_follow_the_same_rules(tmp_path: Path) -> None:
    """One look at the files for all of them: each has the new rules, and each list is told of."""
    servers = {name: {"command": TYPED[0], "args": TYPED[1:]} for name in ("one", "two")}
    rules = tmp_path / "rules.terse"
    proxy = [sys.executable, "-m", "terse", "proxy", "--rules", str(rules)]
    line = [*proxy, "--wait", "60", "--config", json.dumps({"mcpServers": servers})]
    with session(tmp_path, AS_IT_CAME, line=line) as client:
        assert all("words and words" in client.text(f"{name}__list_issues") for name in servers)
        client.rules.write_text(REMOVING + "\ntools two/* {\n  hide all_issues\n}\n")
        client.until_said("has changed: its rules hold")
        assert not any("words and words" in client.text(f"{name}__list_issues") for name in servers)
        assert "notifications/tools/list_changed" in client.told
        assert set(client.tools) - set(client.list_tools()) == {"two__all_issues"}
        assert client.said().count("has changed") == 1
