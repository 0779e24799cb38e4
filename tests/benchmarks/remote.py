"""What the proxy adds to a server behind a URL: to the start of a session and to a call. Not tests.

Direct calls are made as a client makes them, with httpx2, and with the standard library for comparison. All
ways alternate, so that they meet the same machine. No rule touches the results. `busy` is what processor time
the proxy took.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import httpx2

from tests.benchmarks.proxy import UNTOUCHED
from tests.proxy.web import free_port

CALLS = 400
STARTS = 8
SERVER = str(Path(__file__).parent.parent / "servers" / "remote.py")
TERSE = [str(Path(sys.executable).parent / "terse"), "proxy"]
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        },
    }
).encode()
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

Ask = Callable[[bytes], object]


def measure() -> Iterator[str]:
    """Rows of figures: direct, through the proxy, and what that adds."""
    port = free_port()
    server = subprocess.Popen([sys.executable, SERVER, str(port)])
    try:
        _wait_for(port)
        yield f"{'in ms, medians':35}{'http.client':>12}{'httpx2':>10}{'proxied':>10}{'added':>10}{'busy':>9}"
        with tempfile.TemporaryDirectory() as folder:
            yield from _calls(port, folder)
            yield _start(port, folder)
    finally:
        server.kill()
        server.wait()


def _calls(port: int, folder: str) -> Iterator[str]:
    plain, direct = _plain(port), _direct(port)
    proxied, process = _proxied(port, folder)
    ways = (plain, direct, proxied)
    for label, tool, arguments, count in (
        ("a trivial call", "echo", {"text": "hello"}, CALLS),
        ("a trivial call, answered by events", "events", {}, CALLS),
        ("10 kB", "echo", {"text": "x" * 10_000}, CALLS),
        ("1 MB", "big", {"size": 1_000_000}, 20),
    ):
        params = {"name": tool, "arguments": arguments}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        for way in ways:
            way(line)
        sleep(1)
        before = _processor_ms(process.pid)
        times: list[list[float]] = [[], [], []]
        for _ in range(count):
            for way, taken in zip(ways, times, strict=True):
                start = perf_counter()
                way(line)
                taken.append((perf_counter() - start) * 1000)
        medians = [median(each) for each in times]
        busy = (_processor_ms(process.pid) - before) / count
        shown = "".join(f"{each:{width}.2f}" for each, width in zip(medians, (12, 10, 10), strict=True))
        yield f"{label:35}{shown}{medians[2] - medians[1]:>10.2f}{busy:>9.2f}"
    process.kill()
    process.wait()


def _start(port: int, folder: str) -> str:
    taken: list[float] = []
    for _ in range(STARTS):
        start = perf_counter()
        _, process = _proxied(port, folder)
        taken.append((perf_counter() - start) * 1000)
        process.kill()
        process.wait()
    return f"from the start of the proxy to the answer to initialize: {median(taken):.0f} ms"


def _plain(port: int) -> Ask:
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def ask(line: bytes) -> object:
        connection.request("POST", "/mcp", line, headers)
        response = connection.getresponse()
        body = response.read()
        headers.setdefault("Mcp-Session-Id", response.headers.get("mcp-session-id") or "")
        return body

    headers: dict[str, str] = {}
    headers.update(HEADERS)
    ask(INITIALIZE)
    ask(INITIALIZED)
    return ask


def _direct(port: int) -> Ask:
    client = httpx2.Client(headers=HEADERS, timeout=None)
    url = f"http://127.0.0.1:{port}/mcp"
    client.headers["Mcp-Session-Id"] = client.post(url, content=INITIALIZE).headers["mcp-session-id"]
    client.post(url, content=INITIALIZED)
    return lambda line: client.post(url, content=line).content


def _proxied(port: int, folder: str) -> tuple[Ask, subprocess.Popen[bytes]]:
    rules = Path(folder) / "untouched.terse"
    rules.write_text(UNTOUCHED)
    command = [*TERSE, "--rules", str(rules), f"http://127.0.0.1:{port}/mcp"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(line: bytes) -> object:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        answer = b""
        while b'"id"' not in answer:
            answer = process.stdout.readline()
        return answer

    ask(INITIALIZE)
    assert process.stdin
    process.stdin.write(INITIALIZED + b"\n")
    process.stdin.flush()
    return ask, process


def _processor_ms(pid: int) -> float:
    """Processor time of a process so far; 0 where /proc does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            _plain(port)
            return
        except OSError:
            sleep(0.1)
    raise RuntimeError("the server did not start")
