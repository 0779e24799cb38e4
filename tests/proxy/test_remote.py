"""`terse proxy URL` with real servers and processes: messages as they were, faults told, sessions alive."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.proxy.process import PATIENCE, Client, call, request, started, text_of
from tests.proxy.web import free_port, serving
from tests.servers.remote import MODERN, RemoteApp, Seen

PROXY = [sys.executable, "-m", "terse", "proxy"]
INIT = request(
    0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
SERVER = str(Path(__file__).parent.parent / "servers" / "remote.py")


def modern(ident: object, method: str, **params: Any) -> bytes:
    meta = {MODERN: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": 7}
    return request(ident, method, **params, _meta=meta)


def cancelled(ident: object) -> bytes:
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}
    return json.dumps(note).encode() + b"\n"


def error_of(line: bytes) -> str:
    answer = json.loads(line)
    assert set(answer) == {"jsonrpc", "id", "error"}
    message: str = answer["error"]["message"]
    return message


def eventually(happened: Any) -> None:
    until = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


@contextmanager
def session(app: RemoteApp, *options: str, begins: bool = True, **environment: str) -> Iterator[Client]:
    """A client behind the proxy, its session begun."""
    with serving(app) as address, started([*PROXY, *options, f"{address}/mcp"], **environment) as client:
        if begins:
            client.send(INIT, INITIALIZED)
            assert json.loads(client.receive())["result"]["protocolVersion"] == app.version
        yield client


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """A session for tests that leave it as it was: to start a proxy costs more than most of them."""
    with session(RemoteApp()) as client:
        yield client


def of_method(app: RemoteApp, method: str) -> list[Seen]:
    return [seen for seen in app.seen if seen.body and seen.message.get("method") == method]


# ---- messages ----------------------------------------------------------------------------------------


def test_a_message_is_the_servers_own_bytes(shared: Client) -> None:
    """Numbers, escapes, order and unknown members pass; line ends between tokens become spaces."""
    result = '{"big":12345678901234567890123,"e":"\\u00e9\\/ \xc3\xa9","n":1E400}'
    body = '{"x" : 1.10,\n "id":IDENT,\r\n"result":' + result + "}"
    shared.send(call("seven", "raw", body=body))

    expected = body.replace("IDENT", '"seven"').replace("\r\n", "  ").replace("\n", " ")
    assert shared.receive() == expected.encode("latin-1") + b"\n"


def test_a_request_reaches_the_server_as_the_client_wrote_it() -> None:
    """Byte for byte, whatever its length."""
    app = RemoteApp()
    with session(app) as client:
        odd = b'{ "method":"ping", "jsonrpc" : "2.0","id": 3.0 ,"params":{"n":1.10,"s":"\\u00e9"}}'
        client.send(odd + b"\r\n", call(4, "size", text="x" * 6_000_000))
        client.receive()

        assert odd in [seen.body for seen in app.seen]
        assert int(text_of(client.receive())) > 6_000_000


def test_a_request_is_one_write() -> None:
    """A server that has read the head has the body, too; one that hangs up at once is told of, each time."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        with started([*PROXY, url]) as client:
            for _ in range(2):
                client.send(INIT)
                connection, _ = listening.accept()
                with connection:
                    assert connection.recv(1 << 16).endswith(INIT.strip())
                assert "did not answer" in error_of(client.receive())


def test_events_are_messages_of_any_length(shared: Client) -> None:
    """Progress before its answer, an event over many lines, and one of 12 MB."""
    shared.send(call(1, "events"))
    assert json.loads(shared.receive())["method"] == "notifications/progress"
    assert text_of(shared.receive()) == "spread"
    shared.send(call(2, "big", size=12_000_000))
    assert len(text_of(shared.receive())) == 12_000_000


def test_results_are_made_smaller_as_everywhere(shared: Client) -> None:
    """The rules do not know where a server is."""
    records = json.dumps([{"id": n, "name": f"name {n}", "active": True} for n in range(60)])

    def is_smaller() -> bool:
        # A result that comes before the rules are there is sent as it came.
        shared.send(call(1, "echo", text=records))
        return len(text_of(shared.receive())) < len(records) * 0.7

    eventually(is_smaller)


