"""A server of MCP over HTTP that costs as little as can be: asyncio alone, answers made ahead.

Prints its address on stderr.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys

RECORDS = 190
VARIANTS = 64


def _made(variant: int) -> bytes:
    records = [
        {"id": n + variant, "title": f"record {n * 7 + variant}", "open": n % 2 == 0} for n in range(RECORDS)
    ]
    return json.dumps({"content": [{"type": "text", "text": json.dumps(records)}]}).encode()


RESULTS = [_made(variant) for variant in range(VARIANTS)]
BEGUN = json.dumps(
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "x", "version": "1"},
    }
).encode()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            fields = dict(line.split(":", 1) for line in head.split("\r\n")[1:] if line)
            body = await reader.readexactly(int(fields.get("content-length", "0")))
            writer.write(_answer(head, body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _answer(head: str, body: bytes) -> bytes:
    if not head.startswith("post"):
        return b"HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n"
    message = json.loads(body)
    if "id" not in message:
        return b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"
    result, more = RESULTS[message["id"] % VARIANTS], b""
    if message["method"] == "initialize":
        result, more = BEGUN, b"mcp-session-id: %b\r\n" % secrets.token_hex(8).encode()
    said = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(message["id"]).encode(), result)
    start = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    return b"%b%bcontent-length: %d\r\n\r\n%b" % (start, more, len(said), said)


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    await server.serve_forever()


asyncio.run(main())
