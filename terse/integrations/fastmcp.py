"""A middleware of FastMCP: `server.add_middleware(TerseMiddleware(terse.load(), server="github"))`."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from fastmcp.server.middleware import Middleware  # type: ignore[import-not-found, unused-ignore]
from fastmcp.tools.base import ToolResult  # type: ignore[import-not-found, unused-ignore]

from terse.api import Call, Policy


class TerseMiddleware(Middleware):  # type: ignore[misc, unused-ignore]
    """Makes the results of a server's tools smaller. Nothing is remembered: a server may have many clients.

    `structured_content` stays as it is, so that results stay valid under their schema: see docs/python.md.
    """

    def __init__(self, policy: Policy, *, server: str) -> None:
        """
        Args:
            server: the name that rules know this server by.
        """
        self._policy = policy
        self._server = server

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """The tool's result, with smaller texts."""
        result = await call_next(context)
        if type(result) is not ToolResult:
            # A task under way, or a question to the client: no result yet.
            return result
        call = Call(self._server, context.message.name, context.message.arguments or {})
        # A large result takes a while, and the loop is every client's.
        applied = await to_thread(self._policy.apply, result, call)
        return applied.result
