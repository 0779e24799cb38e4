"""What breaks behind the service: a clear error for who waits, and the others notice nothing."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.proxy.process import ends
from tests.proxy.web import free_port, serving
from tests.serve.served import (
    HERE,
    TALKING,
    TERSE,
    Alone,
    Client,
    Served,
    call,
    events,
    messages,
    request,
    served,
    text_of,
)
from tests.servers.remote import RemoteApp

INITIALIZE = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
)


def test_a_server_that_dies(service: Served, client: Client) -> None:
    """In the middle of a message: its client is told, gets nothing of the half, and has to begin anew."""
    pid = int(client.call("pid"))
    with Client(service.url) as other, client.listening() as listening:
        other.begin()
        answer = client.answer("die")

        assert "the server has ended" in answer["error"]["message"]
        assert all(not event.data for event in events(listening)), "the stream ends"
        assert client.post(call(1, "pid")).status_code == 404
        assert other.call("say", text="alive") == "alive"
    assert ends(pid)


def test_after_a_server_died_the_next_session_is_as_new(service: Served) -> None:
    """The client begins again, as it is told to."""
    with Client(service.url) as client:
        client.begin().answer("die")
        del client.headers["mcp-session-id"]

        assert client.begin().call("say", text="again") == "again"


def test_what_is_no_message_is_dropped(service: Served, client: Client) -> None:
    """An answer over HTTP has no place for it; stderr says so once, and the answer arrives."""
    assert client.call("noise") == "after the noise"
    service.wait_for("a server wrote what is no message of MCP")


def test_a_server_that_cannot_be_started() -> None:
    """The first request says why; with no session there is nothing left behind."""
    with (
        served(command=["/no/such/server"]) as service,
        Client(service.url) as client,
        Alone(service.url) as alone,
    ):
        for response in (client.post(INITIALIZE), alone.ask("tools/list")):
            assert response.status_code == 502
            assert "cannot be started: No such file" in response.json()["error"]["message"]
            assert "mcp-session-id" not in response.headers


def test_a_server_that_ends_at_once() -> None:
    """It is an error, in either era, and no waiting."""
    with served(command=["true"]) as service, Client(service.url) as client, Alone(service.url) as alone:
        for response in (client.post(INITIALIZE), alone.ask("tools/list")):
            assert "error" in response.json()
            assert "mcp-session-id" not in response.headers


def test_a_server_that_hangs_from_the_start() -> None:
    """It never answers `initialize`: after a while that is an error."""
    command = [*TALKING, "--no-answer", "initialize", "server/discover"]
    with served("--request-timeout", "1", command=command) as service, Client(service.url) as client:
        (answer,) = messages(client.post(INITIALIZE))

    assert "did not answer in 1 s" in answer["error"]["message"]


def test_a_remote_server_that_fails_and_comes_back() -> None:
    """500s are errors of their requests; the session goes on when the server does."""
    app = RemoteApp()
    with serving(app) as url, served(f"{url}/mcp", command=[]) as service, Client(service.url) as client:
        client.begin()
        app.refuses = 500
        answer = client.answer("echo", text="a")
        app.refuses = None

        assert "500" in json.dumps(answer)
        assert text_of(client.answer("echo", text="b")) == "b"


def test_a_remote_server_that_is_away() -> None:
    """It cannot be reached: the error says so, and once it is there the same client goes on."""
    port = free_port()
    with served(f"http://127.0.0.1:{port}/mcp", command=[]) as service, Client(service.url) as client:
        response = client.post(INITIALIZE)
        assert "error" in response.json()
        with serving(RemoteApp(), port=port):
            assert text_of(client.begin().answer("echo", text="b")) == "b"


def test_a_remote_server_that_forgets_its_session() -> None:
    """It was restarted: the client's own session goes on."""
    app = RemoteApp()
    with serving(app) as url, served(f"{url}/mcp", command=[]) as service, Client(service.url) as client:
        client.begin()
        app.forget_sessions()
        assert text_of(client.answer("echo", text="b")) == "b"


@pytest.mark.parametrize("kind", [Client, Alone])
def test_a_full_disk(tmp_path: Path, kind: type[Client]) -> None:
    """What cannot be kept is not set aside: the result arrives whole, and the service goes on."""
    rules = ["--rules", str(HERE / "memory.terse"), "--store", str(tmp_path / "store")]
    limited = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh", *TERSE]
    with served(*rules, terse=limited) as service, kind(service.url) as client:
        if kind is Client:
            client.begin()
            client.post(request("l", "tools/list"))
        else:
            client.ask("tools/list")  # type: ignore[attr-defined]
        texts = [client.call("records", size=1, bodies=True, mark=f"{n}-" + "w" * 9000) for n in range(12)]

    kept = [bool(re.search(r"\bh\d{9}\b", text)) for text in texts]
    assert kept[0], "there was room for the first"
    assert not kept[-1], "and none for the last"
    assert "x y z" in texts[-1]


def test_several_servers_as_one(tmp_path: Path) -> None:
    """Of a document all are served, under names of their own; one that dies leaves the others alone."""
    entry = {"command": sys.executable, "args": TALKING[1:]}
    document = tmp_path / "servers.json"
    document.write_text(
        json.dumps({"mcpServers": {"one": entry, "two": entry, "dead": {"command": "/no/such"}}})
    )
    with served("--config", str(document), command=[]) as service, Client(service.url) as client:
        client.begin()
        tools = client.post(request("l", "tools/list")).json()["result"]["tools"]
        names = [tool["name"] for tool in tools]
        one, two = (
            next(name for name in names if name.startswith(each) and "pid" in name) for each in ("one", "two")
        )

        assert client.call(one) != client.call(two)
        client.answer(one.replace("pid", "die"))
        assert client.call(two) == client.call(two)
