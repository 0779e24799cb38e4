"""How much a client may take, and how long."""

from __future__ import annotations

import json
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn

from terse.proxy.child import Child
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection
from terse.serve import running
from terse.serve.access import Access
from terse.serve.attached import Opened
from terse.serve.limits import Limits
from terse.serve.service import Servers, Service
from tests.proxy.process import ends
from tests.proxy.web import serving
from tests.serve.served import (
    TALKING,
    Alone,
    Client,
    call,
    events,
    messages,
    metric,
    refused,
    request,
    served,
    text_of,
    until,
)


@contextmanager
def limited(limits: Limits) -> Iterator[tuple[str, Service]]:
    """A service in this process, without rules: for limits that have no option."""

    def opens(
        caller: str, send: Callable[[bytes], None], ended: Callable[[BaseException | None], None]
    ) -> Opened:
        upstream = Child.spawn(TALKING)
        connection = Connection(
            upstream, send, lambda: None, ended=ended, refused=lambda: None, complaints=Complaints()
        )
        return Opened(upstream, connection)

    service = Service(Servers(opens, opens), Access(), limits)
    with serving(service.application()) as url:
        yield f"{url}/mcp", service


def test_a_body_that_is_too_large() -> None:
    """It is refused by its length where it says that, and else once it is over the limit."""
    with served("--max-body", "10KB") as service, Client(service.url) as client:
        client.begin()
        large = json.dumps(call(1, "say", text="x" * 20_000)).encode()
        told = client.http.post(client.url, content=large, headers=client.headers)
        streamed = client.http.post(
            client.url,
            content=(large[at : at + 1000] for at in range(0, len(large), 1000)),
            headers=client.headers,
        )

        assert (told.status_code, streamed.status_code) == (413, 413)
        assert client.call("say", text="a") == "a"


def test_sessions(tmp_path: Path) -> None:
    """There is a limit for all and one for each user; a session that ends makes room."""
    ada, bob = secrets.token_hex(16), secrets.token_hex(16)
    path = tmp_path / "tokens"
    path.write_text(f"ada {ada}\nbob {bob}\n")
    path.chmod(0o600)
    options = ("--token-file", str(path), "--max-sessions", "3", "--max-sessions-each", "2")
    with served(*options) as service:

        def begun(token: str) -> Client | int:
            client = Client(service.url, headers={"authorization": f"Bearer {token}"})
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}}
            response = client.post(request(0, "initialize", **params))
            client.headers["mcp-session-id"] = response.headers.get("mcp-session-id", "")
            return client if response.status_code == 200 else response.status_code

        first = begun(ada)
        assert isinstance(first, Client)
        assert isinstance(begun(ada), Client)
        assert begun(ada) == 429
        assert isinstance(begun(bob), Client)
        assert begun(bob) == 503
        first.http.delete(first.url, headers=first.headers)
        assert isinstance(begun(bob), Client)


