"""One of several servers, on the official SDK, with something for each thing that MCP can do.

    python sdk_member.py NAME

Runs over stdio, and answers both eras of the protocol.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    Completion,
    CreateMessageRequest,
    CreateMessageRequestParams,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

NAME = sys.argv[1]
made = MCPServer(NAME, version="1", instructions=f"{NAME} is a server.")


class Answer(BaseModel):
    word: str


class Total(BaseModel):
    total: float
    of: str


@made.tool(structured_output=False)
def echo(text: str) -> str:
    """Say the same."""
    return f"{NAME}: {text}"


@made.tool()
def add(one: float, other: float) -> Total:
    """Add two numbers."""
    return Total(total=one + other, of=NAME)


@made.tool(structured_output=False)
def fail() -> str:
    """Fail."""
    raise ToolError(f"{NAME} failed")


@made.tool(structured_output=False)
async def steps(count: int, context: Context[Any]) -> str:
    """Report progress."""
    for step in range(count):
        await context.report_progress(step, count, f"{NAME} {step}")
    return "done"


@made.tool(structured_output=False)
async def logs(context: Context[Any]) -> str:
    """Log something."""
    await context.info(f"{NAME} logs")
    return "done"


@made.tool(structured_output=False)
async def hang() -> str:
    """Take for ever."""
    await asyncio.sleep(3600)
    return "never"


@made.tool(structured_output=False)
async def sample(context: Context[Any]) -> str:
    """Ask the client's model."""
    asked = [SamplingMessage(role="user", content=TextContent(type="text", text=f"{NAME} asks"))]
    result = await context.session.create_message(messages=asked, max_tokens=9)
    assert isinstance(result.content, TextContent)
    return result.content.text


@made.tool(structured_output=False)
async def elicit(context: Context[Any]) -> str:
    """Ask the user."""
    result = await context.elicit(message=f"{NAME} asks", schema=Answer)
    return result.data.word if result.action == "accept" else result.action


@made.tool(structured_output=False)
async def roots(context: Context[Any]) -> str:
    """Ask for roots."""
    return " ".join(str(root.uri) for root in (await context.session.list_roots()).roots)


@made.tool(structured_output=False)
async def rounds(context: Context[Any]) -> str | InputRequiredResult:
    """Ask the client's model in the way of 2026-07-28."""
    if not context.input_responses:
        asked = [SamplingMessage(role="user", content=TextContent(type="text", text=f"{NAME} asks again"))]
        wanted = CreateMessageRequest(params=CreateMessageRequestParams(messages=asked, max_tokens=9))
        return InputRequiredResult(input_requests={"said": wanted}, request_state=f"state of {NAME}")
    return f"{context.request_state} {len(context.input_responses)}"


@made.tool(structured_output=False)
async def change(context: Context[Any]) -> str:
    """Have one more tool, and say that a resource changed."""
    made.add_tool(echo, name="more", structured_output=False)
    await context.notify_tools_changed()
    await context.notify_resource_updated(f"{NAME}://fixed")
    return "changed"


@made.prompt()
def greet(who: str) -> str:
    """Greet somebody."""
    return f"{NAME} greets {who}"


@made.resource(f"{NAME}://fixed", mime_type="text/plain")
def fixed() -> str:
    """A resource."""
    return f"fixed of {NAME}"


@made.resource(f"{NAME}://of/{{key}}", mime_type="text/plain")
def of(key: str) -> str:
    """One of many."""
    return f"{key} of {NAME}"


@made.completion()
async def complete(ref: Any, argument: Any, context: Any) -> Completion:
    return Completion(values=[f"{NAME} {argument.value}"], total=1, has_more=False)


made.run("stdio")
