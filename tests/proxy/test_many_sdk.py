"""The official SDK's client with two of the official SDK's servers: direct, and through one proxy."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
)

from terse.cli.policy import load_plan

MEMBER = str(Path(__file__).parent.parent / "servers" / "sdk_member.py")
NAMES = ("one", "two")
MODERN = "2026-07-28"
# It touches every list and every call, and changes nothing of these results: they are too short.
RULES = """terse 1

rule everything {
  on */*
  use compact then dedup
}
"""


def command(*names: str) -> list[str]:
    """A server, or several behind the proxy."""
    if len(names) == 1:
        return [sys.executable, MEMBER, names[0]]
    servers = {name: {"command": sys.executable, "args": [MEMBER, name]} for name in names}
    return [sys.executable, "-m", "terse", "proxy", "--config", json.dumps({"mcpServers": servers})]


class Ear:
    """What a client is asked and told, one after another."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def hear(self, what: object) -> None:
        self.heard.append(str(what))

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.hear(f"{done} of {total}: {message}")

    async def sampling(self, context: object, params: Any) -> CreateMessageResult:
        said = params.messages[0].content.text
        self.hear(said)
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=f"re: {said}"), model="m"
        )

    async def elicitation(self, context: object, params: Any) -> ElicitResult:
        self.hear(params.message)
        return ElicitResult(action="accept", content={"word": f"re: {params.message}"})

    async def roots(self, context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///here")])  # type: ignore[arg-type]

    async def logging(self, params: Any) -> None:
        self.hear(f"{params.level}: {params.data}")

    async def message(self, message: Any) -> None:
        method = getattr(message, "method", None)
        if isinstance(method, str) and method.endswith(("changed", "updated")):
            self.hear(method)


Work = Callable[[Client, Ear, str, str], Awaitable[None]]


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def converse(mode: str, options: list[str], names: tuple[str, ...], work: Work) -> Ear:
    ear = Ear()
    found = command(*names)
    parameters = StdioServerParameters(
        command=found[0],
        args=[*found[1:], *(options if len(names) > 1 else [])],
        env=dict(os.environ),
    )
    with anyio.fail_after(120):
        async with Client(
            parameters,
            mode=mode,  # type: ignore[arg-type]
            sampling_callback=ear.sampling,
            elicitation_callback=ear.elicitation,
            list_roots_callback=ear.roots,
            logging_callback=ear.logging,
            message_handler=ear.message,
            log_level="info" if mode == MODERN else None,
        ) as client:
            for name in names:
                await work(client, ear, name, f"{name}__" if len(names) > 1 else "")
    return ear


def heard(mode: str, options: list[str], work: Work) -> tuple[list[str], list[str]]:
    """What a client hears of both servers: connected to each, and through the proxy."""

    async def run() -> tuple[list[str], list[str]]:
        direct = [(await converse(mode, [], (name,), work)).heard for name in NAMES]
        return direct[0] + direct[1], (await converse(mode, options, NAMES, work)).heard

    return anyio.run(run)


async def call(client: Client, ear: Ear, tool: str, prefix: str, **arguments: object) -> None:
    try:
        result = await client.call_tool(prefix + tool, arguments, progress_callback=ear.progress)
        ear.hear(plain(result))
    except Exception as error:
        ear.hear(f"{type(error).__name__}: {error}")


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "rules.terse"
    path.write_text(RULES)
    load_plan(str(path))
    return ["--rules", str(path)]


async def tools(client: Client, ear: Ear, name: str, prefix: str) -> None:
    """But for the names each definition is the server's own, in its order."""
    listed = [plain(tool) for tool in (await client.list_tools()).tools]
    own = [tool for tool in listed if tool["name"].startswith(prefix) and tool["name"] != "terse_retrieve"]
    ear.hear([{**tool, "name": tool["name"].removeprefix(prefix)} for tool in own])


async def calls(client: Client, ear: Ear, name: str, prefix: str) -> None:
    """Results, errors, progress, logs, and in each era what a server asks the client."""
    await call(client, ear, "echo", prefix, text=f"é \u2028 {name}")
    await call(client, ear, "add", prefix, one=1, other=1.5)
    await call(client, ear, "add", prefix, one="no number", other=1)
    await call(client, ear, "fail", prefix)
    await call(client, ear, "steps", prefix, count=3)
    if client.protocol_version == MODERN:
        await call(client, ear, "rounds", prefix)
    else:
        await call(client, ear, "logs", prefix)
        await call(client, ear, "sample", prefix)
        await call(client, ear, "elicit", prefix)
        await call(client, ear, "roots", prefix)
    with anyio.move_on_after(0.3):
        await client.call_tool(f"{prefix}hang", {})
    await call(client, ear, "echo", prefix, text="after")


async def the_rest(client: Client, ear: Ear, name: str, prefix: str) -> None:
    """Prompts, resources and completions: got by the name or URI that the list gives, or the template's."""
    prompts = (await client.list_prompts()).prompts
    ear.hear([prompt.name.removeprefix(prefix) for prompt in prompts if prompt.name.startswith(prefix)])
    greet = await client.get_prompt(f"{prefix}greet", {"who": "you"})
    ear.hear(plain(greet.messages[0]))
    own = [each for each in (await client.list_resources()).resources if str(each.uri).startswith(name)]
    ear.hear([plain(each) for each in own])
    templates = (await client.list_resource_templates()).resource_templates
    ear.hear([plain(each) for each in templates if each.uri_template.startswith(name)])
    for uri in (f"{name}://fixed", f"{name}://of/this"):
        ear.hear(plain((await client.read_resource(uri)).contents[0]))
    argument = {"name": "who", "value": "v"}
    prompt = PromptReference(type="ref/prompt", name=f"{prefix}greet")
    ear.hear(plain((await client.complete(prompt, argument)).completion))
    template = ResourceTemplateReference(type="ref/resource", uri=f"{name}://of/{{key}}")
    ear.hear(plain((await client.complete(template, argument)).completion))
    with pytest.raises(Exception, match=r"(?i)unknown|not found"):
        await client.read_resource("nobody://has/this")


async def changes(client: Client, ear: Ear, name: str, prefix: str) -> None:
    """Who listens hears that the list of tools is another one, and that a resource has changed; each once."""
    uri = f"{name}://fixed"
    async with client.listen(tools_list_changed=True, resource_subscriptions=[uri]) as subscription:
        await client.call_tool(f"{prefix}change", {})
        async for event in subscription:
            ear.hear(event)
            if "Resource" in type(event).__name__:
                break
    assert f"{prefix}more" in {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_all_that_a_client_hears_is_as_direct(mode: str, options: list[str]) -> None:
    """In both eras, under rules that look at every result; the client validates what it is sent."""

    async def work(client: Client, ear: Ear, name: str, prefix: str) -> None:
        await tools(client, ear, name, prefix)
        await calls(client, ear, name, prefix)
        await the_rest(client, ear, name, prefix)
        if client.protocol_version == MODERN:
            await changes(client, ear, name, prefix)

    direct, through = heard(mode, options, work)
    # The SDK's client calls back for notifications beside the answers.
    assert sorted(through) == sorted(direct)
    assert len(through) > 2 * 20
