"""A server that answers calls as a recording says, one after another: the results as they were recorded.

    python replay.py RECORDING.json

A recording is `{"tools": […], "page": N, "calls": [{"tool", "arguments", "result"}, …]}`: `page` tools stand
on a page of `tools/list`, all on one if it is 0. The first call gets the first result, and so on; a client
that calls another tool than was recorded is told so.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LATEST = "2025-11-25"


def listed(recording: dict[str, Any], cursor: str | None) -> dict[str, Any]:
    tools, size = recording["tools"], recording["page"] or len(recording["tools"])
    start = int(cursor or 0)
    page: dict[str, Any] = {"tools": tools[start : start + size]}
    if start + size < len(tools):
        page["nextCursor"] = str(start + size)
    return page


def main() -> None:
    recording = json.loads(Path(sys.argv[1]).read_text())
    calls = iter(recording["calls"])
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        params, answer = request.get("params") or {}, {}
        match request["method"]:
            case "initialize":
                answer["result"] = {
                    "protocolVersion": min(LATEST, params["protocolVersion"]),
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "replay", "version": "1"},
                }
            case "tools/list":
                answer["result"] = listed(recording, params.get("cursor"))
            case "tools/call":
                call = next(calls, None)
                if call is None or call["tool"] != params["name"]:
                    answer["error"] = {"code": -32602, "message": f"not recorded: {params['name']}"}
                else:
                    answer["result"] = call["result"]
            case "ping":
                answer["result"] = {}
            case other:
                answer["error"] = {"code": -32601, "message": f"no method {other}"}
        message = {"jsonrpc": "2.0", "id": request["id"], **answer}
        sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        sys.stdout.buffer.flush()


main()
