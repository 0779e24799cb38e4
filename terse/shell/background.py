"""The process in the background: found, started, ended."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from terse.shell import place
from terse.shell.source import Source, identity, variables
from terse.shell.unusable import Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

MODULE = "terse.cli.background"
"""What the process runs: who may import the servers and the rules is above this room."""
START_SECONDS = 60.0
STOP_SECONDS = 15.0
STEP_SECONDS = 0.02
MAX_NEWS = 64 * 1024
SHOWN_LINES = 12
"""Of what a server said that does not start."""


class Running:
    """A process that answers, as its file describes it.

    Attributes:
        port, token: how it is reached.
        session, version: what was agreed on with the server; "" before that.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.port: int = facts["port"]
        self.token: str = facts["token"]
        self.session: str = facts.get("session", "")
        self.version: str = facts.get("version", "")

    def save(self, source: Source) -> None:
        """Let later command lines find it.

        Raises:
            Unusable: it cannot be written.
        """
        self.facts |= {"session": self.session, "version": self.version}
        place.write(source.state, json.dumps(self.facts).encode())


def found(path: str) -> dict[str, Any] | None:
    """What a file says of a process that lives; None where none does.

    Raises:
        Unusable: the file is somebody else's, or others may open it.
    """
    # INVARIANT: the lock first. A port whose process is gone may be anybody's by now, and is not talked to.
    if not place.is_held(f"{path.removesuffix('.json')}.alive"):
        return None
    return read_state(path)


def read_state(path: str) -> dict[str, Any] | None:
    """What a file says of a process that lives, or lived; None where it says nothing.

    Raises:
        Unusable: as `found`.
    """
    data = place.read(path)
    try:
        facts = json.loads(data) if data is not None else None
    except ValueError:
        return None
    if not isinstance(facts, dict) or not isinstance(facts.get("port"), int):
        return None
    return facts if isinstance(facts.get("token"), str) and isinstance(facts.get("pid"), int) else None


def current(source: Source) -> Running | None:
    """The process of this server, if it lives, and is certain to be what it would be if started now.

    Raises:
        Unusable: as `found`.
    """
    facts = found(source.state)
    if facts is None or facts.get("stamp") != source.stamp() or not facts.get("session"):
        return None
    seen = facts.get("variables")
    return Running(facts) if isinstance(seen, dict) and seen == variables(seen) else None


Resolve = Callable[[Source], str]
"""What is run in the end, variables expanded, as a text; raises `Unusable` where there is no such server."""
Begin = Callable[[Running], bytes]
"""Begins a session with the server, and returns the list of tools."""


def started(
    source: Source, resolve: Resolve, document: str, begin: Begin, broken: Running | None = None
) -> Running:
    """The process of this server; a new one where none lives, or another one than is wanted now.

    Args:
        document: the text of the document, in which variables are looked for.
        broken: one that does not answer as it should: it is ended.

    Raises:
        Unusable: it cannot be started. The message has what it said.
    """
    is_now = identity([resolve(source), source.options, source.variables(""), source.idle])
    with place.locked(source.lock):
        facts = found(source.state)
        is_broken = broken is not None and facts is not None and facts["token"] == broken.token
        if facts is not None and facts.get("identity") == is_now and facts.get("session") and not is_broken:
            running = Running(facts | {"stamp": source.stamp(), "variables": source.variables(document)})
            running.save(source)
            return running
        if place.is_held(source.alive):
            _end(source, facts)
        process, running = _start(source, is_attached=False)
        running.facts |= {
            "identity": is_now,
            "stamp": source.stamp(),
            "variables": source.variables(document),
        }
        with _ended_on_failure(source, process):
            place.write(source.tools, begin(running))
            running.save(source)
        return running


@contextmanager
def attached(source: Source, begin: Begin) -> Iterator[tuple[Running, bytes]]:
    """A process for one command line only, and the list of its tools: it ends with us, however we end.

    Raises:
        Unusable: as `started`.
    """
    process, running = _start(source, is_attached=True)
    with _ended_on_failure(source, process):
        yield running, begin(running)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(STOP_SECONDS)


def stopped(path: str) -> bool:
    """End the process that a file describes, and forget it; whether there was one.

    Raises:
        Unusable: it does not end.
    """
    base = path.removesuffix(".json")
    with place.locked(f"{base}.lock"):
        facts = found(path)
        was_alive = place.is_held(f"{base}.alive")
        if was_alive:
            _signalled(f"{base}.alive", facts)
        for end in (".json", ".tools", ".log", ".told", ".alive"):
            with suppress(OSError):
                os.unlink(base + end)
    return was_alive