def test_a_session_has_its_id_and_version_and_is_ended() -> None:
    """As the protocol wants it, up to 2025-11-25."""
    app = RemoteApp()
    with session(app) as client:
        client.send(request(1, "ping"))
        client.receive()
        client.close()
        assert client.wait() == 0

    first, *later = [seen for seen in app.seen if seen.method == "POST"]
    assert "mcp-session-id" not in first.headers
    for seen in later:
        assert seen.headers["mcp-session-id"] == "session-1"
        assert seen.headers["mcp-protocol-version"] == "2025-11-25"
        assert seen.headers["accept"] == "application/json, text/event-stream"
    assert app.seen[-1].method == "DELETE"
    assert app.sessions == set()


def test_what_the_server_says_unasked_arrives() -> None:
    """On the GET stream, which is opened again when it ends."""
    app = RemoteApp()
    with session(app) as client:
        for number in range(2):
            eventually(lambda number=number: len(app.listeners) > number)
            note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": number}})
            app.listeners[number].put_nowait(note.encode())
            assert client.receive() == note.encode() + b"\n"
            app.listeners[number].put_nowait(b"end")


def test_a_client_that_sends_all_at_once_gets_all_answers() -> None:
    """`printf init,call | terse proxy URL`: what follows `initialize` waits for it."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        client.send(INIT, INITIALIZED, *(call(n, "echo", text=str(n)) for n in range(1, 9)))
        client.close()
        answered = [json.loads(line) for line in client.rest().splitlines()]

        assert sorted(each["id"] for each in answered) == list(range(9))
        assert all("result" in each for each in answered)
        assert client.wait() == 0


def test_requests_do_not_wait_for_each_other() -> None:
    """A call that hangs holds up no other."""
    with session(RemoteApp()) as client:
        client.send(call(1, "hang"), call(2, "echo", text="quick"))

        assert text_of(client.receive()) == "quick"


def test_a_batch_is_answered(shared: Client) -> None:
    """Arrays were allowed in 2025-03-26."""
    shared.send(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n')

    assert [each["id"] for each in json.loads(shared.receive())] == [1, 2]


def test_what_is_no_message_is_the_servers_to_judge(shared: Client) -> None:
    """Its words reach the client, and the session goes on."""
    shared.send(b"{ no json\n", b"\r\n", request(1, "ping"))
    answers = [json.loads(shared.receive()) for _ in range(2)]

    assert {each["id"] for each in answers} == {None, 1}


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_no_trouble(closed: str) -> None:
    """A client may start us without stdin, stdout or stderr: no socket of ours takes their place."""
    app = RemoteApp()
    with serving(app) as address:
        command = ["sh", "-c", f'exec "$0" "$@" {closed}', *PROXY, f"{address}/mcp"]
        with started(command) as client:
            if "<" not in closed:
                client.send(INIT)
                assert json.loads(client.receive())["id"] == 0
                client.close()
            assert client.wait() == 0


# ---- 2026-07-28 ---------------------------------------------------------------------------------------


def test_a_request_without_a_session_names_itself_in_headers() -> None:
    """`Mcp-Method` and `Mcp-Name` say what the body says; there is no session and no GET stream."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        client.send(modern(1, "tools/call", name="echo", arguments={"text": "hi"}))
        assert text_of(client.receive()) == "hi"
        client.send(modern(2, "resources/read", uri="file:///caf\u00e9"))
        client.receive()
        client.close()
        client.wait()

    assert [seen.method for seen in app.seen] == ["POST", "POST"]
    headers = app.seen[0].headers
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "echo")
    assert "mcp-session-id" not in headers
    assert app.seen[1].headers["mcp-name"] == "=?base64?ZmlsZTovLy9jYWbDqQ==?="


