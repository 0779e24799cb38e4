"""Calls of one tool over HTTP, to see what rules make of its results: a comparison in which nothing was
rewritten would prove nothing."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

VERSION = "2026-07-28"
TOOL = "test_simple_text"
CALLS = 5
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "conformance", "version": "1"},
}


def characters(url: str) -> int:
    """How long the texts are that a few calls of a tool give, together."""
    return sum(len(block["text"]) for _ in range(CALLS) for block in _call(url)["content"])


def _call(url: str) -> dict[str, Any]:
    params = {"name": TOOL, "arguments": {}, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": VERSION,
        "mcp-method": "tools/call",
        "mcp-name": TOOL,
    }
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=60) as response:
        text = response.read().decode()
    # One answer, as JSON or as the last event of a stream.
    if not text.lstrip().startswith("{"):
        text = [line for line in text.splitlines() if line.startswith("data:")][-1].removeprefix("data:")
    result: dict[str, Any] = json.loads(text)["result"]
    return result