def known_states() -> list[str]:
    """The files of all processes that there are or were.

    Raises:
        Unusable: as `place.folder`.
    """
    here = place.folder()
    return sorted(os.path.join(here, name) for name in os.listdir(here) if name.endswith(".json"))


def news(source: Source) -> list[str]:
    """What terse itself said since this was last asked: results that could not be rewritten, rules that
    changed and do not compile."""
    try:
        size = os.stat(source.log).st_size
        told = int(place.read(source.told) or 0)
        if size == told:
            return []
        place.write(source.told, b"%d" % size)
        with open(source.log, encoding="utf-8", errors="replace") as log:
            log.seek(told if told < size else 0)
            said = log.read(MAX_NEWS)
    except (OSError, ValueError, Unusable):
        return []
    return [line for line in said.splitlines() if line.startswith("terse: ")]


def _end(source: Source, facts: dict[str, Any] | None) -> None:
    _signalled(source.alive, facts)
    with suppress(OSError):
        os.unlink(source.state)


def _signalled(alive: str, facts: dict[str, Any] | None) -> None:
    """
    Raises:
        Unusable: it does not end.
    """
    # The process is alive, so the number is its own and nobody else's: it wrote it where it holds the lock.
    written = place.read(alive) or b""
    number = int(written) if written.isdigit() else None if facts is None else facts["pid"]
    for sign, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, 2.0)):
        if number is not None:
            with suppress(ProcessLookupError):
                os.kill(number, sign)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not place.is_held(alive):
                return
            time.sleep(STEP_SECONDS)
    raise Unusable(f"the process in the background does not end{'' if number is None else f': {number}'}")


def _start(source: Source, *, is_attached: bool) -> tuple[subprocess.Popen[bytes], Running]:
    """
    Raises:
        Unusable: it cannot be started.
    """
    import secrets
    import subprocess

    token = secrets.token_urlsafe(32)
    place.write(source.log, b"")
    with suppress(OSError):
        os.unlink(source.told)
    with open(os.open(source.log, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW), "ab") as log:
        process = subprocess.Popen(
            # Not what lies in the folder it is started in: that may be anything.
            [sys.executable, "-P", "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=source.cwd,
            start_new_session=True,
            close_fds=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    # Through a pipe: arguments and environment of a process can be looked at.
    order = {
        "token": token,
        "arguments": ["--config", source.config, source.name, *source.options],
        "alive": source.alive,
        "lock": source.lock,
        "state": source.state,
        "idle": source.idle,
        "is_attached": is_attached,
    }
    with _ended_on_failure(source, process):
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        said = _line(process)
        if not said.isdigit():
            raise NotBegun("it cannot be started")
        if not is_attached:
            process.stdin.close()
        facts = {
            "name": source.name,
            "pid": process.pid,
            "port": int(said),
            "token": token,
            "log": source.log,
            "config": source.config if not source.config.startswith("{") else "",
            "since": int(time.time()),
        }
    return process, Running(facts)


def _line(process: subprocess.Popen[bytes]) -> bytes:
    """
    Raises:
        NotBegun: there is none in time.
    """
    import select

    assert process.stdout is not None
    if not select.select([process.stdout], [], [], START_SECONDS)[0]:
        raise NotBegun(f"it is not ready after {START_SECONDS:g} s")
    with process.stdout as output:
        return output.readline().strip()


@contextmanager
def _ended_on_failure(source: Source, process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    except BaseException as failure:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        process.terminate()
        with suppress(Exception):
            process.wait(STOP_SECONDS)
        if process.poll() is None:
            process.kill()
            process.wait()
        if isinstance(failure, NotBegun):
            raise Unusable(_with_what_was_said(source, failure)) from None
        raise


class NotBegun(Exception):  # noqa: N818 — says what the server is
    """The process, or the server behind it, does not begin. The message says what is known of it."""


def _with_what_was_said(source: Source, failure: Exception) -> str:
    try:
        said = (place.read(source.log) or b"").decode("utf-8", "replace").splitlines()
    except Unusable:
        said = []
    own = [line.removeprefix("terse: ") for line in said if line.startswith("terse: ")]
    if len(said) == len(own) == 1:
        return f"{source.name}: {own[0]}"
    shown = "".join(f"\n  {line}" for line in said[-SHOWN_LINES:])
    return f"{source.name}: {failure}" + (f"; it said:{shown}" if shown else "")
