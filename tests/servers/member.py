"""One of several MCP servers, on the standard library: its arguments say how it misbehaves.

    python member.py NAME [--modern] [--hangs METHOD] [--after FILE] [--deaf] [--dies] [--dies-on METHOD]
        [--floods] [--garbles METHOD] [--stays] [--pids FILE] [--notes FILE] [--old] [--quiet]

`--modern` speaks only as of 2026-07-28 once it was discovered, `--hangs` never answers a method, `--after`
answers nothing before the file is there, `--deaf` reads nothing at all, `--dies` ends at once, `--dies-on`
when it is asked for something, `--floods` never stops talking, `--garbles` answers a method with nonsense,
`--stays` ignores the end of its input and SIGTERM.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

NAME, OPTIONS = sys.argv[1], sys.argv[2:]


def options(name: str) -> list[str]:
    return [OPTIONS[at + 1] for at, word in enumerate(OPTIONS) if word == name]


HANGS, DIES_ON, GARBLES = options("--hangs"), options("--dies-on"), options("--garbles")
CAPABILITIES = {"tools": {}, "prompts": {}, "resources": {"subscribe": True}, "logging": {}}


def send(**members: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")
    sys.stdout.flush()


def big(name: str, count: int) -> str:
    if name == "big":
        return "x" * count
    return json.dumps(
        [{"id": number, "name": f"{NAME} {number}", "note": "the same"} for number in range(count)]
    )


def tools(cursor: str | None) -> dict[str, Any]:
    """Two pages, one tool each; the second page is there only for those who ask for it."""
    if cursor is None:
        return {"tools": [tool("say", "1.50")], "nextCursor": f"more of {NAME}"}
    assert cursor == f"more of {NAME}", cursor
    return {"tools": [tool("ask", "2")]}


def tool(name: str, number: str) -> dict[str, Any]:
    return {"name": name, "description": f"{NAME} {number}", "inputSchema": {"type": "object"}}


def answer(method: str, params: dict[str, Any], is_modern: bool) -> dict[str, Any] | None:
    complete: dict[str, Any] = {"resultType": "complete"} if is_modern else {}
    kept = {"ttlMs": 1000 * len(NAME), "cacheScope": "public"} if is_modern else {}
    match method:
        case "initialize":
            version = "2025-06-18" if "--old" in OPTIONS else params["protocolVersion"]
            info = {"name": NAME, "version": "1"}
            said = {"instructions": f"call {NAME} often"} if "--quiet" not in OPTIONS else {}
            return {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": info, **said}
        case "tools/list":
            return {**complete, **tools(params.get("cursor")), **kept}
        case "prompts/list":
            return {**complete, "prompts": [{"name": "greet"}], **kept}
        case "prompts/get":
            return {"description": f"{params['name']} of {NAME}", "messages": []}
        case "resources/list":
            return {**complete, "resources": [{"uri": f"{NAME}://listed", "name": "listed"}], **kept}
        case "resources/read":
            if not params["uri"].startswith(f"{NAME}:"):
                return None
            return {"contents": [{"uri": params["uri"], "text": f"read by {NAME}"}]}
        case "completion/complete":
            return {"completion": {"values": [f"{NAME} completes {params['ref']}"]}}
        case "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe":
            return None if params.get("uri", NAME)[: len(NAME)] != NAME else {}
        case "tasks/get" if params["taskId"] == f"task of {NAME}":
            return {"taskId": params["taskId"], "status": "working", "server": NAME}
    return None


def call(ident: object, params: dict[str, Any]) -> None:
    arguments = params.get("arguments") or {}
    text = f"{NAME} {params['name']} {arguments.get('text', '')}"
    if params["name"] == "die":
        os._exit(3)
    if params["name"] == "late":
        # Never.
        return
    if params["name"] in ("big", "records"):
        text = big(params["name"], int(arguments["count"]))
    if params["name"] == "story":
        text = json.dumps({"text": f"{NAME} tells " * 100})
    if params["name"] == "task":
        send(id=ident, result={"task": {"taskId": f"task of {NAME}", "status": "working"}})
        return
    if params["name"] == "ask":
        # Every server uses the same ids for what it asks the client.
        meta = {"progressToken": f"token of {NAME}"}
        send(id=1, method="roots/list", params={"_meta": meta})
        asked = json.loads(sys.stdin.readline())
        while asked.get("id") != 1 or "method" in asked:
            text += f" {asked.get('method')}"
            asked = json.loads(sys.stdin.readline())
        text += f" {asked['result']}"
    send(id=ident, result={"content": [{"type": "text", "text": text}]})


def flood() -> None:
    while True:
        send(method="notifications/message", params={"level": "info", "data": "word " * 200})


def main() -> None:
    for file in options("--pids"):
        with open(file, "a") as pids:
            pids.write(f"{os.getpid()}\n")
    if "--stays" in OPTIONS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "--dies" in OPTIONS:
        sys.exit(3)
    if "--deaf" in OPTIONS:
        time.sleep(600)
    is_modern = False
    for line in sys.stdin:
        request = json.loads(line)
        method, params = request.get("method"), request.get("params") or {}
        if "--after" in OPTIONS:
            while not Path(OPTIONS[OPTIONS.index("--after") + 1]).exists():
                time.sleep(0.01)
        if "--notes" in OPTIONS:
            with open(OPTIONS[OPTIONS.index("--notes") + 1], "a") as notes:
                notes.write(f"{NAME} {method}\n")
        if method in DIES_ON:
            os._exit(3)
        if method == "notifications/initialized" and "--floods" in OPTIONS:
            flood()
        if "id" not in request or method in HANGS:
            continue
        if method in GARBLES:
            send(id=request["id"], result={"tools": [{"name": 5}, "no tool"]})
            continue
        if method == "subscriptions/listen":
            meta = {"io.modelcontextprotocol/subscriptionId": request["id"]}
            granted = {**params["notifications"], "resourceSubscriptions": [f"{NAME}://a"]}
            told = {"_meta": meta, "notifications": granted}
            send(method="notifications/subscriptions/acknowledged", params=told)
            continue
        if method == "tools/call":
            call(request["id"], params)
            continue
        if method == "server/discover" and "--modern" in OPTIONS:
            is_modern = True
            found = {"supportedVersions": ["2026-07-28", NAME], "capabilities": CAPABILITIES}
            send(
                id=request["id"],
                result={"resultType": "complete", **found, "ttlMs": 5, "cacheScope": "public"},
            )
            continue
        if is_modern and method == "initialize":
            send(id=request["id"], error={"code": -32022, "message": "it is too late for that"})
            continue
        result = answer(method, params, is_modern)
        if result is None:
            send(id=request["id"], error={"code": -32002, "message": f"{NAME} has no {method}"})
        else:
            send(id=request["id"], result=result)


main()
while "--floods" in OPTIONS or "--stays" in OPTIONS:
    time.sleep(0.01)
