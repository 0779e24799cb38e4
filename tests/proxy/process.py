"""Driving a relay as a client does: a process, its pipes, and time limits so that no test hangs."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RELAY = [sys.executable, str(HERE / "relay.py")]
SERVER = [sys.executable, str(HERE.parent / "servers" / "echo.py")]
PATIENCE = 20.0
"""Seconds after which a test fails instead of hanging; nothing is expected to take that long."""


def request(ident: object, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode() + b"\n"


def call(ident: object, tool: str, **arguments: object) -> bytes:
    return request(ident, "tools/call", name=tool, arguments=arguments)


def text_of(line: bytes) -> str:
    text: str = json.loads(line)["result"]["content"][0]["text"]
    return text


class Client:
    """One end of a running relay (or server)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._received = b""

    def send(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def close(self) -> None:
        """Half-close: no more messages from us."""
        assert self.process.stdin
        self.process.stdin.close()

    def receive(self) -> bytes:
        """The next line, with its line end; what came before the end of the output without one; b"" at it."""
        assert self.process.stdout
        descriptor = self.process.stdout.fileno()
        pieces = [self._received]
        while b"\n" not in pieces[-1]:
            ready, _, _ = select.select([descriptor], [], [], PATIENCE)
            assert ready, f"nothing came for {PATIENCE} s after {b''.join(pieces)[-200:]!r}"
            chunk = os.read(descriptor, 1 << 20)
            if not chunk:
                self._received = b""
                return b"".join(pieces)
            pieces.append(chunk)
        line, end, self._received = b"".join(pieces).partition(b"\n")
        return line + end

    def rest(self) -> bytes:
        """Everything until the end of the output."""
        lines = []
        while line := self.receive():
            lines.append(line)
        return b"".join(lines)

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def errors(self) -> str:
        """What was written on stderr, once the process has ended."""
        assert self.process.stderr
        return self.process.stderr.read().decode()


@contextmanager
def started(command: list[str], **environment: str) -> Iterator[Client]:
    """A process in a session of its own, whose remains are killed at the end."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **environment},
    )
    try:
        yield Client(process)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe
            with suppress(OSError):
                pipe.close()


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    return state != "Z"


def ends(pid: int, within: float = PATIENCE) -> bool:
    """Whether the process is gone in time."""
    until = time.monotonic() + within
    while is_running(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def pid_in(file: Path) -> int:
    """The process id that a test server writes to a file."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(FileNotFoundError, ValueError):
            return int(file.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{file} was not written")


def answers(lines: list[bytes]) -> dict[Any, bytes]:
    """Lines by their id."""
    return {json.loads(line)["id"]: line for line in lines}
