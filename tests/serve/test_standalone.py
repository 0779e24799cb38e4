"""Requests of 2026-07-28: each stands alone, and all of one user share a server."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.proxy.process import ends
from tests.serve.served import (
    HERE,
    META,
    MODERN,
    Alone,
    Client,
    Served,
    events,
    messages,
    served,
    text_of,
    until,
)


def test_all_requests_share_a_server(service: Served, alone: Alone) -> None:
    """One process, which is none of a session; its clients may choose the same ids."""
    with Alone(service.url) as other, Client(service.url) as old, ThreadPoolExecutor(8) as pool:
        old.begin()
        said = list(pool.map(lambda n: text_of(alone.answer("say", text=str(n))), range(24)))

        assert said == [str(n) for n in range(24)]
        assert alone.call("pid") == other.call("pid") != old.call("pid")


def test_clients_that_are_shown_other_things_share_none(alone: Alone, service: Served) -> None:
    """What a client shows its model decides what is sent, so that such clients are kept apart."""
    with Alone(service.url, name="claude-code") as structured, Alone(service.url, name=None) as nameless:
        assert structured.call("pid") != alone.call("pid")
        assert nameless.call("pid") == alone.call("pid")


def test_nothing_is_said_of_what_another_request_was_sent() -> None:
    """Rules that speak of earlier results have none to speak of: nobody knows what the client has."""
    with (
        served("--rules", str(HERE / "memory.terse")) as service,
        Alone(service.url) as first,
        Alone(service.url) as second,
    ):
        texts = [each.call("records", size=40) for each in (first, first, second)]

    assert texts[0] == texts[1] == texts[2]
    assert "record" in texts[0]


def test_progress_and_answers_reach_who_asked(alone: Alone) -> None:
    """Two clients use one id and one token at a time: each hears of its own call."""

    def ask(steps: int) -> list[object]:
        arguments = {"steps": steps, "pause": 0.02}
        return messages(alone.ask("tools/call", 1, token="t", name="progress", arguments=arguments))

    with ThreadPoolExecutor(4) as pool:
        for steps, said in zip((3, 5, 7, 9), pool.map(ask, (3, 5, 7, 9)), strict=True):
            *told, answer = said

            assert [each["params"] for each in told] == [
                {"progressToken": "t", "progress": n} for n in range(steps)
            ]
            assert answer["id"] == 1


def test_a_client_that_goes_cancels_its_request(alone: Alone) -> None:
    """Closing the stream is how it is said; the server is told in its own way."""
    before = len(json.loads(alone.call("cancelled")))
    message = alone.request(1, "tools/call", token="t", name="progress", arguments={"steps": 1, "pause": 1.0})
    with alone.posting(message, **alone.routing(message)) as response:
        next(events(response))

    until(lambda: len(json.loads(alone.call("cancelled"))) == before + 1, "the server is told")


def test_a_client_that_goes_before_anything_was_said(service: Served, alone: Alone) -> None:
    """The same where no stream has begun yet."""
    before = len(json.loads(alone.call("cancelled")))
    message = alone.request(1, "tools/call", name="hang", arguments={})
    with Alone(service.url) as impatient:
        impatient.http.timeout = 0.3
        with pytest.raises(Exception, match="timed out"):
            impatient.post(message, **impatient.routing(message))

    until(lambda: len(json.loads(alone.call("cancelled"))) == before + 1, "the server is told")


def test_subscriptions(alone: Alone) -> None:
    """What a client listens to comes under the id of its own request."""
    message = alone.request("mine", "subscriptions/listen", notifications={"toolsListChanged": True})
    with alone.posting(message, **alone.routing(message)) as response:
        said = events(response)
        first, second = next(said).message, next(said).message

    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert second["method"] == "notifications/tools/list_changed"
    assert {each["params"]["_meta"][f"{META}subscriptionId"] for each in (first, second)} == {"mine"}


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe"])
def test_methods_that_are_gone(alone: Alone, method: str) -> None:
    """They are unknown, which HTTP says as well."""
    response = alone.ask(method)

    assert response.status_code == 404
    assert response.json()["error"]["code"] == -32601


def test_an_error_has_its_status(alone: Alone) -> None:
    """A method that the server does not know is a 404 with its own words."""
    response = alone.ask("no/such")

    assert response.status_code == 404
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32601, "message": "Method not found"},
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_method": "tools/list"},
        {"mcp_name": "pid"},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": "2099-01-01"},
    ],
)
def test_headers_that_say_something_else(alone: Alone, headers: dict[str, str]) -> None:
    """A request is refused whose headers differ from its body: a gateway would have judged by them."""
    message = alone.request(1, "tools/call", name="say", arguments={"text": "a"})
    response = alone.post(message, **{**alone.routing(message), **headers})

    assert response.status_code == 400
    assert "error" in response.json()


def test_headers_from_arguments(alone: Alone) -> None:
    """`x-mcp-header` of a tool's schema: the header has to be there, and to be the argument."""
    message = alone.request(1, "tools/call", name="routed", arguments={"region": "eu"})
    right = alone.post(message, **alone.routing(message), mcp_param_region="eu")
    wrong = alone.post(message, **alone.routing(message), mcp_param_region="us")

    assert text_of(right.json()) == "eu"
    assert wrong.status_code == 400


