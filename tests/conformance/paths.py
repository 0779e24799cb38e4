"""The ways from the suite to the fixture server: without terse, and through each front of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TERSE = [str(Path(sys.executable).parent / "terse")]
RULES = ["--rules", str(HERE / "aggressive.terse")]
TOLD = ("terse: listening on ", "terse: log in at ")
"""What is said on stderr though nothing is wrong."""
START_SECONDS = 60.0
END_SECONDS = 10.0


class NotStarted(Exception):  # noqa: N818 — says what happened
    """A process did not come up. The message says which, and what it said."""


@dataclass(frozen=True)
class Upstream:
    """The server at the far end.

    Attributes:
        url: where it is served over HTTP.
        command: starts it on stdio; empty where there is only the URL.
    """

    url: str
    command: Sequence[str] = ()


@dataclass(frozen=True)
class Opening:
    """A way that is being opened: where to, what is to be closed at its end, and where its stderr goes."""

    upstream: Upstream
    stack: ExitStack
    errors: IO[bytes]

    def start(self, command: Sequence[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start a process that is ended with the way."""
        return self.stack.enter_context(running(command, stdout, self.errors))


@dataclass(frozen=True)
class Way:
    """A way to a server.

    Attributes:
        shown: how it is written in tables.
        compared_with: the way whose scores it must have; None for those without terse.
        is_there: whether this terse has such a front.
        opened: opens it, and gives the URL for the suite.
        needs_command: it starts the server itself.
    """

    name: str
    shown: str
    compared_with: str | None
    opened: Callable[[Opening], str]
    is_there: Callable[[], bool] = lambda: True
    needs_command: bool = False


def way(name: str) -> Way:
    """The way of a name."""
    return next(each for each in WAYS if each.name == name)


@contextmanager
def opened(name: str, upstream: Upstream, complaints: list[str]) -> Iterator[str]:
    """Open a way, and close it at the end.

    Args:
        complaints: gets what terse said on stderr.

    Raises:
        NotStarted: one of its processes did not come up.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            with ExitStack() as stack:
                yield way(name).opened(Opening(upstream, stack, errors))
        finally:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").splitlines()
            complaints += [line for line in said if line.startswith("terse: ") and not line.startswith(TOLD)]


def _direct(opening: Opening) -> str:
    return opening.upstream.url


def _bridge(opening: Opening) -> str:
    return _bridged(opening.upstream.command, opening)


def _stdio(opening: Opening) -> str:
    return _bridged([*TERSE, "proxy", *RULES, "--", *opening.upstream.command], opening)


def _remote(opening: Opening) -> str:
    return _bridged([*TERSE, "proxy", *RULES, opening.upstream.url], opening)


def _serve(opening: Opening) -> str:
    return _served(["--", *opening.upstream.command], opening)


def _serve_remote(opening: Opening) -> str:
    return _served([opening.upstream.url], opening)


def _bridged(command: Sequence[str], opening: Opening) -> str:
    bridge = [sys.executable, "-m", "tests.conformance.bridge", "--", *command]
    process = opening.start(bridge, subprocess.PIPE)
    assert process.stdout is not None
    url = process.stdout.readline().decode().strip()
    if not url:
        raise NotStarted("the bridge did not start")
    return url


def _served(target: Sequence[str], opening: Opening) -> str:
    port = free_port()
    command = [*TERSE, "serve", "--listen", f"127.0.0.1:{port}", *RULES, *target]
    process = opening.start(command)
    wait_for(port, process)
    return f"http://127.0.0.1:{port}/mcp"


def _has_remote() -> bool:
    return "http" in _help("proxy")


def _has_serve() -> bool:
    return "--listen" in _help("serve")


def _help(command: str) -> str:
    done = subprocess.run(
        [*TERSE, command, "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout if done.returncode == 0 else ""


WAYS = (
    Way("direct", "HTTP", None, _direct),
    Way("bridge", "bridge, stdio", None, _bridge, needs_command=True),
    Way("stdio", "bridge, terse proxy, stdio", "bridge", _stdio, needs_command=True),
    Way("remote", "bridge, terse proxy, HTTP", "bridge", _remote, _has_remote),
    Way("serve", "terse serve, stdio", "direct", _serve, _has_serve, needs_command=True),
    Way("serve-remote", "terse serve, HTTP", "direct", _serve_remote, _has_serve),
)


@contextmanager
def running(
    command: Sequence[str],
    stdout: int = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own; ended, with all that it started, at the end."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process listens: the suite tries once.

    Raises:
        NotStarted: it ended, or does not listen.
    """
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise NotStarted(f"{process.args!r} does not listen on port {port}")
