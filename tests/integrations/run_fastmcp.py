"""Run by a Python that has the real fastmcp: a server with the middleware, asked by FastMCP's own client."""

from __future__ import annotations

import asyncio
import json

from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.tools.base import ToolResult
from mcp.types import TextContent

import terse
from terse.integrations.fastmcp import TerseMiddleware

ROWS = [{"id": number, "state": "open", "title": f"Issue {number}"} for number in range(60)]


def _server() -> FastMCP:
    server = FastMCP("issues")

    @server.tool(output_schema=None)
    def list_issues(state: str) -> ToolResult:
        return ToolResult(content=[TextContent(type="text", text=json.dumps(ROWS))], meta={"page": 1})

    @server.tool
    def structured() -> list[dict[str, object]]:
        return ROWS

    @server.tool
    def fails() -> str:
        raise ValueError("no such issue")

    return server


async def _asked(server: FastMCP) -> dict[str, object]:
    server.add_middleware(TerseMiddleware(terse.load(), server="github"))
    async with Client(server) as client:
        plain = await client.call_tool("list_issues", {"state": "open"})
        structured = await client.call_tool("structured")
        failed = await client.call_tool("fails", raise_on_error=False)
    return {
        "plain": plain.content[0].text,
        "meta": (plain.meta or {}).get("page"),
        "structured": structured.structured_content,
        "structured_text": structured.content[0].text,
        "failed": [failed.is_error, failed.content[0].text],
    }


async def _main() -> None:
    answers = {"direct": await _asked(_server()), "proxied": await _asked(create_proxy(_server()))}
    print(json.dumps(answers))


asyncio.run(_main())