@pytest.mark.parametrize("lists_first", [True, False])
def test_marked_parameters_are_headers_too(lists_first: bool) -> None:
    """From the list of tools, read when the server misses them, with the client's own `_meta`."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        if lists_first:
            client.send(modern(1, "tools/list"))
            client.receive()
        client.send(modern(2, "tools/call", name="routed", arguments={"region": "eu", "deep": {"n": 4}}))
        answer = client.receive()

    assert json.loads(answer)["id"] == 2
    assert text_of(answer) == "routed"
    assert app.seen[-1].headers["mcp-param-n"] == "4"
    lists = of_method(app, "tools/list")
    assert len(lists) == 1
    assert lists[0].message["params"]["_meta"][MODERN] == "2026-07-28"
    assert len(of_method(app, "tools/call")) == (1 if lists_first else 2)


def test_a_tool_that_no_header_can_be_sent_for_is_not_listed() -> None:
    """The protocol asks that of clients over HTTP; it is said once. Clients up to 2025-11-25 see the tool."""
    number = {"type": "number", "x-mcp-header": "N"}
    bad = {"name": "bad", "inputSchema": {"type": "object", "properties": {"n": number}}}
    app = RemoteApp()
    app.tools.append(bad)
    with session(app) as client:
        client.send(request(1, "tools/list"))
        assert [tool["name"] for tool in json.loads(client.receive())["result"]["tools"]] == ["routed", "bad"]
    with session(app, begins=False) as client:
        for ident in (1, 2):
            client.send(modern(ident, "tools/list"))
            assert [tool["name"] for tool in json.loads(client.receive())["result"]["tools"]] == ["routed"]
        client.close()
        client.wait()

        said = "the tool 'bad' cannot be called over HTTP: the header N is for what is no string"
        assert client.errors().count(said) == 1


def test_a_refusal_of_headers_that_stays_is_told() -> None:
    """The list is read once; the server's error is the answer then."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        client.send(modern(2, "tools/call", name="routed", arguments={"region": "eu", "deep": 1}))
        client.receive()
        client.send(
            modern(
                3,
                "tools/call",
                name="raw",
                arguments={
                    "status": 400,
                    "body": '{"id":IDENT,"error":{"code":-32020,"message":"no","data":{"x":1.0}}}',
                },
            )
        )

        assert client.receive() == b'{"id":3,"error":{"code":-32020,"message":"no","data":{"x":1.0}}}\n'
    assert len(of_method(app, "tools/call")) == 4


def test_cancelling_closes_the_stream() -> None:
    """And no notification is sent: the server sees that its client is gone."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        client.send(modern(1, "tools/call", name="hang_in_stream", arguments={}))
        eventually(lambda: app.seen)
        time.sleep(0.2)
        client.send(cancelled(1), modern(2, "tools/call", name="echo", arguments={"text": "alive"}))

        assert text_of(client.receive()) == "alive"
        eventually(lambda: app.cancelled == [1])
    assert not of_method(app, "notifications/cancelled")


def test_cancelling_what_is_over_is_no_message() -> None:
    """There is no session that it could be sent in; a server would refuse it."""
    app = RemoteApp()
    with session(app, begins=False) as client:
        client.send(modern(1, "tools/call", name="echo", arguments={"text": "one"}))
        client.receive()
        client.send(cancelled(1), cancelled(99))
        client.send(modern(2, "tools/call", name="echo", arguments={"text": "two"}))
        assert text_of(client.receive()) == "two"
        client.close()
        client.wait()
        assert client.errors() == ""
    assert len(app.seen) == 2


def test_before_2026_a_cancellation_is_a_message() -> None:
    """It is sent, and nothing is made up in its place when the stream ends."""
    app = RemoteApp()
    with session(app) as client:
        client.send(call(1, "hang_in_stream"))
        eventually(lambda: of_method(app, "tools/call"))
        client.send(cancelled(1))
        eventually(lambda: of_method(app, "notifications/cancelled"))
        client.send(call(2, "echo", text="alive"))

        assert text_of(client.receive()) == "alive"


# ---- faults -------------------------------------------------------------------------------------------


def test_a_server_that_is_down_is_told_to_each_request() -> None:
    """The proxy stays, and the session works once the server is there."""
    port = free_port()
    with started([*PROXY, f"http://127.0.0.1:{port}/mcp"]) as client:
        client.send(INIT)
        assert error_of(client.receive()).startswith(f"cannot reach http://127.0.0.1:{port}/mcp: ")

        with serving(RemoteApp(), port):
            client.send(INIT, INITIALIZED, call(1, "echo", text="up"))
            client.receive()
            assert text_of(client.receive()) == "up"


@pytest.mark.parametrize(
    ("body", "status", "kind", "said"),
    [
        ("<html>Bad Gateway</html>", 502, "text/html", "answered 502 Bad Gateway"),
        ("upstream is\ndown", 503, "text/plain", "answered 503 Service Unavailable: upstream is down"),
        ("", 202, "application/json", "answered 202 with nothing in it"),
        ("<html>", 200, "text/html", "answered 200 with no JSON in it"),
        ("\xff\xfe{", 200, "application/json", "answered 200 with no JSON in it"),
        ('{"jsonrpc":"2.0","id":IDENT,"resu', 200, "application/json", "answered 200 with no JSON in it"),
        ('{"jsonrpc":"2.0","id":99,"result":{}}', 200, "application/json", "answer is for no request"),
        ("data: garbage\n\n", 200, "text/event-stream", "ended before the answer came"),
        ('data: {"jsonrpc":"2.0","id":IDENT,', 200, "text/event-stream", "ended before the answer came"),
    ],
)
def test_a_fault_of_the_server_is_an_error_of_the_request(
    body: str, status: int, kind: str, said: str, shared: Client
) -> None:
    """One error, with the request's id, in words; and the session goes on."""
    shared.send(call(5, "raw", body=body, status=status, kind=kind))
    line = shared.receive()
    assert json.loads(line)["id"] == 5
    assert said in error_of(line)

    shared.send(call(6, "echo", text="alive"))
    assert text_of(shared.receive()) == "alive"


