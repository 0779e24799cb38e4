"""`terse proxy` in front of a process that fails without ending: the session lives, and stdout is all MCP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proxy.process import Client, call, request, started, text_of
from tests.proxy.test_remote import INIT, INITIALIZED, cancelled

SERVERS = Path(__file__).parent.parent / "servers"
PROXY = [sys.executable, "-m", "terse", "proxy", "--"]


@pytest.fixture
def client() -> Iterator[Client]:
    """A session with a server that does as its tools are told."""
    with started([*PROXY, sys.executable, str(SERVERS / "talking.py")]) as made:
        made.send(INIT, INITIALIZED)
        assert json.loads(made.receive())["id"] == 0
        yield made


def answer(client: Client, ident: int) -> bytes:
    """The answer to a request; what is told before it is passed over."""
    while json.loads(line := client.receive()).get("id") != ident:
        pass
    return line


def test_a_call_that_hangs_holds_up_no_other(client: Client) -> None:
    """The client takes it back, which the server hears; all else is answered before and after."""
    client.send(call(1, "hang"), call(2, "say", text="beside it"))
    assert text_of(answer(client, 2)) == "beside it"
    client.send(cancelled(1), call(3, "cancelled"))
    assert "1" in text_of(answer(client, 3))
    client.send(call(4, "say", text="alive"))
    assert text_of(answer(client, 4)) == "alive"


def test_a_call_that_is_slow_is_answered(client: Client) -> None:
    """However long it takes, and what is asked later is answered earlier."""
    client.send(call(1, "wait", seconds=1.5), request(2, "ping"))
    assert json.loads(client.receive())["id"] == 2
    assert text_of(answer(client, 1)) == "waited"


def test_what_is_no_message_passes_and_the_answer_comes(client: Client) -> None:
    """As without us: the client judges it. Nothing of ours is on stdout."""
    client.send(call(1, "noise"))
    seen = b""
    while b'"id": 1' not in seen and b'"id":1' not in seen:
        seen += client.receive()
    assert text_of(seen.splitlines()[-1]) == "after the noise"
    client.send(call(2, "say", text="alive"))
    assert text_of(answer(client, 2)) == "alive"
