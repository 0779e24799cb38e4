"""What the proxy adds: to a server's start, to a call, to large results; and its memory. Not tests.

Direct and proxied runs alternate, so that both meet the same machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

STARTS = 20
CALLS = 500
MEGABYTE = 1_000_000

SERVER = [sys.executable, str(Path(__file__).parent.parent / "servers" / "echo.py")]
TERSE = [str(Path(sys.executable).parent / "terse"), "proxy"]
INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'
UNTOUCHED = """terse 1

rule one-tool {
  on */no-such-tool
  use minify
}
"""


class _Session:
    """A running server, direct or behind the proxy."""

    def __init__(self, command: list[str]) -> None:
        start = perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask(INITIALIZE)
        self.start_ms = (perf_counter() - start) * 1000

    def ask(self, line: bytes) -> bytes:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def call_ms(self, tool: str, **arguments: object) -> float:
        params = {"name": tool, "arguments": arguments}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        start = perf_counter()
        self.ask(line + b"\n")
        return (perf_counter() - start) * 1000

    def peak_bytes(self) -> int:
        """The most memory that it ever had; 0 where /proc does not say."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        return next(int(row.split()[1]) * 1024 for row in status.splitlines() if row.startswith("VmHWM"))

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure() -> Iterator[str]:
    """Rows of figures: direct, through the proxy, and what that adds."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "untouched.terse"
        rules.write_text(UNTOUCHED)
        yield f"{'':44}{'direct':>10}{'proxied':>10}{'added':>10}   in ms, medians"
        yield from _starts(rules)
        yield from _calls(rules)
    yield from _large()


def _starts(rules: Path) -> Iterator[str]:
    for label, options in (("default policy", []), ("a rule file, plan cached", ["--rules", str(rules)])):
        direct: list[float] = []
        proxied: list[float] = []
        for _ in range(STARTS):
            for times, command in ((direct, SERVER), (proxied, [*TERSE, *options, "--", *SERVER])):
                session = _Session(command)
                times.append(session.start_ms)
                session.end()
        yield _row(f"start to initialize, {label}", direct, proxied)


def _calls(rules: Path) -> Iterator[str]:
    direct, proxied = _Session(SERVER), _Session([*TERSE, "--", *SERVER])
    untouched = _Session([*TERSE, "--rules", str(rules), "--", *SERVER])
    sessions = (direct, proxied, untouched)
    for session in sessions:
        session.call_ms("echo", text="hello")
    # The tokenizer is built in the first quiet moment.
    sleep(1.5)
    times = [[session.call_ms("echo", text="hello") for session in sessions] for _ in range(CALLS)]
    yield _row("a trivial call, default policy", *zip(*((row[0], row[1]) for row in times), strict=True))
    yield _row("a trivial call that no rule touches", *zip(*((row[0], row[2]) for row in times), strict=True))
    times = [[session.call_ms("big", size=MEGABYTE) for session in sessions] for _ in range(20)]
    yield _row("1 MB that no rule touches", *zip(*((row[0], row[2]) for row in times), strict=True))
    times = [[session.call_ms("records", size=1000) for session in sessions] for _ in range(20)]
    yield _row("1,000 records, default policy", *zip(*((row[0], row[1]) for row in times), strict=True))
    for session in sessions:
        session.end()


def _large() -> Iterator[str]:
    size = 50 * MEGABYTE
    direct, proxied = _Session(SERVER), _Session([*TERSE, "--", *SERVER])
    times = [[session.call_ms("big", size=size) for session in (direct, proxied)] for _ in range(3)]
    yield _row("50 MB, default policy", *zip(*times, strict=True))
    peak = proxied.peak_bytes()
    yield f"memory of the proxy at its peak: {peak / 1e6:.0f} MB, {peak / size:.1f} times the message"
    for session in (direct, proxied):
        session.end()


def _row(
    label: str, direct: list[float] | tuple[float, ...], proxied: list[float] | tuple[float, ...]
) -> str:
    without, through = median(direct), median(proxied)
    digits = 3 if without < 10 else 1
    return f"{label:44}{without:>10.{digits}f}{through:>10.{digits}f}{through - without:>10.{digits}f}"
