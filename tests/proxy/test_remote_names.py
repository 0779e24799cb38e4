"""Headers that say what a message says (2026-07-28), where rules make another message of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.proxy.process import Client, text_of
from tests.proxy.test_remote import modern, of_method, session
from tests.proxy.web import serving
from tests.serve.served import Alone, messages, served
from tests.servers.remote import RemoteApp

ARGUMENTS = {"region": "eu", "deep": {"n": 4}}
RENAMED = "tools shop/* {\n  rename routed to ship\n}\n"
WRAPPED = "tools shop/* {\n  present wrapped\n  compress max\n  rename routed to ship\n}\n"


@pytest.fixture
def app() -> RemoteApp:
    """A server with a tool that has to be wrapped, as it is long, and whose arguments are headers."""
    made = RemoteApp()
    made.tools = [{**made.tools[0], "description": "Sends something somewhere. " * 60}]
    return made


def options(folder: Path, block: str) -> list[str]:
    (folder / "rules.terse").write_text(f"terse 1\n\n{block}")
    return ["--rules", str(folder / "rules.terse"), "--server-name", "shop"]


@contextmanager
def alone(app: RemoteApp, given: list[str]) -> Iterator[Alone]:
    """A client of 2026-07-28 in front of a service."""
    with serving(app) as address, served(*given, f"{address}/mcp", command=[]) as service:
        yield Alone(service.url)


def listed(client: Client) -> list[str]:
    """The names of the tools as rules have them: on a busy machine a list may go out before that."""
    for ident in range(100, 105):
        client.send(modern(ident, "tools/list"))
        names = [tool["name"] for tool in json.loads(client.receive())["result"]["tools"]]
        if names != ["routed"]:
            break
    return names


def headers_of(app: RemoteApp) -> dict[str, str]:
    return {
        name: value
        for name, value in of_method(app, "tools/call")[-1].headers.items()
        if name.startswith("mcp-") and name != "mcp-protocol-version"
    }


WANTED = {"mcp-method": "tools/call", "mcp-name": "routed", "mcp-param-region": "eu", "mcp-param-n": "4"}


def test_a_renamed_tool_is_called_by_its_own_name(app: RemoteApp, tmp_path: Path) -> None:
    """In the body and in the headers, also in those of its arguments."""
    with session(app, *options(tmp_path, RENAMED), begins=False) as client:
        assert listed(client) == ["ship"]
        client.send(modern(2, "tools/call", name="ship", arguments=ARGUMENTS))
        assert text_of(client.receive()) == "routed"

    assert of_method(app, "tools/call")[-1].message["params"]["name"] == "routed"
    assert headers_of(app) == WANTED


def test_a_wrapped_tool_is_called_by_its_own_name(app: RemoteApp, tmp_path: Path) -> None:
    """The client calls ours; the server is asked for its own tool, with the headers that that wants."""
    with session(app, *options(tmp_path, WRAPPED), begins=False) as client:
        assert "shop_invoke_tool" in listed(client)
        given: dict[str, Any] = {"tool_name": "ship", "tool_input": ARGUMENTS}
        client.send(modern(2, "tools/call", name="shop_invoke_tool", arguments=given))
        assert text_of(client.receive()) == "routed"

    assert headers_of(app) == WANTED


def test_a_service_takes_the_shown_name_and_asks_by_its_own(app: RemoteApp, tmp_path: Path) -> None:
    """What a client says in headers is compared with the body, by the name that it was shown."""
    with alone(app, options(tmp_path, RENAMED)) as client:
        found = messages(client.ask("tools/list"))[-1]["result"]["tools"]
        assert [tool["name"] for tool in found] == ["ship"]
        message = client.request(2, "tools/call", name="ship", arguments=ARGUMENTS)
        said = {**client.routing(message), "mcp_param_region": "eu", "mcp_param_n": "4"}
        answer = messages(client.post(message, **said))[-1]
        assert answer["result"]["content"][0]["text"] == "routed"
        for wrong in ({"mcp_name": "routed"}, {"mcp_param_region": "us"}):
            assert client.post(message, **{**said, **wrong}).status_code == 400
        hidden = client.request(3, "tools/call", name="routed", arguments=ARGUMENTS)
        client.post(hidden, **{**said, "mcp_name": "routed"})

    assert headers_of(app) == WANTED
