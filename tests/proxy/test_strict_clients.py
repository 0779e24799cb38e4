"""Both official SDK clients take every result: each checks it against the schemas that it was shown.

The TypeScript SDK comes from npm (tests/servers/install.py). Where it cannot be had, its tests are skipped
with the reason; with CI=true in the environment that is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from terse.cli.policy import load_plan
from tests.proxy import strict
from tests.proxy.strict import Recording, Seen
from tests.servers import install
from tests.servers.recordings import OBJECT, together

LOSSLESS = """terse 1

rule everything {
  on */*
  use compact then dedup then diff
}
"""
LOSSY = """terse 1

rule everything {
  on */*
  use compact then diff
  set aside every content
  remove every notes
  shorten everything to 10 rows
  shorten every result to 200 characters
}
"""
SHOWS_TEXT, SHOWS_STRUCTURED = "anybody", "claude-code"

clients = pytest.mark.parametrize("client", ["python", pytest.param("typescript", marks=pytest.mark.servers)])


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def seen_by(client: str, recording: Path, name: str, command: list[str]) -> Seen:
    try:
        return strict.CLIENTS[client](recording, name, command)
    except install.Unavailable as unavailable:
        if os.environ.get("CI") == "true":
            pytest.fail(str(unavailable))
        pytest.skip(str(unavailable))


def saved(rules: str, folder: Path) -> str:
    path = folder / "rules.terse"
    path.write_text(rules)
    # Compiled here, into the cache: a machine under load must not make the proxy too late for the first list.
    load_plan(str(path))
    return str(path)


@clients
@pytest.mark.parametrize("name", [SHOWS_TEXT, SHOWS_STRUCTURED])
def test_every_result_is_valid_and_whole(client: str, name: str, tmp_path: Path) -> None:
    """Under rules that lose nothing, with a memory: no error, nothing invalid, and all of it reads back."""
    recording = together()
    path = recording.saved(tmp_path)

    seen = seen_by(client, path, name, strict.proxied(path, "--rules", saved(LOSSLESS, tmp_path)))

    assert strict.invalid(recording, seen) == []
    direct = seen_by(client, path, name, strict.direct(path))
    assert direct.errors == seen.errors
    assert strict.differences(recording, direct, seen) == []
    known = {tool["name"] for tool in recording.tools}
    assert [tool["name"] for tool in seen.tools if tool["name"] not in known] == ["terse_retrieve"]


@clients
@pytest.mark.parametrize("name", [SHOWS_TEXT, SHOWS_STRUCTURED])
def test_every_result_is_valid_also_where_rules_take_something_away(
    client: str, name: str, tmp_path: Path
) -> None:
    """Nothing is removed, shortened or set aside that a schema asks for and the client then misses."""
    recording = together()
    path = recording.saved(tmp_path)

    seen = seen_by(client, path, name, strict.proxied(path, "--rules", saved(LOSSY, tmp_path)))

    assert [error for error in seen.errors if error] == []
    assert strict.invalid(recording, seen) == []


@clients
def test_a_fault_of_the_server_is_the_same_fault_behind_the_proxy(client: str, tmp_path: Path) -> None:
    """A result without the structured part that its schema asks for, and one that breaks it: as it came."""
    schema = {**OBJECT, "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    tools = [
        {"name": name, "inputSchema": OBJECT, "outputSchema": schema} for name in ("none", "wrong", "good")
    ]
    text = [{"type": "text", "text": "one line of many\n" * 80}]
    answers = [("none", {}), ("wrong", {"structuredContent": {"count": "5"}})]
    answers.append(("good", {"structuredContent": {"count": 5}}))
    calls = [{"tool": tool, "arguments": {}, "result": {"content": text, **more}} for tool, more in answers]
    path = Recording("faults", tools, calls).saved(tmp_path)

    direct = seen_by(client, path, SHOWS_STRUCTURED, strict.direct(path))
    behind = seen_by(client, path, SHOWS_TEXT, strict.proxied(path, "--rules", saved(LOSSLESS, tmp_path)))

    assert [error is None for error in direct.errors] == [False, False, True]
    assert behind.errors == direct.errors
