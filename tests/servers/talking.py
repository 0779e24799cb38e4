"""A server on stdio, on the standard library, of every version: its tools say, ask and fail as they are told.

    python talking.py [--no-answer METHOD]

Calls are answered side by side. See `TOOLS`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

OUT = threading.Lock()
ANSWERS: dict[str, Any] = {}
ANSWERED = threading.Condition()
CANCELLED: list[Any] = []
CALLS: list[str] = []


def send(**members: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n")


def write(data: bytes) -> None:
    with OUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def ask(method: str, params: dict[str, Any]) -> Any:
    """Ask the client something, and wait for what it says."""
    ident = f"of-server-{len(ANSWERS)}-{time.monotonic_ns()}"
    send(id=ident, method=method, params=params)
    with ANSWERED:
        ANSWERED.wait_for(lambda: ident in ANSWERS, 20)
    return ANSWERS.get(ident)


def records(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    mark = arguments.get("mark", "record")
    size = arguments["size"]
    # What no shorter form could be found for than the rows of a table.
    titles = [hashlib.blake2b(f"{mark} {n}".encode(), digest_size=6).hexdigest() for n in range(size)]
    if "said" in arguments:
        send(method="notifications/message", params={"level": "info", "data": arguments["said"]})
    time.sleep(arguments.get("pause", 0))
    more = {"body": f"of {mark}: {'x y z ' * 60}"} if arguments.get("bodies") else {}
    return json.dumps([{"id": n, "mark": mark, "title": title, **more} for n, title in enumerate(titles)])


def progress(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    token = params["_meta"]["progressToken"]
    for step in range(arguments["steps"]):
        send(method="notifications/progress", params={"progressToken": token, "progress": step})
        time.sleep(arguments.get("pause", 0))
    return json.dumps(token)


def log(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    send(method="notifications/message", params={"level": "info", "data": arguments["text"]})
    time.sleep(arguments.get("pause", 0))
    return "logged"


def later(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    def say() -> None:
        for number in range(arguments.get("times", 1)):
            send(
                method="notifications/message",
                params={"level": "info", "data": f"{arguments['text']} {number}"},
            )

    threading.Timer(arguments.get("after", 0.2), say).start()
    return "soon"


def wait(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    time.sleep(arguments["seconds"])
    return "waited"


def die(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    write(b'{"jsonrpc":"2.0","id":1,"resu')
    os._exit(7)


def noise(arguments: dict[str, Any], params: dict[str, Any]) -> str:
    write(b"starting up...\n\n\xff\xfe not utf-8\r\n" + b"[" * 10_000 + b"\n")
    return "after the noise"


def hang(arguments: dict[str, Any], params: dict[str, Any]) -> None:
    return None


TOOLS: dict[str, Callable[[dict[str, Any], dict[str, Any]], str | None]] = {
    "pid": lambda arguments, params: str(os.getpid()),
    "say": lambda arguments, params: str(arguments["text"]),
    "big": lambda arguments, params: "x" * arguments["size"],
    "ask": lambda arguments, params: json.dumps(ask(arguments["method"], arguments.get("params", {}))),
    "cancelled": lambda arguments, params: json.dumps(CANCELLED),
    "calls": lambda arguments, params: json.dumps(CALLS),
    "environment": lambda arguments, params: json.dumps(dict(os.environ)),
    "records": records,
    "progress": progress,
    "log": log,
    "later": later,
    "wait": wait,
    "die": die,
    "noise": noise,
    "hang": hang,
    "routed": lambda arguments, params: str(arguments.get("region")),
}
SCHEMAS: dict[str, Any] = {
    "routed": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
}


def call(ident: Any, params: dict[str, Any]) -> None:
    CALLS.append(params["name"])
    tool = TOOLS.get(params["name"])
    if tool is None:
        send(id=ident, error={"code": -32602, "message": "no such tool"})
        return
    try:
        text = tool(params.get("arguments") or {}, params)
    except (KeyError, TypeError, AttributeError):
        send(id=ident, error={"code": -32602, "message": "other arguments are needed"})
        return
    if text is not None:
        send(id=ident, result={"content": [{"type": "text", "text": text}]})


def main() -> None:
    silent = sys.argv[sys.argv.index("--no-answer") + 1 :] if "--no-answer" in sys.argv else []
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method, ident, params = message.get("method"), message.get("id"), message.get("params") or {}
        if method is None:
            with ANSWERED:
                ANSWERS[ident] = message.get("result", message.get("error"))
                ANSWERED.notify_all()
        elif method == "notifications/cancelled":
            CANCELLED.append(params["requestId"])
        elif ident is None or method in silent:
            continue
        elif method == "tools/call":
            threading.Thread(target=call, args=(ident, params), daemon=True).start()
        elif method == "tools/list":
            tools = [
                {"name": name, "inputSchema": SCHEMAS.get(name, {"type": "object"})} for name in sorted(TOOLS)
            ]
            result = {"tools": tools, "ttlMs": 0, "cacheScope": "private"}
            # A client may say how long the list is to take.
            pause = (params.get("_meta") or {}).get("pause", 0)
            threading.Timer(pause, send, kwargs={"id": ident, "result": result}).start()
        elif method == "initialize":
            offers = {"tools": {"listChanged": True}, "logging": {}, "resources": {"subscribe": True}}
            send(
                id=ident,
                result={
                    "protocolVersion": params["protocolVersion"],
                    "capabilities": offers,
                    "serverInfo": {"name": "talking", "version": "1"},
                },
            )
        elif method == "subscriptions/listen":
            meta = {"io.modelcontextprotocol/subscriptionId": ident}
            send(method="notifications/subscriptions/acknowledged", params={"_meta": meta})
            send(method="notifications/tools/list_changed", params={"_meta": meta})
        elif method == "server/discover":
            send(
                id=ident,
                result={
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "talking", "version": "1"},
                    "ttlMs": 0,
                    "cacheScope": "public",
                },
            )
        elif method == "ping":
            send(id=ident, result={})
        else:
            send(id=ident, error={"code": -32601, "message": "Method not found"})


main()
