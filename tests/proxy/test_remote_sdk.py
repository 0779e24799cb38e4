"""`terse proxy URL` between the SDK's own client and server, over every transport that they have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters

from tests.proxy.process import Client, call, request, started, text_of
from tests.proxy.test_remote import INIT, INITIALIZED, PROXY, error_of
from tests.proxy.web import free_port, serving
from tests.servers.sdk import server


@contextmanager
def old_session(port: int, *options: str) -> Iterator[Client]:
    with started([*PROXY, *options, f"http://127.0.0.1:{port}/sse"]) as client:
        yield client


@pytest.mark.parametrize("options", [[], ["--transport", "sse"]])
def test_the_older_transport(options: list[str]) -> None:
    """Found by itself, or said: the whole session goes over one stream of events."""
    port = free_port()
    with serving(server().sse_app(), port), old_session(port, *options) as client:
        client.send(INIT, INITIALIZED, call(1, "echo", text="é" * 300_000), request(2, "ping"))
        answers = {(line := json.loads(client.receive()))["id"]: line for _ in range(3)}

        assert answers[0]["result"]["serverInfo"]["name"] == "sdk"
        assert answers[1]["result"]["content"][0]["text"] == "é" * 300_000
        client.close()
        assert client.rest() == b""
        assert client.wait() == 0
        # On a machine with much else to do, two seconds are not always enough for so long a text.
        assert client.errors() in (
            "",
            "terse: a result of echo was not rewritten in time: the original was sent\n",
        )


def test_the_older_transport_after_a_restart() -> None:
    """Calls in flight get an error, the next one a session that is begun anew."""
    port = free_port()
    with old_session(port) as client:
        with serving(server().sse_app(), port):
            client.send(INIT, INITIALIZED, call(1, "echo", text="before"), call(2, "hang"))
            assert json.loads(client.receive())["id"] == 0
            assert text_of(client.receive()) == "before"
        assert "ended before the answer came" in error_of(client.receive())
        client.send(call(3, "echo", text="down"))
        assert "cannot reach" in error_of(client.receive())
        with serving(server().sse_app(), port):
            client.send(call(4, "echo", text="after"))
            assert text_of(client.receive()) == "after"


def test_where_neither_transport_is_the_first_answer_is_told() -> None:
    """The error of the transport that is asked for first, not of the one that was tried after it."""
    port = free_port()
    with serving(server().sse_app(), port), started([*PROXY, f"http://127.0.0.1:{port}/nothing"]) as client:
        client.send(INIT)

        assert "answered 404" in error_of(client.receive())


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
@pytest.mark.parametrize("answers_in_json", [False, True])
def test_the_sdks_client_and_server(mode: str, answers_in_json: bool) -> None:
    """Both eras, JSON and events: initialized or discovered, listed, called, with progress in order."""
    progress: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    async def run(url: str) -> None:
        parameters = StdioServerParameters(command=PROXY[0], args=[*PROXY[1:], url])
        async with SdkClient(parameters, mode=mode) as client:
            tools = await client.list_tools()
            assert {tool.name for tool in tools.tools} == {"echo", "steps", "hang"}
            answer = await client.call_tool("echo", {"text": "hi"})
            assert answer.content[0].text == "hi"  # type: ignore[union-attr]
            answer = await client.call_tool("steps", {"count": 3}, progress_callback=note)
            assert answer.content[0].text == "done"  # type: ignore[union-attr]
            with pytest.raises(TimeoutError), anyio.fail_after(0.5):
                await client.call_tool("hang", {})
            answer = await client.call_tool("echo", {"text": "after"})
            assert answer.content[0].text == "after"  # type: ignore[union-attr]

    app = server().streamable_http_app(json_response=answers_in_json)
    with serving(app) as address:
        anyio.run(run, f"{address}/mcp")
    if not answers_in_json:
        assert progress == [0, 1, 2]


def test_the_process_ends_with_its_client() -> None:
    """The event loop holds up nothing, also while a call is in flight."""
    port = free_port()
    with serving(server().sse_app(), port), old_session(port) as client:
        client.send(INIT, INITIALIZED, call(1, "hang"))
        client.receive()
        client.process.terminate()

        assert client.wait() == 128 + 15
