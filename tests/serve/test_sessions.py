"""Clients that begin with `initialize`: sessions, streams, and what is said on which."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.proxy.process import ends
from tests.serve.served import HERE, Client, Served, call, events, messages, request, served, text_of, until


def test_a_session_has_a_server_of_its_own(service: Served, client: Client) -> None:
    """Two clients talk to two processes, each its own for as long as it lasts."""
    with Client(service.url) as other:
        other.begin()

        assert client.call("pid") == client.call("pid")
        assert client.call("pid") != other.call("pid")
        assert json.loads(client.call("calls")) == ["pid"] * 3 + ["calls"]
        assert json.loads(other.call("calls")) == ["pid", "calls"]


def test_results_are_smaller_and_rules_remember_the_session(client: Client) -> None:
    """The default policy makes tables; rules that speak of earlier results know those of the session."""
    assert client.call("records", size=40).startswith("JSON outline: 40 rows of id")
    with (
        served("--rules", str(HERE / "memory.terse")) as service,
        Client(service.url) as first,
        Client(service.url) as second,
    ):
        sizes = [len(each.begin().call("records", size=40)) for each in (first, second)]
        again = len(first.call("records", size=40))

    assert sizes[0] == sizes[1] < 1500
    assert again < sizes[0] / 4


def test_one_answer_is_json(client: Client) -> None:
    """What is nothing but an answer needs no stream."""
    response = client.post(call(1, "say", text="hello"))

    assert response.headers["content-type"] == "application/json"
    assert text_of(response.json()) == "hello"


def test_progress_comes_on_the_stream_of_its_request(client: Client) -> None:
    """Two requests at once: each stream has its own token's progress and its own answer, in order."""
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(
                client.post,
                request(
                    ident,
                    "tools/call",
                    name="progress",
                    arguments={"steps": 5, "pause": 0.02},
                    _meta={"progressToken": token},
                ),
            )
            for ident, token in ((1, "one"), ("1", 1))
        ]
    for response, (ident, token) in zip(
        (each.result() for each in asked), ((1, "one"), ("1", 1)), strict=True
    ):
        *told, answer = messages(response)

        assert [each["params"] for each in told] == [
            {"progressToken": token, "progress": n} for n in range(5)
        ]
        assert answer["id"] == ident
        assert json.loads(text_of(answer)) == token


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("sampling/createMessage", {"role": "assistant", "content": {"type": "text", "text": "four"}}),
        ("elicitation/create", {"action": "accept", "content": {"name": "Ada"}}),
        ("roots/list", {"roots": [{"uri": "file:///home"}]}),
    ],
)
def test_a_server_asks_its_client_during_a_call(
    client: Client, method: str, answer: dict[str, object]
) -> None:
    """The question comes on the stream of the call, and its answer by another POST reaches the server."""
    with client.posting(call(1, "ask", method=method, params={"n": 1})) as response:
        said = (event for event in events(response) if event.data)
        question = next(said).message
        told = client.post({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        result = next(said).message

    assert (question["method"], question["params"]) == (method, {"n": 1})
    assert told.status_code == 202
    assert json.loads(text_of(result)) == answer


def test_what_nobody_asked_for_comes_on_the_general_stream(client: Client) -> None:
    """A notification after the answer is heard on the GET stream, also if that is opened later."""
    assert client.call("later", text="early", after=0.1) == "soon"
    time.sleep(0.4)
    with client.listening() as response:
        said = (event for event in events(response) if event.data)
        early = next(said).message
        client.call("later", text="now")
        now = next(said).message

    assert early["params"]["data"] == "early 0"
    assert now["params"]["data"] == "now 0"


def test_there_is_one_general_stream(client: Client) -> None:
    """A second one is refused: it would not be known which is to have a message."""
    with client.listening() as first, client.listening() as second:
        assert first.status_code == 200
        assert second.status_code == 409


def test_nobody_listens_and_the_server_goes_on(client: Client) -> None:
    """Megabytes of notifications that nobody asked for neither block the server nor fill the memory."""
    client.call("later", text="x" * 60_000, times=60, after=0.1)
    time.sleep(0.5)

    assert client.call("say", text="still here") == "still here"
    with client.listening() as response:
        first = next(event for event in events(response) if event.data).message
    assert int(first["params"]["data"].rpartition(" ")[2]) > 0, "the oldest were forgotten"


def test_a_stream_begins_with_an_event_to_take_it_up_from(client: Client) -> None:
    """Since 2025-11-25 the first event is empty, and says when to come again."""
    with client.posting(call(1, "log", text="a")) as response:
        first, *rest = list(events(response))

    assert first.data == ""
    assert first.id is not None
    assert [event.id is not None for event in rest] == [True, True]


def test_an_older_client_gets_no_empty_event(service: Served) -> None:
    """It would take the empty event for a message that is no JSON."""
    with Client(service.url, version="2025-06-18") as client:
        client.begin()
        with client.posting(call(1, "log", text="a")) as response:
            assert all(event.data for event in events(response))


def test_a_broken_stream_is_taken_up(client: Client) -> None:
    """The client goes after some of what a call says; it gets the rest, once each, and the answer."""
    message = request(
        1, "tools/call", name="progress", arguments={"steps": 10, "pause": 0.05}, _meta={"progressToken": "t"}
    )
    with client.posting(message) as response:
        said = (event for event in events(response) if event.data)
        seen = [next(said) for _ in range(3)]
    with client.listening(last_event_id=seen[-1].id or "") as response:
        rest = [event.message for event in events(response) if event.data]

    steps = [event.message["params"]["progress"] for event in seen]
    steps += [each["params"]["progress"] for each in rest[:-1]]
    assert steps == list(range(10))
    assert rest[-1]["id"] == 1


def test_a_stream_is_taken_up_after_its_end(client: Client) -> None:
    """The answer was said while the client was away: it is still there, and then the stream ends."""
    with client.posting(call(1, "log", text="a", pause=0.3)) as response:
        first = next(event for event in events(response) if event.data)
    assert client.call("wait", seconds=0.5) == "waited"
    with client.listening(last_event_id=first.id or "") as response:
        (answer,) = [event.message for event in events(response) if event.data]

    assert text_of(answer) == "logged"


@pytest.mark.parametrize("last", ["1-999", "77-1", "x", "-", "1-", "1-1-1", "9" * 400 + "-1"])
def test_an_event_that_never_was_cannot_be_taken_up(client: Client, last: str) -> None:
    """It is a 404, and no stream that waits for ever."""
    with client.listening(last_event_id=last) as response:
        assert response.status_code == 404


def test_a_session_ends_with_delete(client: Client) -> None:
    """Its process is ended; whoever names it again is told to begin anew."""
    pid = int(client.call("pid"))
    gone = client.http.delete(client.url, headers=client.headers)

    assert gone.status_code == 200
    assert ends(pid)
    assert client.post(call(1, "pid")).status_code == 404
    assert client.http.delete(client.url, headers=client.headers).status_code == 404
    with client.listening() as response:
        assert response.status_code == 404


def test_a_request_without_a_session(service: Served) -> None:
    """It is told to begin one; a made-up session is none."""
    with Client(service.url) as client:
        without = client.post(call(1, "pid"))
        made_up = client.post(call(1, "pid"), mcp_session_id="made-up")

    assert (without.status_code, made_up.status_code) == (400, 404)
    assert "initialize" in without.json()["error"]["message"]


def test_a_cancelled_request(client: Client) -> None:
    """The server is told, and the stream of the request ends, whether it answers or not."""
    done = threading.Event()

    def cancel() -> None:
        params = {"requestId": 1, "reason": "enough"}
        assert (
            client.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).status_code
            == 202
        )
        done.set()

    timer = threading.Timer(0.3, cancel)
    timer.start()
    said = messages(client.post(call(1, "hang")))

    assert done.wait(20)
    assert said == []
    assert json.loads(client.call("cancelled")) == [1]


def test_the_id_of_a_request_that_is_not_answered(client: Client) -> None:
    """A second request of that id is refused: nobody could tell the answers apart. `"1"` is another id."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.answer, "wait", seconds=0.6)
        until(
            lambda: (
                "wait" in json.loads(client.post(call("c", "calls")).json()["result"]["content"][0]["text"])
            ),
            "it is asked",
        )
        twice = client.post(call(101, "pid"))
        other = client.post(call("101", "pid"))
        answer = waiting.result()

    assert twice.status_code == 400
    assert other.status_code == 200
    assert text_of(answer) == "waited"


def test_a_batch(service: Served) -> None:
    """2025-03-26 has them: every request is answered, and what was told with them arrives."""
    with Client(service.url, version="2025-03-26") as client:
        client.begin()
        batch = [
            call(1, "say", text="one"),
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
            call(2, "say", text="two"),
        ]
        response = client.post(batch)
        told = client.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
        cancelled = client.call("cancelled")

    assert {each["id"]: text_of(each) for each in messages(response)} == {1: "one", 2: "two"}
    assert told.status_code == 202
    assert json.loads(cancelled) == [99]


def test_versions_without_batches_refuse_them(client: Client) -> None:
    """Since 2025-06-18 a body is one message."""
    response = client.post([call(1, "say", text="one")])

    assert response.status_code == 400
    assert "one message" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"7", 400),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
    ],
    ids=["nothing", "half", "no messages", "a number", "two ids", "no text", "deep"],
)
def test_a_body_that_is_no_message(client: Client, body: bytes, status: int) -> None:
    """It is refused, and the session is as it was."""
    assert client.post(body).status_code == status
    assert client.call("say", text="alive") == "alive"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"accept": "application/json"}, 406),
        ({"accept": "text/event-stream"}, 406),
        ({"content_type": "text/plain"}, 415),
        ({"accept": "*/*"}, 200),
        ({"accept": "application/*, text/*;q=0.5"}, 200),
        ({"content_type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_what_a_client_has_to_accept(client: Client, headers: dict[str, str], status: int) -> None:
    """Both forms of an answer, and it sends JSON."""
    assert client.post(call(1, "say", text="a"), **headers).status_code == status


def test_messages_arrive_as_they_were_sent(client: Client) -> None:
    """White space between values, as a client may write it, splits no message; text is kept exactly."""
    text = "käse \u2028 \\n “quoted” 🧀"
    body = json.dumps(call(1, "say", text=text), indent=2, ensure_ascii=False).replace("\n", "\r\n").encode()

    assert text_of(client.post(body).json()) == text


def test_many_clients_at_once(service: Served) -> None:
    """Twenty sessions side by side: each gets its own answers, and nothing of another's."""

    def work(name: int) -> list[str]:
        with Client(service.url) as client:
            client.begin()
            return [client.call("records", size=20, mark=f"of-{name}-{n}-") for n in range(8)]

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(work, range(20)))

    for name, texts in enumerate(results):
        for number, text in enumerate(texts):
            assert f"of-{name}-{number}-" in text
            assert not any(f"of-{other}-" in text for other in range(20) if other != name)


def test_ids_of_sessions_cannot_be_guessed(service: Served) -> None:
    """They are long, made at random, and visible ASCII."""
    found = set()
    for _ in range(3):
        with Client(service.url) as client:
            found.add(client.begin().session)

    assert len(found) == 3
    assert all(len(each) >= 32 and each.isascii() and each.isprintable() for each in found)


def test_processes_of_ended_sessions_are_gone(service: Served) -> None:
    """A client that ends its session leaves nothing behind."""
    pids = []
    for _ in range(3):
        with Client(service.url) as client:
            pids.append(int(client.begin().call("pid")))
            client.http.delete(client.url, headers=client.headers)

    until(lambda: all(ends(pid) for pid in pids), "the processes end")
