"""`terse proxy --restart`: a server that ends by itself takes no session with it."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from terse.proxy import restarting
from terse.proxy.child import Child
from tests.proxy import process
from tests.proxy.process import Client, call, request, started, text_of
from tests.proxy.test_many import notes_of
from tests.proxy.test_remote import INIT, INITIALIZED, error_of, eventually

PROXY = [sys.executable, "-m", "terse", "proxy", "--restart"]
MEMBER = [sys.executable, str(Path(__file__).parent.parent / "servers" / "member.py")]
CHANGED = [f"notifications/{each}/list_changed" for each in ("tools", "prompts", "resources")]


def begun(client: Client) -> None:
    client.send(INIT, INITIALIZED)
    assert json.loads(client.receive())["id"] == 0


def told_of_changes(client: Client) -> None:
    assert [json.loads(client.receive())["method"] for _ in CHANGED] == CHANGED


def test_a_server_that_dies_is_started_again() -> None:
    """In half a message: all that it was asked gets an error that says why, and the session goes on."""
    with started([*PROXY, "--", *process.SERVER]) as client:
        begun(client)
        client.send(call("two", "die"))
        line = client.receive()
        assert json.loads(line)["id"] == "two"
        assert error_of(line) == (
            "the server has ended (exit code 7) before it answered, and is started again: ask again"
        )
        told_of_changes(client)
        client.send(call(3, "echo", text="again"), request(4, "ping"))
        found = process.answers([client.receive(), client.receive()])
        assert text_of(found[3]) == "again"
        assert json.loads(found[4])["result"] == {}
        client.close()
        assert client.rest() == b""
        assert client.wait() == 0
        said = client.errors().splitlines()
    assert said[0] == "terse: the server has ended (exit code 7): it is started again"


def test_a_killed_server_is_told_what_the_client_had_said(tmp_path: Path) -> None:
    """With the client's own `initialize`, log level and subscriptions; it is not asked anything again."""
    notes = tmp_path / "notes"
    pids = tmp_path / "pids"
    options = ["one", "--notes", str(notes), "--pids", str(pids)]
    with started([*PROXY, "--", *MEMBER, *options]) as client:
        begun(client)
        client.send(
            request(1, "logging/setLevel", level="error"), request(5, "resources/subscribe", uri="one://a")
        )
        assert {json.loads(client.receive())["id"] for _ in range(2)} == {1, 5}
        client.send(call(2, "late"))
        eventually(lambda: "one tools/call" in notes_of(notes))
        os.kill(int(pids.read_text().split()[0]), signal.SIGKILL)
        assert "(signal 9)" in error_of(client.receive())
        told_of_changes(client)
        client.send(call(3, "say"))
        assert text_of(client.receive()) == "one say "
    assert notes_of(notes) == [
        "one initialize",
        "one notifications/initialized",
        "one logging/setLevel",
        "one resources/subscribe",
        "one tools/call",
        "one initialize",
        "one notifications/initialized",
        "one logging/setLevel",
        "one resources/subscribe",
        "one tools/call",
    ]


@pytest.mark.parametrize("options", [[], ["--restart"]])
def test_a_server_that_was_never_of_use_is_not_started_again(options: list[str]) -> None:
    """What it says on stderr, and its exit code, are the user's to see."""
    command = [sys.executable, "-c", "import sys; sys.exit(3)"]
    with started([*PROXY[:-1], *options, "--", *command]) as client:
        client.send(INIT)
        assert client.wait() == 3
        assert "started again" not in client.errors()


def test_a_server_that_dies_again_and_again_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some starts its end is the end; each call that it was given got its error, and was made once."""
    monkeypatch.setattr(restarting, "BACK_OFF_SECONDS", (0.0, 0.0))
    said: list[str] = []
    start = partial(Child.spawn, process.SERVER)
    server = restarting.Restarting(start(), start, said.append)
    received: queue.Queue[bytes | None] = queue.Queue()

    def read() -> None:
        for block in server.blocks():
            received.put(block)
        received.put(None)

    threading.Thread(target=read).start()
    server.send(call(0, "echo", text="of use"))
    lines: list[bytes] = []
    while (block := received.get(timeout=process.PATIENCE)) is not None:
        if block.endswith(b"\n"):
            lines.append(block)
        server.send(call(len(lines), "die"))

    assert text_of(lines[0]) == "of use"
    assert [json.loads(line)["id"] for line in lines] == [0, 1, 2]
    assert server.wait() == 7
    assert said == ["the server has ended (exit code 7): it is started again"] * 2 + [
        "the server has ended 3 times: it is not started again"
    ]


def test_the_end_of_the_client_is_the_end() -> None:
    """What was asked is answered, the exit code is the server's own, and nothing is started."""
    with started([*PROXY, "--", *process.SERVER]) as client:
        begun(client)
        client.send(call(1, "echo", text="last"))
        client.close()
        assert text_of(client.receive()) == "last"
        assert client.wait() == 0
        assert "started again" not in client.errors()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_that_was_started_again(number: int, tmp_path: Path) -> None:
    """At once, also one that ignores the end of its input."""
    pid = tmp_path / "pid"
    with started([*PROXY, "--", *process.SERVER, "--ignore-eof", "--pid", str(pid)]) as client:
        begun(client)
        first = process.pid_in(pid)
        os.kill(first, signal.SIGKILL)
        told_of_changes(client)
        second = process.pid_in(pid)
        assert second != first
        client.process.send_signal(number)
        assert client.wait() == 128 + number
        assert process.ends(second, within=2.0)


def test_it_is_for_a_process() -> None:
    """A URL, several servers and a service need no such word: one line says so."""
    document = json.dumps({"mcpServers": {name: {"command": "true"} for name in ("a", "b")}})
    for command in (["proxy", "--restart", "http://127.0.0.1:9/mcp"], ["serve", "--restart", "--", "true"]):
        with started([sys.executable, "-m", "terse", *command]) as client:
            assert client.wait() == 2
            assert "--restart is for a server" in client.errors()
    with started([*PROXY, "--config", document]) as client:
        assert client.wait() == 2
        assert "--restart is for a server" in client.errors()
