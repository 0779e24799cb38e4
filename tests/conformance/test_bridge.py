"""The bridge between the suite, which speaks HTTP, and servers on stdio: it adds and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.conformance.asked import META, VERSION
from tests.conformance.paths import Upstream, opened
from tests.proxy.process import PATIENCE, SERVER


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The bridge in front of the echo server."""
    with opened("bridge", Upstream("", SERVER), []) as address:
        yield address


def post(url: str, message: Any, method: str = "POST", **headers: str) -> tuple[int, str, Any]:
    """The status, the session id, and the messages of an answer."""
    accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if message is None else json.dumps(message).encode()
    request = Request(url, data, accept | named, method=method)
    try:
        with urlopen(request, timeout=PATIENCE) as response:
            status, found, text = response.status, response.headers, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, "", error.read().decode()
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith(("data: ", "{"))]
    return status, found.get("mcp-session-id", ""), [json.loads(line) for line in lines]


def call(ident: object, tool: str, **arguments: object) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}


def test_a_session_has_a_server_of_its_own(url: str) -> None:
    """The handshake gives an id, calls are answered under it, and nothing is after it was deleted."""
    status, session, (greeting,) = post(
        url, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    )
    assert (status, greeting["id"]) == (200, 0)

    _, _, messages = post(url, call(1, "progress", size=3), mcp_session_id=session)
    assert [message.get("method") for message in messages] == ["notifications/progress"] * 3 + [None]
    assert messages[-1]["id"] == 1

    assert post(url, None, "DELETE", mcp_session_id=session)[0] == 204
    assert post(url, call(2, "echo", text="a"), mcp_session_id=session)[0] == 404
    assert post(url, call(2, "echo", text="a"))[0] == 400


def test_clients_of_2026_share_a_server_and_may_use_the_same_ids(url: str) -> None:
    """Each gets the answer to its own question, under the id that it gave."""

    def ask(text: str) -> Any:
        message = call(1, "echo", text=text)
        message["params"]["_meta"] = META
        headers = {"mcp_protocol_version": VERSION, "mcp_method": "tools/call", "mcp_name": "echo"}
        return post(url, message, **headers)[2][0]

    texts = [f"sleep {number % 3 / 10}" for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, texts))

    assert [answer["id"] for answer in answers] == [1] * 12
    assert [answer["result"]["content"][0]["text"] for answer in answers] == texts


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example.org"}, 403),
        ({"host": "evil.example.org"}, 403),
        ({"mcp_protocol_version": VERSION}, 400),
        ({"mcp_protocol_version": VERSION, "mcp_method": "tools/list", "mcp_name": "echo"}, 400),
    ],
)
def test_what_http_servers_refuse_is_refused(url: str, headers: dict[str, str], status: int) -> None:
    """The suite looks for it: other hosts, and headers that say something else than the body."""
    message = call(1, "echo", text="a")
    message["params"]["_meta"] = META

    assert post(url, message, **headers)[0] == status
