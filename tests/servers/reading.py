"""A server on stdio whose results hang on nothing but files: every copy of it gives the same.

    python reading.py FOLDER

Tools: `read` gives a file of the folder, after so many seconds; `level` the log level that was set, and how
often the client said that it is initialized.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
OUT = threading.Lock()
STATE: dict[str, Any] = {"level": None, "initialized": 0}
NAMES = ("read", "level")


def send(**members: object) -> None:
    with OUT:
        sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n")
        sys.stdout.buffer.flush()


def called(name: str, arguments: dict[str, Any]) -> str:
    if name == "level":
        return json.dumps(STATE)
    if "seconds" in arguments:
        (FOLDER / "begun").touch()
        time.sleep(arguments["seconds"])
    return (FOLDER / arguments["name"]).read_text()


def answer(message: dict[str, Any]) -> Any:
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        info = {"name": "reading", "version": "1"}
        capabilities: dict[str, Any] = {"tools": {}, "logging": {}}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}
    if method == "logging/setLevel":
        STATE["level"] = params["level"]
        return {}
    if method == "tools/list":
        schema = {"type": "object"}
        return {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in NAMES]}
    text = called(params["name"], params.get("arguments") or {})
    return {"content": [{"type": "text", "text": text}]}


def take(message: dict[str, Any]) -> None:
    send(id=message["id"], result=answer(message))


for line in sys.stdin.buffer:
    told = json.loads(line)
    if told.get("method") == "notifications/initialized":
        STATE["initialized"] += 1
    elif "id" in told and "method" in told:
        threading.Thread(target=take, args=(told,), daemon=True).start()
