"""A small MCP server on the standard library: the tools make what the tests of the proxy need.

    python echo.py [--ignore-eof] [--ignore-sigterm] [--flood-stderr] [--grandchild FILE] [--pid FILE]

`tools/call` answers by tool name; see `TOOLS`. Each answer is written as the bytes the tool gives.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

OUT = threading.Lock()


def send(data: bytes) -> None:
    with OUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def message(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


def text_result(request: object, text: str, **more: object) -> bytes:
    return message(id=request, result={"content": [{"type": "text", "text": text}], **more})


def records(count: int) -> str:
    return json.dumps([{"id": n, "title": f"record {n}", "open": n % 2 == 0} for n in range(count)])


def call(request: object, name: str, arguments: dict[str, object]) -> None:
    size = int(str(arguments.get("size", 0)))
    if name == "echo":
        send(text_result(request, str(arguments.get("text", ""))))
    elif name == "raw":
        # Bytes as they are to be written, as latin-1; IDENT stands for the id.
        raw = str(arguments["line"]).replace("IDENT", json.dumps(request))
        send(raw.encode("latin-1"))
    elif name == "records":
        send(text_result(request, records(size)))
    elif name == "big":
        send(text_result(request, "x" * size))
    elif name == "die":
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":1,"resu')
        sys.stdout.buffer.flush()
        os._exit(7)
    elif name == "noise":
        send(b"starting up...\n\n\xff\xfe not utf-8\r\n" + b"[" * 100_000 + b"\n")
        send(text_result(request, "after the noise"))
    elif name == "environment":
        shown = {key.decode("latin-1"): value.decode("latin-1") for key, value in os.environb.items()}
        facts = {"env": shown, "cwd": os.getcwd(), "argv": sys.argv[1:], "group": os.getpgrp()}
        send(text_result(request, json.dumps(facts)))
    elif name == "progress":
        for step in range(size):
            send(message(method="notifications/progress", params={"progressToken": 1, "progress": step}))
        send(text_result(request, "done"))
    elif name == "close-stdout":
        os.close(1)
        time.sleep(60)
    else:
        send(message(id=request, error={"code": -32602, "message": "no such tool"}))


def main() -> None:
    options = sys.argv[1:]
    if "--pid" in options:
        with open(options[options.index("--pid") + 1], "w") as file:
            file.write(str(os.getpid()))
    if "--ignore-sigterm" in options:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "--grandchild" in options:
        sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
        child = subprocess.Popen(sleep, stdin=subprocess.DEVNULL)
        with open(options[options.index("--grandchild") + 1], "w") as file:
            file.write(str(child.pid))
    if "--flood-stderr" in options:
        sys.stderr.write("a line that nobody asked for\n" * 40_000)
        sys.stderr.flush()
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if not isinstance(request, dict) or "id" not in request:
            continue
        method, ident = request.get("method"), request["id"]
        params = request.get("params") or {}
        if method == "tools/call":
            call(ident, params.get("name"), params.get("arguments") or {})
        elif method == "initialize":
            answer = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "echo"}}
            send(message(id=ident, result=answer))
        else:
            send(message(id=ident, result={}))
    if "--ignore-eof" in options:
        time.sleep(60)


main()
