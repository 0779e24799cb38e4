"""A server over streamable HTTP that does as its tools are told, faults included; written on ASGI alone.

    python remote.py PORT

It knows both eras: a request of 2026-07-28 names its version, and needs no session.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
VERSION = "2025-11-25"
MODERN = "io.modelcontextprotocol/protocolVersion"
TOOLS = [
    {
        "name": "routed",
        "inputSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            },
        },
    }
]


@dataclass
class Seen:
    """A request that came."""

    method: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        return json.loads(self.body) if self.body else None


@dataclass
class RemoteApp:
    """The server as an ASGI application.

    Attributes:
        seen: every request, in order.
        sessions: the ids of those that it knows; `new_session` is given to the next.
        refuses: a status that every request gets; None: none does.
        listeners: what GET streams send; each gets all that is put after it was opened.
        token: what requests must carry; None: nothing.
        cancelled: ids of requests whose stream the client closed.
        tools: what it lists.
    """

    seen: list[Seen] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    refuses: int | None = None
    listeners: list[asyncio.Queue[bytes]] = field(default_factory=list)
    token: str | None = None
    cancelled: list[Any] = field(default_factory=list)
    held: dict[str, bytes] = field(default_factory=dict)
    knows_get: bool = True
    version: str = VERSION
    started: int = 0
    tools: list[dict[str, Any]] = field(default_factory=lambda: list(TOOLS))

    def forget_sessions(self) -> None:
        self.sessions.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {key.decode().lower(): value.decode() for key, value in scope["headers"]}
        seen = Seen(scope["method"], headers, body)
        self.seen.append(seen)
        await _Answer(self, seen, receive, send).run()


class _Answer:
    def __init__(self, app: RemoteApp, seen: Seen, receive: Receive, send: Send) -> None:
        self.app, self.seen, self.receive, self.send = app, seen, receive, send

    async def reply(
        self, status: int, body: bytes = b"", kind: str = "application/json", **more: str
    ) -> None:
        headers = [(b"content-type", kind.encode())] if body else []
        headers += [(key.replace("_", "-").encode(), value.encode()) for key, value in more.items()]
        headers.append((b"content-length", str(len(body)).encode()))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    async def stream(self) -> None:
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})

    async def event(self, data: bytes, *, ident: str | None = None, more: bool = True) -> None:
        lines = b"".join(b"data: " + line + b"\n" for line in data.split(b"\n"))
        head = b"" if ident is None else f"id: {ident}\n".encode()
        await self.send({"type": "http.response.body", "body": head + lines + b"\n", "more_body": more})

    async def raw(self, body: bytes, *, more: bool = True) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    async def run(self) -> None:
        app, seen = self.app, self.seen
        if app.refuses is not None:
            await self.reply(app.refuses, b"<html>out of order</html>", "text/html")
        elif app.token is not None and seen.headers.get("authorization") != f"Bearer {app.token}":
            await self.reply(401)
        elif seen.method == "GET":
            await self.get()
        elif seen.method == "DELETE":
            app.sessions.discard(seen.headers.get("mcp-session-id", ""))
            await self.reply(200)
        else:
            await self.post()

    async def get(self) -> None:
        app, headers = self.app, self.seen.headers
        last = headers.get("last-event-id")
        if last is not None and last in app.held:
            await self.stream()
            await self.event(app.held.pop(last), ident="resumed", more=False)
        elif not app.knows_get or headers.get("mcp-session-id") not in app.sessions:
            await self.reply(405 if not app.knows_get else 404)
        else:
            await self.stream()
            await self.raw(b": hello\n\n")
            queue: asyncio.Queue[bytes] = asyncio.Queue()
            app.listeners.append(queue)
            while (data := await queue.get()) != b"end":
                await self.event(data)
            await self.raw(b"", more=False)

    async def post(self) -> None:
        app, seen = self.app, self.seen
        try:
            message = seen.message
        except ValueError:
            await self.reply(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}')
            return
        if isinstance(message, list):
            answers = [{"jsonrpc": "2.0", "id": each["id"], "result": {}} for each in message]
            await self.reply(200, json.dumps(answers).encode())
            return
        method, params = message.get("method"), message.get("params") or {}
        is_modern = MODERN in params.get("_meta", {})
        if method == "initialize":
            app.started += 1
            session = f"session-{app.started}"
            app.sessions.add(session)
            result = {
                "protocolVersion": app.version,
                "capabilities": {},
                "serverInfo": {"name": "t", "version": "1"},
            }
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            await self.reply(200, json.dumps(answer).encode(), mcp_session_id=session)
        elif not is_modern and seen.headers.get("mcp-session-id") not in app.sessions:
            await self.reply(
                404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such session"}}'
            )
        elif "id" not in message or method is None:
            await self.reply(202)
        elif method == "tools/list":
            await self.result(message, {"tools": app.tools})
        elif method == "tools/call":
            tool = getattr(self, f"tool_{params['name']}")
            await tool(message, params.get("arguments", {}))
        else:
            await self.result(message, {})

    async def result(self, message: Any, result: Any) -> None:
        await self.reply(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def text(self, message: Any, text: str) -> bytes:
        result = {"content": [{"type": "text", "text": text}]}
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()

    async def tool_echo(self, message: Any, arguments: Any) -> None:
        await self.reply(200, self.text(message, arguments["text"]))

    async def tool_raw(self, message: Any, arguments: Any) -> None:
        """The body as it is told, its `IDENT` replaced."""
        body = arguments["body"].replace("IDENT", json.dumps(message["id"])).encode("latin-1")
        status, kind = arguments.get("status", 200), arguments.get("kind", "application/json")
        await self.reply(status, body, kind)

    async def tool_events(self, message: Any, arguments: Any) -> None:
        """A progress, and the answer over many lines."""
        await self.stream()
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": 1, "progress": 1},
        }
        await self.event(json.dumps(note).encode())
        await self.event(json.dumps(json.loads(self.text(message, "spread")), indent=1).encode(), more=False)

    async def tool_big(self, message: Any, arguments: Any) -> None:
        await self.stream()
        await self.event(self.text(message, "x" * arguments["size"]), more=False)

    async def tool_size(self, message: Any, arguments: Any) -> None:
        await self.reply(200, self.text(message, str(len(self.seen.body))))

    async def tool_half(self, message: Any, arguments: Any) -> None:
        """The connection ends in the middle of the event."""
        await self.stream()
        await self.raw(b"data: " + self.text(message, "half")[:30], more=False)

    async def tool_resumable(self, message: Any, arguments: Any) -> None:
        """The stream ends after an id; the answer is in the one that takes it up."""
        await self.stream()
        self.app.held["place-1"] = self.text(message, "resumed")
        await self.raw(b"retry: 50\nid: place-1\ndata:\n\n", more=False)

    async def tool_hang(self, message: Any, arguments: Any) -> None:
        await self.until_closed(message)

    async def tool_hang_in_stream(self, message: Any, arguments: Any) -> None:
        await self.stream()
        await self.raw(b": still here\n\n")
        await self.until_closed(message)

    async def until_closed(self, message: Any) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.app.cancelled.append(message["id"])

    async def tool_slow(self, message: Any, arguments: Any) -> None:
        """Says something every now and then, and the answer in the end."""
        await self.stream()
        for step in range(arguments["steps"]):
            await asyncio.sleep(0.2)
            note = {"method": "notifications/progress", "params": {"progressToken": 1, "progress": step}}
            await self.event(json.dumps({"jsonrpc": "2.0", **note}).encode())
        await self.event(self.text(message, "slow"), more=False)

    async def tool_die(self, message: Any, arguments: Any) -> None:
        import os

        os._exit(1)

    async def tool_redirected(self, message: Any, arguments: Any) -> None:
        if "again" in self.seen.headers.get("x-path", ""):
            await self.reply(200, self.text(message, "there"))
        await self.reply(307, location=arguments["to"])

    async def tool_routed(self, message: Any, arguments: Any) -> None:
        """Wants its marked arguments in headers, too."""
        headers = self.seen.headers
        wanted = {"mcp-param-region": arguments["region"], "mcp-method": "tools/call", "mcp-name": "routed"}
        if any(headers.get(name) != value for name, value in wanted.items()):
            error = {"code": -32020, "message": "header mismatch"}
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
            await self.reply(400, body)
            return
        await self.reply(200, self.text(message, "routed"))


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(RemoteApp(), host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
