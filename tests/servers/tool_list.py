"""An MCP server with the tools of a file, `{"tools": […]}`. A call gives its tool and its arguments.

python tool_list.py FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any], tools: list[Any]) -> dict[str, Any] | None:
    """The result of a request; None of a method that it does not know."""
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": request["params"].get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tool-list", "version": "1"},
            }
        case "tools/list":
            return {"tools": tools}
        case "tools/call":
            called = {key: request["params"].get(key) for key in ("name", "arguments")}
            return {"content": [{"type": "text", "text": json.dumps(called)}]}
        case "ping":
            return {}
    return None


def main(file: str) -> None:
    tools = json.loads(Path(file).read_text(encoding="utf-8"))["tools"]
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request, tools)
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        reply = {
            "jsonrpc": "2.0",
            "id": request["id"],
            **({"result": result} if result is not None else unknown),
        }
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