def test_an_error_without_an_id_gets_the_requests(shared: Client) -> None:
    """A server that could not read the request names none; its words are kept."""
    body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":1.0}}'
    shared.send(call("a", "raw", body=body, status=400))

    assert (
        shared.receive() == b'{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"no","data":1.0}}\n'
    )


def test_a_stream_that_ends_too_early_is_taken_up_again() -> None:
    """By the id of its last event; nothing is sent twice."""
    app = RemoteApp()
    with session(app) as client:
        client.send(call(1, "resumable"))

        assert text_of(client.receive()) == "resumed"
    assert len(of_method(app, "tools/call")) == 1
    assert [seen.headers["last-event-id"] for seen in app.seen if "last-event-id" in seen.headers] == [
        "place-1"
    ]


def test_a_session_that_the_server_forgot_is_begun_anew() -> None:
    """With the client's own `initialize`; the client notices nothing."""
    app = RemoteApp()
    with session(app) as client:
        eventually(lambda: app.listeners)
        client.send(request(1, "logging/setLevel", level="debug"))
        client.receive()
        app.forget_sessions()
        client.send(call(2, "echo", text="again"), call(3, "echo", text="and again"))
        answers = {json.loads(line)["id"]: text_of(line) for line in (client.receive(), client.receive())}

        assert answers == {2: "again", 3: "and again"}
        client.close()
        client.wait()
        assert "forgot the session: a new one was begun" in client.errors()
    first, second = of_method(app, "initialize")
    assert first.body == second.body == INIT.strip()
    assert len(of_method(app, "notifications/initialized")) == 2
    assert len(of_method(app, "logging/setLevel")) == 2


def test_another_server_in_its_place_is_an_error() -> None:
    """One that speaks another version cannot go on with the session."""
    app = RemoteApp()
    with session(app) as client:
        app.forget_sessions()
        app.version = "2025-06-18"
        client.send(call(1, "echo", text="again"))

        assert "start again" in error_of(client.receive())
        client.send(INIT)
        assert json.loads(client.receive())["result"]["protocolVersion"] == "2025-06-18"


