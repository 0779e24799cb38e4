"""What one proxy in front of four servers adds beside four connections. Not tests.

Direct and proxied runs alternate, so that both meet the same machine; processor time is that of the proxy.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

SERVERS = ("one", "two", "three", "four")
STARTS = 10
CALLS = 300
LARGE = 64 * 1024 * 1024

MEMBER = str(Path(__file__).parent.parent / "servers" / "member.py")
TERSE = [str(Path(sys.executable).parent / "terse"), "proxy", "--config"]
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench"}}


class _Session:
    """A server, or several behind the proxy."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, ident: object, method: str, **params: object) -> None:
        line = json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> bytes:
        assert self.process.stdout
        return self.process.stdout.readline()

    def introduce(self) -> None:
        self.send(0, "initialize", **INITIALIZE)
        self.receive()
        assert self.process.stdin
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def call_ms(self, tool: str, **arguments: object) -> float:
        start = perf_counter()
        self.send(1, "tools/call", name=tool, arguments=arguments)
        self.receive()
        return (perf_counter() - start) * 1000

    def list_ms(self) -> float:
        start = perf_counter()
        self.send(1, "tools/list")
        self.receive()
        return (perf_counter() - start) * 1000

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def _direct(name: str) -> _Session:
    return _Session([sys.executable, MEMBER, name])


def _proxied() -> _Session:
    servers = {name: {"command": sys.executable, "args": [MEMBER, name]} for name in SERVERS}
    return _Session([*TERSE, json.dumps({"mcpServers": servers})])


def measure() -> Iterator[str]:
    """Rows of figures: direct, through the proxy, and what that adds."""
    yield f"{'':48}{'direct':>10}{'proxied':>10}{'added':>10}   in ms, medians"
    yield _row("start of four servers to all introduced", *_starts())
    direct, proxied = _direct("one"), _proxied()
    for session in (direct, proxied):
        session.introduce()
    # The tokenizer is built in the first quiet moment.
    sleep(1.5)
    times = [(direct.call_ms("say"), proxied.call_ms("one__say")) for _ in range(CALLS)]
    yield _row("a trivial call", *zip(*times, strict=True))
    times = [(direct.list_ms(), proxied.list_ms()) for _ in range(CALLS)]
    yield _row("a list of tools, of four servers in place of one", *zip(*times, strict=True))
    beside = [_beside_large(proxied) for _ in range(3)]
    yield f"a trivial call while another server sends 64 MiB: {median(beside):.0f} ms"
    for session in (direct, proxied):
        session.end()


def _starts() -> tuple[list[float], list[float]]:
    direct: list[float] = []
    proxied: list[float] = []
    for _ in range(STARTS):
        start = perf_counter()
        sessions = [_direct(name) for name in SERVERS]
        for session in sessions:
            session.introduce()
        direct.append((perf_counter() - start) * 1000)
        for session in sessions:
            session.end()
        start = perf_counter()
        one = _proxied()
        one.introduce()
        proxied.append((perf_counter() - start) * 1000)
        one.end()
    return direct, proxied


def _beside_large(session: _Session) -> float:
    """Milliseconds to the answer of a small call that is made after a large one, at another server."""
    session.send("large", "tools/call", name="two__big", arguments={"count": LARGE})
    start = perf_counter()
    session.send("small", "tools/call", name="one__say", arguments={})
    first = session.receive()
    took = (perf_counter() - start) * 1000
    session.receive()
    assert len(first) < 1000, "the small one came second"
    return took


def _row(
    label: str, direct: list[float] | tuple[float, ...], proxied: list[float] | tuple[float, ...]
) -> str:
    without, through = median(direct), median(proxied)
    digits = 3 if without < 10 else 1
    return f"{label:48}{without:>10.{digits}f}{through:>10.{digits}f}{through - without:>10.{digits}f}"
