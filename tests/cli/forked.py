"""Command lines, each in a process of its own without its start: `Forks` sends them to one that forks.

    python forked.py

reads one command line as JSON per line, runs it as a fork of itself in the folder, with the environment and
the streams that it says, and answers with what became of it.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import pkgutil
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 120.0
"""What takes longer hangs."""
WATCHED_SECONDS = 3.0
"""After which what watches files is interrupted, as its user does."""
LISTENS = b"terse: listening on "


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a command line. `code` is None where it hung, and minus the signal that killed it."""

    code: int | None
    out: bytes
    error: bytes


class Forks:
    """A process that forks, for many command lines; close it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent.parent,
        )

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        stdin: str = os.devnull,
        stdout: str = "file",
        encoding: str = "utf-8",
    ) -> Ended:
        """The command line `terse ARGUMENT…`, once it has ended.

        Args:
            stdin: a file, or `closed`.
            stdout: `file`, `closed`, `full` (as of a full disk) or `gone` (a pipe that nobody reads).
            encoding: of the standard streams.
        """
        out, error = self._folder / "out", self._folder / "error"
        asked = {
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
            "stdin": stdin,
            "stdout": stdout,
            "encoding": encoding,
            "out": str(out),
            "error": str(error),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process that forks has ended"
        return Ended(json.loads(answer), out.read_bytes(), error.read_bytes())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(SECONDS)


def _serve() -> None:
    _load()
    for line in sys.stdin:
        asked = json.loads(line)
        for path in (asked["out"], asked["error"]):
            Path(path).write_bytes(b"")
        child = os.fork()
        if not child:
            _become(asked)
            return
        print(json.dumps(_ended(child, asked)), flush=True)


def _load() -> None:
    """What commands import and read, once for all forks."""
    import terse
    from terse.tokens import vocabulary

    for module in pkgutil.walk_packages(terse.__path__, "terse."):
        # Some are for the environments of other packages; `__main__` is the command itself.
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)
    vocabulary()
    gc.freeze()


def _ended(child: int, asked: dict[str, Any]) -> int | None:
    """The exit code. What goes on until it is stopped (a server, `--watch`) is stopped once it has begun."""
    begun = time.monotonic()
    is_watching = "--watch" in asked["arguments"]
    is_told = False
    while (seconds := time.monotonic() - begun) < SECONDS:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with suppress(OSError):
                os.killpg(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(status)
        if not is_told and LISTENS in _read(asked["error"]):
            os.kill(child, signal.SIGTERM)
            is_told = True
        elif not is_told and is_watching and seconds > WATCHED_SECONDS:
            os.kill(child, signal.SIGINT)
            is_told = True
        time.sleep(0.002)
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _read(path: str) -> bytes:
    with suppress(OSError), open(path, "rb") as file:
        return file.read()
    return b""


def _become(asked: dict[str, Any]) -> None:
    """Run the command line, as the interpreter does that was started for it."""
    os.setsid()
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    encoding = asked["encoding"]
    created = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    _put(os.open(asked["error"], created, 0o600), 2)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "wb"), encoding, "backslashreplace", write_through=True)
    if asked["stdin"] == "closed":
        os.close(0)
        sys.stdin = None
    else:
        _put(os.open(asked["stdin"], os.O_RDONLY), 0)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "rb")), encoding)
    if asked["stdout"] == "closed":
        os.close(1)
        sys.stdout = None
    else:
        if asked["stdout"] == "gone":
            reading, writing = os.pipe()
            os.close(reading)
        else:
            writing = os.open("/dev/full" if asked["stdout"] == "full" else asked["out"], created, 0o600)
        _put(writing, 1)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "wb")), encoding)
    # What the interpreter flushes at its end.
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    # Without HOME it is the user database that knows: not here, where it would lead to the real home.
    pwd.getpwuid = lambda user: _User(asked["folder"])
    sys.argv = ["terse", *asked["arguments"]]
    from terse.cli.entry import main

    raise SystemExit(main())


@dataclass(frozen=True, slots=True)
class _User:
    pw_dir: str
    pw_name: str = "somebody"


def _put(descriptor: int, place: int) -> None:
    os.dup2(descriptor, place)
    if descriptor != place:
        os.close(descriptor)


if __name__ == "__main__":
    _serve()