def test_a_server_that_is_killed_and_restarted() -> None:
    """Requests in flight get an error, later ones a new session."""
    port = free_port()

    @contextmanager
    def server() -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen([sys.executable, SERVER, str(port)])
        try:
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)

    with started([*PROXY, f"http://127.0.0.1:{port}/mcp"]) as client:
        with server():
            client.send(INIT)
            while "error" in json.loads(client.receive()):
                client.send(INIT)
            client.send(INITIALIZED, call(1, "hang"), call(2, "hang_in_stream"))
            client.send(call(3, "echo", text="before"))
            assert text_of(client.receive()) == "before"
            client.send(call(4, "die"))
            errors = {json.loads(line)["id"]: error_of(line) for line in (client.receive() for _ in range(3))}
            assert set(errors) == {1, 2, 4}
        with server():
            until = time.monotonic() + PATIENCE
            client.send(call(5, "echo", text="after"))
            while "error" in json.loads(line := client.receive()):
                assert time.monotonic() < until
                client.send(call(5, "echo", text="after"))
            assert text_of(line) == "after"


def test_a_time_limit_ends_a_call_that_hangs_and_none_that_works() -> None:
    """`--timeout` counts from the last sign of life; the server is told, and the session goes on."""
    app = RemoteApp()
    with session(app, "--timeout", "2") as client:
        client.send(call(1, "hang"))
        assert error_of(client.receive()) == "the server did not answer within 2 s (--timeout)"
        eventually(lambda: of_method(app, "notifications/cancelled"))
        assert of_method(app, "notifications/cancelled")[0].message["params"]["requestId"] == 1

        client.send(call(2, "slow", steps=13))
        lines = [client.receive() for _ in range(14)]
        assert text_of(lines[-1]) == "slow"


def test_the_end_of_the_client_is_the_end_of_the_session() -> None:
    """A signal, with a call in flight: at once, and without a word."""
    app = RemoteApp()
    with session(app) as client:
        client.send(call(1, "hang"))
        eventually(lambda: of_method(app, "tools/call"))
        before = time.monotonic()
        client.process.send_signal(signal.SIGTERM)

        assert client.wait() == 128 + signal.SIGTERM
        assert time.monotonic() - before < 5
        assert client.errors() == ""


def test_redirects_stay_with_the_server() -> None:
    """What is meant for one server, its token included, goes to no other."""
    app, other = RemoteApp(), RemoteApp()
    with serving(other) as elsewhere, session(app) as client:
        client.send(call(1, "redirected", to=f"{elsewhere}/mcp"))

        assert f"sends on to {elsewhere}/mcp" in error_of(client.receive())
        client.send(call(2, "redirected", to="/again"))
        assert "redirects without end" in error_of(client.receive())
    assert other.seen == []


# ---- headers ------------------------------------------------------------------------------------------


def test_headers_of_the_user_are_sent_and_never_shown() -> None:
    """Variables stand for what the environment says."""
    app = RemoteApp(token="s3cr3t")
    options = ["-H", "Authorization: Bearer ${TERSE_TEST_TOKEN}", "--header=X-Team: a b"]
    with session(app, *options, TERSE_TEST_TOKEN="s3cr3t") as client:
        app.refuses = 500
        client.send(call(1, "echo", text="x"))
        line = client.receive()
        client.close()
        client.wait()
        assert "s3cr3t" not in line.decode() + client.errors()

    assert all(seen.headers["x-team"] == "a b" for seen in app.seen)


def test_a_refusal_without_a_challenge_is_told() -> None:
    """401 and no login to be had: what to give is said, and nothing is asked of the user."""
    with session(RemoteApp(token="t"), begins=False) as client:
        client.send(INIT)

        assert "answered 401 Unauthorized; give it a token" in error_of(client.receive())


def test_a_client_that_does_not_read_fills_no_memory() -> None:
    """Streams are read on as the client reads."""
    with session(RemoteApp()) as client:
        client.send(*(call(n, "big", size=2_000_000) for n in range(1, 41)))
        time.sleep(1.5)
        with suppress(OSError):
            status = Path(f"/proc/{client.process.pid}/status").read_text()
            peak = next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))
            assert peak < 400_000
        found = [json.loads(client.receive())["id"] for _ in range(40)]
        assert sorted(found) == list(range(1, 41))
