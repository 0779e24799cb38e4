"""HTTP in front of a stdio server: the conformance harness speaks no stdio.

    python -m tests.conformance.bridge -- COMMAND…

Prints its URL, and serves until its input ends or a signal comes. It is written to compare a server with the
same server behind terse, on the same bridge: what it does not do (resumption) is missing from both.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Sequence
from urllib.parse import urlsplit

import uvicorn
from mcp_types.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.conformance.legacy import Legacy
from tests.conformance.modern import Modern
from tests.conformance.sse import refused

VERSION = "mcp-protocol-version"
LOOPBACK = ("127.0.0.1", "localhost")


class Bridge:
    """The front of both halves.

    Args:
        command: starts a server that speaks stdio.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._legacy = Legacy(command)
        self._modern = Modern(command)

    async def answer(self, request: Request) -> Response:
        """Answer an HTTP request."""
        if not _is_local(request):
            return Response("this host is not served", 403)
        is_modern = request.headers.get(VERSION, "2025-03-26") not in HANDSHAKE_PROTOCOL_VERSIONS
        if request.method != "POST":
            if is_modern:
                return Response(status_code=405, headers={"allow": "POST"})
            return await (self._legacy.listen if request.method == "GET" else self._legacy.delete)(request)
        body = await request.body()
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return refused(400, PARSE_ERROR, "Parse error")
        if not isinstance(message, dict):
            return refused(400, INVALID_REQUEST, "Body must be a single JSON-RPC message")
        if is_modern:
            return await self._modern.answer(request, message)
        line = body.strip() if b"\n" not in body.strip() else json.dumps(message).encode()
        return await self._legacy.answer(request, line, message)

    async def stop(self) -> None:
        """End all servers."""
        await asyncio.gather(self._legacy.stop(), self._modern.stop())


def _is_local(request: Request) -> bool:
    """Whether the request was meant for this machine: a page in a browser must not reach it by a name."""
    host = urlsplit("//" + request.headers.get("host", "")).hostname
    origin = request.headers.get("origin")
    return host in LOOPBACK and (origin is None or urlsplit(origin).hostname in LOOPBACK)


async def serve(command: Sequence[str]) -> None:
    """Serve until a signal comes, or whoever started this is gone (the end of our input)."""
    bridge = Bridge(command)
    app = Starlette(routes=[Route("/mcp", bridge.answer, methods=["GET", "POST", "DELETE"])])
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)

    def gone() -> None:
        if not sys.stdin.buffer.raw.read(4096):
            server.should_exit = True

    asyncio.get_running_loop().add_reader(sys.stdin, gone)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    await server.serve(sockets=[listening])
    await bridge.stop()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[sys.argv.index("--") + 1 :]))
