"""A tiny MCP server over stdio, on the standard library: it gives recorded results, one after another.

Its argument is a file with one result a line, the first line being its answer to `tools/list`. The first call
is answered with the second line, the next one with the third; whatever tool it names.
"""

from __future__ import annotations

import json
import sys
from typing import BinaryIO

PROTOCOL = "2025-06-18"


def main(arguments: list[str]) -> int:
    """Serve until the client has nothing more to say."""
    with open(arguments[0], "rb") as results:
        listed = results.readline().rstrip(b"\n")
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if "id" in request:
                _answer(request["method"], json.dumps(request["id"]).encode(), listed, results)
    return 0


def _answer(method: str, ident: bytes, listed: bytes, results: BinaryIO) -> None:
    if method == "tools/call":
        result = results.readline().rstrip(b"\n")
    elif method == "tools/list":
        result = listed
    elif method == "initialize":
        about = {"name": "terse-verify-server", "version": "1"}
        offered = {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}, "serverInfo": about}
        result = json.dumps(offered).encode()
    else:
        result = b"{}"
    sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":' + ident + b',"result":' + result + b"}\n")
    sys.stdout.buffer.flush()
