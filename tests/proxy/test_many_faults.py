"""Several servers behind one connection, some of which misbehave: the others go on, and nothing is left."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

from tests.proxy import process
from tests.proxy.process import Client, call, request
from tests.proxy.test_many import asked, introduced, many, notes_of, take, text

META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


def tools(client: Client, ident: object, **params: object) -> list[str]:
    return [tool["name"] for tool in asked(client, ident, "tools/list", **params)["result"]["tools"]]


def next_of(client: Client, method: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(client.receive())
        if message.get("method") == method:
            return message


def pids_in(file: Path, count: int) -> list[int]:
    until = time.monotonic() + process.PATIENCE
    while time.monotonic() < until:
        if file.exists() and len(found := file.read_text().split()) >= count:
            return [int(pid) for pid in found]
        time.sleep(0.01)
    raise AssertionError(f"{count} servers were not started")


def test_a_server_that_dies_leaves_the_calls_of_others_alone() -> None:
    """Its own calls are answered with the reason; what another one works on is answered by that."""
    with many(one=[], two=["--dies-on", "prompts/get"]) as client:
        introduced(client)
        client.send(call(1, "two__late"), call(2, "one__ask"))
        question = json.loads(client.receive())
        client.send(request(3, "prompts/get", name="two__greet"))
        assert take(client, 1)["result"]["content"][0]["text"].startswith("The server two is not available")
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}
        client.send(json.dumps(answer).encode() + b"\n")
        assert take(client, 2)["result"]["content"][0]["text"].startswith("ONE ASK")


def test_a_server_that_dies_again_and_again_is_started_less_and_less(tmp_path: Path) -> None:
    """Its starts are few, stderr has a line for it, and the others do not notice."""
    pids = tmp_path / "pids"
    with many(one=[], dying=["--dies", "--pids", str(pids)]) as client:
        result = introduced(client)
        assert "one (tools one__*)" in result["instructions"]
        pids_in(pids, 2)
        for ident in range(1, 50):
            assert text(client, ident, "one__say") == "ONE SAY "
        client.close()
        client.rest()
        assert client.wait() == 0
        said = client.errors().splitlines()
    assert len(pids.read_text().split()) <= 4
    assert said == ["terse: the server dying has ended: it is started again"]


def test_a_server_that_hangs_in_a_call_holds_up_nobody() -> None:
    """Its call waits until the client gives up; all else is answered."""
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call("hung", "two__late"))
        for ident in range(1, 20):
            assert text(client, ident, "one__say") == "ONE SAY "
            assert text(client, f"two {ident}", "two__say") == "TWO SAY "


def test_a_server_that_hangs_costs_its_time_once() -> None:
    """The first list waits until the limit is over, and those that follow do not wait for it again."""
    with many(2.0, one=[], hung=["--hangs", "tools/list"]) as client:
        introduced(client)
        assert tools(client, 1) == ["one__say"]
        start = time.monotonic()
        for ident in range(2, 12):
            assert tools(client, ident) == ["one__say"]
        assert time.monotonic() - start < 10 * 2.0


def test_a_server_that_floods_leaves_room_for_the_others() -> None:
    """A client that reads finds the answer of another server after a bounded part of the flood."""
    with many(one=[], flood=["--floods"]) as client:
        introduced(client)
        next_of(client, "notifications/message")
        client.send(call(1, "one__say"))
        before = 0
        while (message := json.loads(client.receive())).get("id") != 1:
            before += len(json.dumps(message))
        assert process.text_of(json.dumps(message).encode()) == "ONE SAY "
        assert before < 16 * 1024 * 1024


def test_a_server_that_reads_nothing_is_given_no_more_than_there_is_room_for() -> None:
    """The others are asked as ever; what is meant for it is refused once too much waits."""
    with many(2.0, one=[], deaf=["--deaf"]) as client:
        introduced(client)
        assert text(client, 1, "deaf__say").startswith(
            "The server deaf is not available: it has not answered `initialize` yet."
        )
        assert text(client, 2, "one__say") == "ONE SAY "


def test_a_large_result_does_not_hold_up_a_small_one_of_another_server() -> None:
    """Both arrive whole, whichever comes first."""
    count = 2 * 1024 * 1024
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call(1, "one__big", count=count), call(2, "two__say"))
        answers = process.answers([client.receive(), client.receive()])
    assert process.text_of(answers[2]) == "TWO SAY "
    assert process.text_of(answers[1]).lower() == "x" * count


def test_a_list_that_cannot_be_read_is_left_out() -> None:
    """Of that server only, with a line on stderr."""
    with many(one=[], odd=["--garbles", "tools/list"]) as client:
        introduced(client)
        assert tools(client, 1) == ["one__say"]
        client.close()
        client.rest()
        client.wait()
        assert "reading tools/list of odd failed" in client.errors()


def test_all_servers_are_ended_with_the_proxy(tmp_path: Path) -> None:
    """SIGTERM ends twenty of them, also those that ignore the end of their input and the signal."""
    pids = tmp_path / "pids"
    options = ["--stays", "--pids", str(pids)]
    with many(**{f"s{number}": options for number in range(20)}) as client:
        introduced(client)
        started = pids_in(pids, 20)
        client.process.send_signal(signal.SIGTERM)
        assert client.wait() == 128 + signal.SIGTERM
        assert all(process.ends(pid, within=2.0) for pid in started)


def test_a_killed_proxy_leaves_no_server_behind(tmp_path: Path) -> None:
    """Where the kernel can be asked for that (Linux), also SIGKILL ends them."""
    pids = tmp_path / "pids"
    options = ["--stays", "--pids", str(pids)]
    with many(one=options, two=options) as client:
        introduced(client)
        started = pids_in(pids, 2)
        client.process.kill()
        client.wait()
        if Path("/proc/self").exists():
            assert all(process.ends(pid, within=2.0) for pid in started)


def test_a_client_that_is_gone_ends_all_servers(tmp_path: Path) -> None:
    """Its pipes are closed, and it says nothing more."""
    pids = tmp_path / "pids"
    options = ["--stays", "--pids", str(pids)]
    with many(one=options, flood=["--floods", "--pids", str(pids)]) as client:
        introduced(client)
        started = pids_in(pids, 2)
        assert client.process.stdout
        client.close()
        client.process.stdout.close()
        client.wait()
        assert all(process.ends(pid) for pid in started)


def test_twenty_servers_are_one() -> None:
    """Their tools are in the order of the document, and each answers."""
    names = [f"s{number}" for number in range(20)]
    with many(**{name: [] for name in names}) as client:
        introduced(client)
        assert tools(client, "list") == [f"{name}__say" for name in names]
        client.send(*(call(name, f"{name}__say") for name in names))
        answers = process.answers([client.receive() for _ in names])
    assert {name: process.text_of(answers[name]) for name in names} == {
        name: f"{name.upper()} SAY " for name in names
    }


def test_a_server_that_is_back_is_told_what_the_client_had_asked_for(tmp_path: Path) -> None:
    """The level of logging, and the resources that the client subscribed to."""
    notes = tmp_path / "notes"
    with many(one=[], two=["--notes", str(notes)]) as client:
        introduced(client)
        asked(client, 1, "logging/setLevel", level="info")
        asked(client, 2, "resources/subscribe", uri="two://a")
        asked(client, 3, "resources/subscribe", uri="two://b")
        asked(client, 4, "resources/unsubscribe", uri="two://a")
        text(client, 5, "two__die")
        next_of(client, "notifications/tools/list_changed")
        assert text(client, 6, "two__say") == "TWO SAY "
    assert notes_of(notes)[-5:] == [
        "two initialize",
        "two notifications/initialized",
        "two logging/setLevel",
        "two resources/subscribe",
        "two tools/call",
    ]


def test_who_listens_is_told_by_a_server_that_is_back() -> None:
    """As of 2026-07-28: the subscription outlives the server, and the client hears that its lists changed."""
    with many(one=["--modern"], two=["--modern"]) as client:
        asked(client, 1, "server/discover", **META)
        wanted = {"toolsListChanged": True}
        client.send(request("listens", "subscriptions/listen", notifications=wanted, **META))
        acknowledged = next_of(client, "notifications/subscriptions/acknowledged")["params"]
        assert acknowledged["_meta"]["io.modelcontextprotocol/subscriptionId"] == "listens"
        granted = acknowledged["notifications"]
        assert granted["toolsListChanged"]
        assert sorted(granted["resourceSubscriptions"]) == ["one://a", "two://a"]
        text(client, 2, "two__die")
        changed = next_of(client, "notifications/tools/list_changed")["params"]
        assert changed["_meta"]["io.modelcontextprotocol/subscriptionId"] == "listens"
        assert text(client, 3, "two__say") == "TWO SAY "
        assert tools(client, 4, **META) == ["one__say", "two__say"]


def test_a_request_of_an_id_that_is_not_answered_yet_is_refused() -> None:
    """Nobody could tell the two answers apart."""
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call(1, "one__late"), call(1, "two__say"))
        assert take(client, 1)["error"]["message"] == "a request of this id is not answered yet"