def test_there_is_nothing_to_get_or_delete(alone: Alone) -> None:
    """Without sessions there is only POST."""
    for method in ("GET", "DELETE"):
        response = alone.http.request(method, alone.url, headers={"mcp-protocol-version": MODERN})

        assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "arguments",
    [b"[" * 5000 + b"]" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000, b'"\xff"', b'{"text":"\\ud800"}', b"7"],
    ids=["deep lists", "deep objects", "no text", "half a character", "a number"],
)
def test_arguments_that_are_odd(alone: Alone, service: Served, arguments: bytes) -> None:
    """They are answered or refused, as an error of the request: never with a fault of ours."""
    message = alone.request(1, "tools/call", name="say", arguments="HERE")
    body = json.dumps(message).encode().replace(b'"HERE"', arguments)
    response = alone.post(body, **alone.routing(message))

    assert response.status_code in (200, 400)
    assert alone.call("say", text="alive") == "alive"
    assert not any("failed" in line for line in service.said)


def test_notifications_are_taken_and_dropped(alone: Alone) -> None:
    """This version has none from clients."""
    response = alone.post({"jsonrpc": "2.0", "method": "notifications/x"}, mcp_protocol_version=MODERN)

    assert response.status_code == 202


def test_a_server_that_ends_is_started_anew() -> None:
    """Who waits is told, and the next request finds another process."""
    with served() as service, Alone(service.url) as client:
        pid = client.call("pid")
        answer = client.answer("die")

        assert "the server has ended" in answer["error"]["message"]
        assert client.call("pid") != pid


def test_a_value_set_aside_is_fetched_by_another_request() -> None:
    """The marks name a handle; whoever of the same user asks for it gets the value, exactly."""
    with (
        served("--rules", str(HERE / "memory.terse")) as service,
        Alone(service.url) as first,
        Alone(service.url) as second,
    ):
        tools = first.ask("tools/list").json()["result"]["tools"]
        text = first.call("records", size=3, bodies=True)
        own = next(tool for tool in tools if "retrieve" in tool["name"])
        given = text_of(second.answer(own["name"], handle=_handle(text)))

    assert "x y z x y z" not in text
    assert "x y z x y z" in given


def _handle(text: str) -> str:
    found = re.search(r"\bh\d{9}\b", text)
    assert found, text
    return found[0]


def test_the_process_ends_with_the_service() -> None:
    """Nothing is left of a shared server."""
    with served() as service, Alone(service.url) as client:
        pid = int(client.call("pid"))
        assert service.stop() == 0

    assert ends(pid)
