"""The SDK's own server, to be served over either HTTP transport."""

from __future__ import annotations

import asyncio

from mcp.server import MCPServer
from mcp.server.mcpserver import Context


def server() -> MCPServer:
    """A server with a few tools."""
    made = MCPServer("sdk", version="1")

    @made.tool(structured_output=False)
    def echo(text: str) -> str:
        return text

    @made.tool(structured_output=False)
    async def steps(count: int, context: Context) -> str:  # type: ignore[type-arg]
        for step in range(count):
            await context.report_progress(step, count)
        return "done"

    @made.tool(structured_output=False)
    async def hang() -> str:
        await asyncio.sleep(3600)
        return "never"

    return made