def test_requests_under_way() -> None:
    """More are refused, with when to try again; what is no request is not: an answer may end one of them."""
    with (
        served("--max-requests", "1") as service,
        Client(service.url) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        client.begin()
        waiting = pool.submit(client.answer, "wait", seconds=1.0)
        until(lambda: metric(service, "terse_http_requests_under_way") == 1, "it is under way")
        more = client.post(call(1, "pid"))
        told = client.post({"jsonrpc": "2.0", "method": "notifications/x"})

        assert (more.status_code, told.status_code) == (503, 202)
        assert int(more.headers["retry-after"]) > 0
        assert text_of(waiting.result()) == "waited"
        assert client.call("say", text="a") == "a"


def test_sessions_that_nobody_uses() -> None:
    """They are closed, and their processes ended; not while somebody listens, or asks now and then."""
    with served("--idle", "0.6") as service, Client(service.url) as idle, Client(service.url) as listening:
        pid = int(idle.begin().call("pid"))
        listening.begin()
        with listening.listening(), Alone(service.url) as alone:
            shared = int(alone.call("pid"))

            assert ends(pid)
            assert ends(shared)
            assert idle.post(call(1, "pid")).status_code == 404
            assert listening.call("say", text="a") == "a"
            assert alone.call("say", text="a") == "a", "it is started anew"


@pytest.mark.parametrize("kind", [Client, Alone])
def test_a_server_that_does_not_answer(kind: type[Client]) -> None:
    """The client is told after a while, the server too, and all else goes on."""
    with served("--request-timeout", "0.7") as service, kind(service.url) as client:
        if kind is Client:
            client.begin()
        answer = client.answer("hang")

        assert "did not answer in 0.7 s" in answer["error"]["message"]
        until(lambda: len(json.loads(client.call("cancelled"))) == 1, "the server is told")


def test_a_body_that_does_not_come() -> None:
    """It is given up."""
    with limited(Limits(arrival=0.3)) as (url, _):
        host = urlsplit(url).netloc
        with socket.create_connection(host.split(":")) as connection:
            lines = ["POST /mcp HTTP/1.1", f"host: {host}", "content-type: application/json"]
            head = "\r\n".join((*lines, "content-length: 9", "", ""))
            connection.sendall(head.encode() + b"{")
            connection.settimeout(20)
            assert connection.recv(1000).startswith(b"HTTP/1.1 408")


def test_a_head_that_does_not_come() -> None:
    """A connection on which no request begins is closed, at first and after another request."""
    service = Service(Servers(_never, _never), Access(), Limits())
    config = uvicorn.Config(service.application(), port=0, http=running._protocol(0.3), log_level="critical")
    with serving(config) as url:
        host = urlsplit(url).netloc
        for first in (b"", f"GET /healthz HTTP/1.1\r\nhost: {host}\r\n\r\n".encode()):
            with socket.create_connection(host.split(":")) as connection:
                connection.settimeout(20)
                connection.sendall(first)
                while first and b'"ok"' not in (said := connection.recv(1000)):
                    assert said
                connection.sendall(b"GET /heal")
                assert connection.recv(1000) == b""


def _never(*arguments: object) -> Opened:
    raise AssertionError("no server is asked for")


def test_a_stream_that_says_nothing_is_kept_open() -> None:
    """Comments go over it: proxies on the way close what is silent."""
    with limited(Limits(silence=0.2)) as (url, _), Client(url) as client:
        client.begin()
        with client.listening() as response:
            lines = (line for line in response.iter_lines() if line.startswith(":"))
            assert [next(lines) for _ in range(3)] == [": still here"] * 3


def test_a_client_that_reads_slowly_slows_its_server() -> None:
    """What waits for it is bounded, and then everything arrives, in order."""
    limits = Limits(unread_bytes=1_000_000)
    with limited(limits) as (url, service), Client(url) as client:
        client.begin()
        (session,) = service.handshake._sessions.values()
        with client.listening() as response:
            client.call("later", text="x" * 60_000, times=300, after=0.1)
            time.sleep(1.5)
            waiting = session._unread
            said = events(response)
            numbers = []
            while len(numbers) < 300:
                found = next(said)
                if found.data:
                    numbers.append(int(found.message["params"]["data"].rpartition(" ")[2]))

    assert 0 < waiting < 4_000_000
    assert numbers == list(range(300))


def test_one_client_that_does_not_read_holds_up_no_other() -> None:
    """Without sessions a server is shared: who does not read what it is sent loses its request."""
    with limited(Limits(unread_bytes=500_000)) as (url, _), Alone(url) as slow, Alone(url) as other:
        arguments = {"steps": 20_000, "pause": 0}
        message = slow.request(1, "tools/call", token="t" * 500, name="progress", arguments=arguments)
        with slow.posting(message, **slow.routing(message)) as response:
            time.sleep(2)
            assert other.call("say", text="a") == "a"
            said = messages(response)

    assert "you do not read" in said[-1]["error"]["message"] or text_of(said[-1]) == json.dumps("t" * 500)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--max-body", "lots"], "--max-body 'lots' is no size"),
        (["--max-sessions", "0"], "--max-sessions '0' is no number"),
        (["--max-requests", "many"], "--max-requests 'many' is no number"),
        (["--idle", "soon"], "--idle 'soon' is no time"),
        (["--grace", "-1"], "--grace '-1' is no time"),
    ],
)
def test_limits_that_are_none(options: list[str], complaint: str) -> None:
    """One line says what to write."""
    code, said = refused(*options, "--", "true")

    assert code == 2
    assert complaint in said
    assert said.count("\n") == 1
