"""Servers of a document, near and far, one of which fails: its calls get a clear error, the session lives."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.proxy.process import Client, call, request, started
from tests.proxy.test_login import World, world
from tests.proxy.test_many import INITIALIZED, MEMBER, VERSION, asked, take, text
from tests.proxy.web import free_port, serving
from tests.serve.served import TALKING, served
from tests.serve.served import Client as HttpClient
from tests.servers.remote import TOOLS, RemoteApp

__all__ = ["world"]

TERSE = [sys.executable, "-m", "terse"]
NEAR = {"command": sys.executable, "args": [MEMBER, "near"]}
BROKEN = [
    ({"body": "<html>Bad Gateway</html>", "status": 500, "kind": "text/html"}, "answered 500"),
    ({"body": "<html>", "kind": "text/html"}, "no JSON in it"),
    ({"body": '{"jsonrpc":"2.0","id":IDENT,"resu'}, "no JSON in it"),
    ({"body": 'data: {"jsonrpc":"2.0","id":IDENT,', "kind": "text/event-stream"}, "ended before the answer"),
]


RULES = """terse 1

rule bodies {
  on near/records
  use compact
  set aside every body over 100 characters
  because "bodies are read one by one"
}
"""


def document(url: str, **more: Any) -> str:
    return json.dumps({"mcpServers": {"near": NEAR, "far": {"url": url, **more}}})


@contextmanager
def mixed(url: str, *options: str, **more: Any) -> Iterator[Client]:
    """A client in front of a process and a URL."""
    with started([*TERSE, "proxy", *options, "--config", document(url, **more)]) as client:
        introduction = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "t"}}
        client.send(request(0, "initialize", **introduction))
        take(client, 0)
        client.send(INITIALIZED)
        yield client


def app() -> RemoteApp:
    made = RemoteApp()
    names = ("echo", "raw", "hang", "die")
    made.tools = [*TOOLS, *({"name": name, "inputSchema": {"type": "object"}} for name in names)]
    return made


def lives(client: Client) -> None:
    """Both servers answer."""
    assert text(client, "near", "near__say") == "near say "
    assert text(client, "far", "far__echo", text="alive") == "alive"


@pytest.mark.parametrize(("arguments", "said"), BROKEN, ids=["500", "garbage", "half", "half an event"])
def test_a_far_server_that_answers_wrongly(arguments: dict[str, Any], said: str) -> None:
    """The call gets the reason, by the server's name, under its own id."""
    with serving(app()) as url, mixed(f"{url}/mcp") as client:
        answer = asked(client, 5, "tools/call", name="far__raw", arguments=arguments)
        assert said in json.dumps(answer)
        assert "error" in answer
        lives(client)


def test_a_far_server_that_is_slow() -> None:
    """Of which nothing is heard for so long as `--timeout` says; the near one answers meanwhile."""
    with serving(app()) as url, mixed(f"{url}/mcp", "--timeout", "1") as client:
        client.send(call(1, "far__hang"))
        assert text(client, 2, "near__say") == "near say "
        assert "1 s" in json.dumps(take(client, 1))
        lives(client)


def test_a_far_server_that_goes_and_comes_back() -> None:
    """What it is asked meanwhile is answered with the reason; then it is there again."""
    port = free_port()
    with mixed_at(port) as client:
        # It is not there when the session begins.
        answer = asked(client, 7, "tools/call", name="far__echo", arguments={"text": "x"})
        assert answer["result"]["isError"]
        assert "The server far is not available" in answer["result"]["content"][0]["text"]
        with serving(app(), port):
            lives_in_the_end(client)
        answer = asked(client, 8, "tools/call", name="far__echo", arguments={"text": "x"})
        assert answer["error"]["message"].startswith(f"cannot reach http://127.0.0.1:{port}/mcp")
        assert text(client, 9, "near__say") == "near say "
        with serving(app(), port):
            lives_in_the_end(client)


def mixed_at(port: int) -> Any:
    return mixed(f"http://127.0.0.1:{port}/mcp", "--wait", "1")


def lives_in_the_end(client: Client) -> None:
    for ident in range(100, 400):
        answer = asked(client, ident, "tools/call", name="far__echo", arguments={"text": "back"})
        if "result" in answer and not answer["result"].get("isError"):
            assert answer["result"]["content"][0]["text"] == "back"
            return
        time.sleep(0.1)
    raise AssertionError("it never came back")


def test_a_token_that_is_not_taken_any_more() -> None:
    """One given by hand: the refusal is told, and what to give; the session goes on with a right one."""
    far = app()
    far.token = "first"
    with serving(far) as url, mixed(f"{url}/mcp", headers={"Authorization": "Bearer first"}) as client:
        lives(client)
        far.token = "second"
        assert "401" in json.dumps(asked(client, 3, "tools/call", name="far__echo", arguments={"text": "x"}))
        assert text(client, 4, "near__say") == "near say "
        far.token = "first"
        lives(client)


def test_a_login_that_expired_behind_a_service(world: World) -> None:
    """Nobody is asked again: the token is changed for a new one, and the client's session goes on."""
    with world.session() as (client, _):
        world.begin(client)
    environment = {"XDG_STATE_HOME": str(world.state)}
    with served(world.url, command=[], **environment) as service, HttpClient(service.url) as client:
        assert client.begin().call("echo", text="in") == "in"
        world.authorization.expire_all()
        assert client.call("echo", text="still in") == "still in"

    assert world.authorization.issued["login"] == 1


def test_a_full_disk(tmp_path: Path) -> None:
    """What cannot be kept is not set aside: results arrive whole, from both servers, and so does all else."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    limited = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh", *TERSE, "proxy"]
    with serving(app()) as url:
        store = ("--store", str(tmp_path / "store.sqlite"), "--rules", str(rules), "--no-ledger")
        near = {"command": TALKING[0], "args": TALKING[1:]}
        servers = json.dumps({"mcpServers": {"near": near, "far": {"url": f"{url}/mcp"}}})
        with started([*limited, *store, "--config", servers]) as client:
            introduction = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "t"}}
            client.send(request(0, "initialize", **introduction))
            take(client, 0)
            client.send(INITIALIZED)
            asked(client, "l", "tools/list")
            long = "w" * 9000
            given = [
                text(client, n, "near__records", size=1, bodies=True, mark=f"{n}-{long}") for n in range(12)
            ]
            kept = [bool(re.search(r"\bh\d{9}\b", each)) for each in given]
            assert any(kept), "there was room for some"
            assert not kept[-1], "and none for the last"
            assert "x y z" in given[-1]
            assert text(client, "far", "far__echo", text="alive") == "alive"
