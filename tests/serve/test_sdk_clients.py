"""The SDK's own clients, of both eras, through the service."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CreateMessageResult, TextContent

from tests.proxy.web import serving
from tests.serve.served import Served, served
from tests.servers.sdk import server

STDIO = "from tests.servers.sdk import server; server().run('stdio')"
COMMAND = [sys.executable, "-c", STDIO]
MODES = ["legacy", "auto", "2026-07-28"]


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The SDK's server on stdio, behind the service."""
    root = Path(__file__).parents[2]
    with served("-e", f"PYTHONPATH={root}", command=COMMAND) as running:
        yield running


async def _conversation(url: str, mode: Any, name: str) -> list[str]:
    steps: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        said = await client.call_tool("echo", {"text": name})
        done = await client.call_tool("steps", {"count": 3}, progress_callback=note)
    assert [tool.name for tool in tools.tools] == ["echo", "steps", "hang"]
    assert steps == [0, 1, 2]
    return [
        block.text for result in (said, done) for block in result.content if isinstance(block, TextContent)
    ]


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation(sdk: Served, mode: str) -> None:
    """Tools, a call, a call with progress."""
    assert asyncio.run(_conversation(sdk.url, mode, "a")) == ["a", "done"]


def test_several_clients_of_both_eras_at_once(sdk: Served) -> None:
    """Each has its own answers."""

    async def all_of_them() -> list[list[str]]:
        names = [(mode, f"{mode}-{n}") for mode in MODES for n in range(3)]
        return await asyncio.gather(*(_conversation(sdk.url, mode, name) for mode, name in names))

    found = asyncio.run(all_of_them())

    assert [texts[0] for texts in found] == [f"{mode}-{n}" for mode in MODES for n in range(3)]


@pytest.mark.parametrize("mode", MODES)
def test_before_a_remote_server(mode: str) -> None:
    """Streamable HTTP on both sides."""
    with serving(server().streamable_http_app()) as url, served(f"{url}/mcp", command=[]) as service:
        assert asyncio.run(_conversation(service.url, mode, "b")) == ["b", "done"]


def test_a_server_asks_the_clients_model(service: Served) -> None:
    """Sampling: the SDK answers on a POST of its own while the call's stream is open."""

    async def answer(context: Any, params: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text="four"), model="m")

    async def conversation() -> Any:
        question = {"messages": [], "maxTokens": 9}
        async with Client(service.url, mode="legacy", sampling_callback=answer) as client:
            return await client.call_tool("ask", {"method": "sampling/createMessage", "params": question})

    assert '"four"' in asyncio.run(conversation()).content[0].text
