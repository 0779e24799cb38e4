"""Several servers behind one connection: what a client sees, and that no server is in another's way."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.proxy import process
from tests.proxy.process import Client, call, request

MEMBER = str(process.HERE.parent / "servers" / "member.py")
ROUTER = str(process.HERE / "router.py")
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
VERSION = "2025-11-25"


@contextmanager
def many(limit: float = 10.0, **servers: list[str] | None) -> Iterator[Client]:
    """A relay with a server for each name, started with these options; None: a command that is not there."""
    commands = {
        name: ["/not/there"] if options is None else [sys.executable, MEMBER, name, *options]
        for name, options in servers.items()
    }
    with process.started([sys.executable, ROUTER, json.dumps(commands), str(limit)]) as client:
        yield client


def introduced(client: Client) -> dict[str, Any]:
    client.send(request(0, "initialize", protocolVersion=VERSION, capabilities={}, clientInfo={"name": "t"}))
    result = take(client, 0)["result"]
    client.send(INITIALIZED)
    return dict(result)


def take(client: Client, ident: object) -> dict[str, Any]:
    """The answer to a request; what comes before it is passed over."""
    while True:
        message: dict[str, Any] = json.loads(client.receive())
        if message.get("id") == ident and "method" not in message:
            return message


def asked(client: Client, ident: object, method: str, **params: object) -> dict[str, Any]:
    client.send(request(ident, method, **params))
    return take(client, ident)


def text(client: Client, ident: object, tool: str, **arguments: object) -> str:
    client.send(call(ident, tool, **arguments))
    return str(take(client, ident)["result"]["content"][0]["text"])


def notes_of(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_servers_are_introduced_as_one() -> None:
    """What they can do and say is joined, in the oldest version that one of them speaks."""
    with many(one=[], two=["--old"], three=["--quiet"]) as client:
        result = introduced(client)
    assert result["protocolVersion"] == "2025-06-18"
    assert result["capabilities"]["tools"] == {"listChanged": True}
    assert result["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    assert result["instructions"].splitlines() == [
        "one (tools one__*): call one often",
        "",
        "two (tools two__*): call two often",
    ]


def test_lists_are_joined_page_by_page() -> None:
    """The names say whose each tool is; a cursor stands for those of all servers."""
    with many(one=[], two=[]) as client:
        introduced(client)
        first = asked(client, 1, "tools/list")["result"]
        assert [(tool["name"], tool["description"]) for tool in first["tools"]] == [
            ("one__say", "one 1.50"),
            ("two__say", "two 1.50"),
        ]
        second = asked(client, 2, "tools/list", cursor=first["nextCursor"])["result"]
        assert [tool["name"] for tool in second["tools"]] == ["one__ask", "two__ask"]
        assert "nextCursor" not in second
        prompts = asked(client, 3, "prompts/list")["result"]["prompts"]
        assert [prompt["name"] for prompt in prompts] == ["one__greet", "two__greet"]
        resources = asked(client, 4, "resources/list")["result"]["resources"]
        assert [resource["uri"] for resource in resources] == ["one://listed", "two://listed"]


def test_a_cursor_of_nobody_is_refused() -> None:
    """One line says so, and no server is asked."""
    with many(one=[]) as client:
        introduced(client)
        for cursor in ("abc", "bm90aGluZw==", "eyJub2JvZHkiOiJ4In0="):
            error = asked(client, cursor, "tools/list", cursor=cursor)["error"]
            assert (error["code"], error["message"]) == (-32602, "there is no such cursor")


def test_each_request_reaches_the_server_that_it_is_about() -> None:
    """Tools and prompts by their names, resources by who lists or has them, tasks by who made them."""
    with many(one=[], two=[]) as client:
        introduced(client)
        assert text(client, 1, "two__say", text="hello") == "TWO SAY HELLO"
        assert asked(client, 2, "prompts/get", name="one__greet")["result"]["description"] == "greet of one"
        asked(client, 3, "resources/list")
        for ident, uri in enumerate(("two://listed", "one://listed", "two://not-listed"), 4):
            read = asked(client, ident, "resources/read", uri=uri)["result"]["contents"][0]
            assert read["text"] == f"read by {uri[:3]}"
        assert asked(client, 7, "resources/read", uri="three://x")["error"]["code"] == -32002
        client.send(call(8, "two__task"))
        task = take(client, 8)["result"]["task"]["taskId"]
        assert asked(client, 9, "tasks/get", taskId=task)["result"]["server"] == "two"
        about = {"type": "ref/prompt", "name": "two__greet"}
        completed = asked(client, 10, "completion/complete", ref=about, argument={"name": "a", "value": ""})
        assert completed["result"]["completion"]["values"] == [
            "two completes {'type': 'ref/prompt', 'name': 'greet'}"
        ]
        assert asked(client, 11, "logging/setLevel", level="info")["result"] == {}
        assert asked(client, 12, "ping")["result"] == {}


def test_what_servers_ask_the_client_does_not_collide() -> None:
    """Both ask under the id 1; each is given the answer to its own question, and the progress of it."""
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call(5, "one__ask"), call(6, "two__ask"))
        questions = [json.loads(client.receive()) for _ in range(2)]
        assert len({question["id"] for question in questions}) == 2
        for question in questions:
            token = question["params"]["_meta"]["progressToken"]
            progress = {"progressToken": token, "progress": 1}
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}
            reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [token]}}
            client.send(json.dumps(note).encode() + b"\n", json.dumps(reply).encode() + b"\n")
        answers = process.answers([client.receive(), client.receive()])
    for ident, name in ((5, "ONE"), (6, "TWO")):
        said = process.text_of(answers[ident])
        assert said == f"{name} ASK  NOTIFICATIONS/PROGRESS {{'ROOTS': ['TOKEN OF {name}']}}"


def test_a_name_without_a_server_is_refused() -> None:
    """The model is told how names begin."""
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call(1, "say"))
        result = take(client, 1)["result"]
    assert result["isError"]
    assert result["content"][0]["text"] == "There is nothing of the name say: names begin with one__, two__."


def test_servers_that_cannot_be_started_or_are_deaf_do_not_hold_up_the_others() -> None:
    """The others answer within the limit, the instructions say who is missing, and a call says why."""
    with many(2.0, one=[], gone=None, deaf=["--deaf"]) as client:
        result = introduced(client)
        assert "gone is not available now: it cannot be started: No such file" in result["instructions"]
        listed = asked(client, 1, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["one__say"]
        assert text(client, 2, "one__say") == "ONE SAY "
        said = text(client, 3, "gone__say")
        assert said.startswith("The server gone is not available: it cannot be started: No such file")
        assert " It is started again in " in said


def test_a_server_that_hangs_on_a_list_is_left_out() -> None:
    """The list is given without it when the limit is over."""
    with many(2.0, one=["--hangs", "tools/list"], two=[]) as client:
        introduced(client)
        listed = asked(client, 1, "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["two__say"]


def test_a_server_that_comes_late_is_told_as_a_change(tmp_path: Path) -> None:
    """It is introduced when it answers; then the lists have changed, and have what it has."""
    ready, notes = tmp_path / "ready", tmp_path / "notes"
    with many(2.0, one=[], late=["--after", str(ready), "--notes", str(notes)]) as client:
        introduced(client)
        ready.touch()
        changed = {json.loads(client.receive())["method"] for _ in range(3)}
        assert changed == {
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
        }
        listed = asked(client, 1, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["one__say", "late__say"]
    assert notes_of(notes)[:2] == ["late initialize", "late notifications/initialized"]


def test_a_list_waits_for_the_first_server_that_is_there(tmp_path: Path) -> None:
    """Where all are late, an empty list would be what the client goes on with; cancelled, it is not given."""
    ready = tmp_path / "ready"
    with many(1.0, late=["--after", str(ready)], hung=["--hangs", "initialize"]) as client:
        introduced(client)
        client.send(request(1, "tools/list"), request(2, "tools/list"))
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
        ready.touch()
        listed = take(client, 1)["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["late__say"]
        assert text(client, 3, "late__say") == "LATE SAY "
        client.close()
        assert b'"id":2' not in client.rest()


def test_a_list_waits_no_longer_than_the_limit() -> None:
    """Where no server comes, the list is empty, and a call says why."""
    with many(1.0, hung=["--hangs", "initialize"]) as client:
        introduced(client)
        assert asked(client, 1, "tools/list")["result"]["tools"] == []
        assert text(client, 2, "hung__say").startswith("The server hung is not available")


def test_a_server_that_ends_is_started_again(tmp_path: Path) -> None:
    """The call that it left gets an answer, the others go on, and it is introduced again."""
    notes = tmp_path / "notes"
    with many(one=[], two=["--notes", str(notes)]) as client:
        introduced(client)
        said = text(client, 1, "two__die")
        assert said.startswith("The server two is not available: it has ended.")
        assert text(client, 2, "one__say") == "ONE SAY "
        while json.loads(client.receive()).get("method") != "notifications/tools/list_changed":
            pass
        assert text(client, 3, "two__say", text="again") == "TWO SAY AGAIN"
    assert [line for line in notes_of(notes) if "initialize" in line] == [
        "two initialize",
        "two notifications/initialized",
    ] * 2


def test_cancelling_reaches_the_server_that_works(tmp_path: Path) -> None:
    """And no other one."""
    notes, others = tmp_path / "notes", tmp_path / "others"
    options = ["--hangs", "prompts/get", "--notes", str(notes)]
    with many(one=options, two=["--notes", str(others)]) as client:
        introduced(client)
        client.send(request(1, "prompts/get", name="one__greet"))
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        client.send(json.dumps(cancel).encode() + b"\n")
        assert text(client, 2, "one__say") == "ONE SAY "
        assert text(client, 3, "two__say") == "TWO SAY "
    assert "one notifications/cancelled" in notes_of(notes)
    assert "two notifications/cancelled" not in notes_of(others)


def test_servers_of_2026_are_discovered_together() -> None:
    """The versions are those that all of them speak; a list may be kept as long as any of its parts."""
    with many(one=["--modern"], three=["--modern"]) as client:
        found = asked(client, 1, "server/discover")["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        listed = asked(client, 2, "tools/list")["result"]
        assert [tool["name"] for tool in listed["tools"]] == ["one__say", "three__say"]
        assert (listed["ttlMs"], listed["cacheScope"]) == (3000, "public")
        assert listed["resultType"] == "complete"


def test_where_one_server_cannot_be_discovered_all_are_initialized() -> None:
    """Also those that were discovered, and would not take it any more: they are started anew."""
    with many(old=[], new=["--modern"]) as client:
        assert asked(client, 1, "server/discover")["error"]["code"] == -32601
        assert introduced(client)["protocolVersion"] == VERSION
        listed = asked(client, 2, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["old__say", "new__say"]


def test_the_end_of_the_client_ends_all_servers() -> None:
    """What was asked before is still answered, and the exit code is 0."""
    with many(one=[], two=[]) as client:
        introduced(client)
        client.send(call(1, "one__say"), call(2, "two__say"))
        client.close()
        answers = process.answers(client.rest().splitlines())
        assert {process.text_of(answers[1]), process.text_of(answers[2])} == {"ONE SAY ", "TWO SAY "}
        assert client.wait() == 0


def test_messages_that_nobody_can_read_are_answered() -> None:
    """A line that is no message is refused; the messages of a batch are taken one by one."""
    with many(one=[]) as client:
        introduced(client)
        client.send(b"not a message\n")
        assert json.loads(client.receive())["error"]["code"] == -32700
        batch = b"[" + call(1, "one__say").strip() + b"," + request(2, "ping").strip() + b"]\n"
        client.send(batch)
        assert {json.loads(client.receive())["id"] for _ in range(2)} == {1, 2}
