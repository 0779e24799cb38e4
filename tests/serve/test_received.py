"""What a client was never given is never spoken of: `dedup` and `diff` know what it has read."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serve.served import HERE, TALKING, Client, Served, call, events, messages, served, text_of

RULES = ("--rules", str(HERE / "memory.terse"))
SLOW = {"size": 20, "pause": 0.3}
"""An answer that a client may leave before."""
LEAVES_AFTER = 0.1


@pytest.fixture(scope="module", params=["one server", "several"])
def remembering(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service whose rules speak of earlier results."""
    if request.param == "one server":
        with served(*RULES) as running:
            yield running
        return
    path: Path = tmp_path_factory.mktemp("several") / "servers.json"
    one = {"command": sys.executable, "args": TALKING[1:]}
    path.write_text(json.dumps({"mcpServers": {"talking": one, "other": one}}))
    with served(*RULES, "--config", str(path), command=[]) as running:
        yield running


@pytest.fixture
def user(remembering: Served) -> Iterator[Client]:
    """A client with a session of its own, which knows the names of the tools."""
    with Client(remembering.url) as client:
        client.begin()
        listed = messages(client.post({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}))[-1]
        names = [each["name"] for each in listed["result"]["tools"]]
        client.records = next(name for name in names if name.endswith("records"))  # type: ignore[attr-defined]
        yield client


def tool(client: Client) -> str:
    name: str = client.records  # type: ignore[attr-defined]
    return name


def leave(client: Client, message: Any) -> None:
    """Post, and close the connection before there is an answer."""
    with pytest.raises(httpx2.TimeoutException):
        client.http.post(
            client.url, content=json.dumps(message).encode(), headers=client.headers, timeout=LEAVES_AFTER
        )


def is_full(text: str) -> bool:
    return text.count("\n") > 15


def test_an_answer_that_was_read_is_spoken_of(user: Client) -> None:
    """Called again, the tool gives the same: that is said in a line. By JSON and by events."""
    for more in ({}, {"said": "a line before"}):
        first, again = (user.call(tool(user), size=40, **more) for _ in range(2))

        assert is_full(first)
        assert not is_full(again)
        assert len(again) < len(first) / 4


def test_a_client_that_closes_each_connection(user: Client) -> None:
    """Whether it says so or not: an answer that it read is one that it has."""
    for name, headers in (("said", {"connection": "close"}), ("unsaid", {})):
        user.http = httpx2.Client(
            trust_env=False, headers=headers, limits=httpx2.Limits(max_keepalive_connections=0)
        )
        first, again = (user.call(tool(user), size=20, mark=name) for _ in range(2))

        assert is_full(first)
        assert not is_full(again)


@pytest.mark.parametrize("more", [{}, {"said": "a line before"}], ids=["JSON", "events"])
def test_a_client_that_left_before_the_answer(user: Client, more: dict[str, str]) -> None:
    """It calls again, be it at once or later, and gets all of it; what it then has is spoken of."""
    for number, pause in enumerate((0.0, 0.4)):
        arguments = {**SLOW, **more, "mark": f"{number}"}
        asked = call(f"left-{number}", tool(user), **arguments)
        if more:
            # The stream has begun, and breaks after its first event.
            with user.posting(asked) as response:
                next(event for event in events(response) if event.data)
        else:
            leave(user, asked)
        time.sleep(pause)
        second, third = (user.call(tool(user), **arguments) for _ in range(2))

        assert is_full(second)
        assert not is_full(third)


def test_a_broken_stream_that_was_taken_up(user: Client) -> None:
    """By `Last-Event-ID` the client has read the answer after all: it is spoken of."""
    arguments = {**SLOW, "said": "a line before"}
    with user.posting(call("broken", tool(user), **arguments)) as response:
        first = next(event for event in events(response) if event.data)
    with user.listening(last_event_id=first.id or "") as response:
        (answer,) = [event.message for event in events(response) if event.data]

    assert is_full(text_of(answer))
    assert not is_full(user.call(tool(user), **arguments))


def test_a_stream_that_breaks_after_the_answer(user: Client) -> None:
    """What was read before it broke is spoken of; reading it a second time changes nothing."""
    arguments = {"size": 20, "said": "a line before"}
    with user.posting(call("read", tool(user), **arguments)) as response:
        first, answer = (event for event in events(response) if event.data)
    with user.listening(last_event_id=first.id or "") as response:
        (again,) = [event.message for event in events(response) if event.data]

    assert answer.message == again
    assert not is_full(user.call(tool(user), **arguments))


def test_a_cancelled_call_is_not_spoken_of(user: Client) -> None:
    """Whoever cancels does not read what comes, also if the server answers all the same."""
    arguments = {**SLOW, "said": "a line before"}
    with user.posting(call("gone", tool(user), **arguments)) as response:
        first = next(event for event in events(response) if event.data)
        params = {"requestId": "gone"}
        told = user.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    time.sleep(0.4)
    with user.listening(last_event_id=first.id or "") as response:
        assert [event for event in events(response) if event.data] == []

    assert told.status_code == 202
    assert is_full(user.call(tool(user), **arguments))


def test_an_id_that_is_used_again(user: Client) -> None:
    """A client that posts the same once more, with the same id, gets all of it, and then has it."""
    asked = call("same", tool(user), **SLOW)
    leave(user, asked)
    time.sleep(0.4)
    (again,) = messages(user.post(asked))

    assert is_full(text_of(again))
    assert not is_full(user.call(tool(user), **SLOW))


def test_a_list_of_the_tools_that_was_never_read(remembering: Served) -> None:
    """The client does not know the tool that fetches what was set aside: until it does, nothing is."""
    slow = {"jsonrpc": "2.0", "id": "slow", "method": "tools/list", "params": {"_meta": {"pause": 0.4}}}
    with Client(remembering.url) as client:
        client.begin()
        leave(client, slow)
        time.sleep(0.8)
        name = "records" if "records" in names_of(remembering) else "talking__records"
        unread = client.call(name, size=4, bodies=True, mark="unread")
        listed = messages(client.post({"jsonrpc": "2.0", "id": "read", "method": "tools/list"}))[-1]
        read = client.call(name, size=4, bodies=True, mark="read")

    assert any("retrieve" in tool["name"] for tool in listed["result"]["tools"])
    assert "x y z" in unread
    assert re.search(r"\bh\d{9}\b", unread) is None
    assert "x y z" not in read
    assert re.search(r"\bh\d{9}\b", read)


def names_of(service: Served) -> list[str]:
    """The tools, as another client is shown them."""
    with Client(service.url) as other:
        other.begin()
        listed = messages(other.post({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}))[-1]
        return [each["name"] for each in listed["result"]["tools"]]
