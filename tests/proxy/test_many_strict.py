"""Both official SDK clients take every result of several servers, and check it by the schemas they saw."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.proxy import strict
from tests.proxy.strict import Recording
from tests.proxy.test_strict_clients import LOSSLESS, SHOWS_STRUCTURED, SHOWS_TEXT, clients, saved, seen_by
from tests.servers.recordings import together


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@clients
@pytest.mark.parametrize("name", [SHOWS_TEXT, SHOWS_STRUCTURED])
def test_every_result_of_one_of_two_servers_is_valid_and_whole(
    client: str, name: str, tmp_path: Path
) -> None:
    """Under rules that lose nothing, with a memory: no error, nothing invalid, and all of it reads back."""
    recording = together()
    path = recording.saved(tmp_path)
    shown = Recording(
        "shown",
        [{**tool, "name": f"b__{tool['name']}"} for tool in recording.tools],
        [{**call, "tool": f"b__{call['tool']}"} for call in recording.calls],
        recording.page,
    )
    command = strict.direct(path)
    servers = {each: {"command": command[0], "args": command[1:]} for each in ("a", "b")}
    document = json.dumps({"mcpServers": servers})
    proxy = [
        sys.executable,
        "-m",
        "terse",
        "proxy",
        "--rules",
        saved(LOSSLESS, tmp_path),
        "--config",
        document,
    ]

    seen = seen_by(client, shown.saved(tmp_path), name, proxy)

    assert strict.invalid(shown, seen) == []
    direct = seen_by(client, path, name, command)
    assert direct.errors == seen.errors
    assert strict.differences(shown, direct, seen) == []
    known = {f"{each}__{tool['name']}" for each in servers for tool in recording.tools}
    assert [tool["name"] for tool in seen.tools if tool["name"] not in known] == ["terse_retrieve"]
