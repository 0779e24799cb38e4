"""Starts the verification in a process without the network, and makes sure that it has none."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from terse.report.verified import Check, Verified
from terse.verification import denied, live
from terse.verification.worker import UNREADABLE

HASH_SEED = "1"
_SECONDS_TO_END = 5.0


class CannotVerify(Exception):  # noqa: N818 — says what is in the way
    """It could not be done. The message is one line."""


def verify(paths: Sequence[str], kind: str = "auto") -> Verified:
    """Verify this installation on results.

    Args:
        paths: captures, folders of them and saved results; without any, our own samples.
        kind: one of `denied.KINDS`, or `auto`.

    Raises:
        CannotVerify: a path cannot be read, or the network cannot be denied as it was asked for.
    """
    start = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="terse-verify-", ignore_cleanup_errors=True) as name,
        _Listener() as listener,
    ):
        folder = Path(name).resolve()
        (folder / "home").mkdir()
        port = listener.port
        command = live.denied_command(
            kind,
            folder / "worker.log",
            "terse.verification.worker",
            *("whole", str(port), str(folder)),
            *(os.path.abspath(path) for path in paths),
        )
        environment = {
            name: value
            for name, value in live.environment(folder / "home").items()
            if name != denied.VARIABLE
        }
        # Compiled anew from the sources, whose hashes are compared: what lies in caches is on no list.
        environment |= {"PYTHONHASHSEED": HASH_SEED, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        code, out, errors = _run(command, environment)
        said = errors.decode("utf-8", "replace").strip()
        if code == denied.CANNOT:
            raise CannotVerify(f"the network cannot be denied by {kind} here: {said}")
        if code == UNREADABLE:
            raise CannotVerify(said)
        try:
            found = msgspec.convert(json.loads(out), Verified)
        except (ValueError, msgspec.ValidationError):
            last = said.rpartition("\n")[2]
            raise CannotVerify(f"the process that verifies ended with {code}: {last}") from None
        checks = tuple(
            listener.checked(check) if check.name == "no network" else check for check in found.checks
        )
    return replace(found, checks=checks, seconds=time.monotonic() - start)


def _run(command: list[str], environment: dict[str, str]) -> tuple[int, bytes, bytes]:
    """The exit code of the worker, and what it wrote. Where this process is ended, so is that one, in order:
    it ends its own, and nothing is written any more once the folder is removed."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, errors = process.communicate()
    except BaseException:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_SECONDS_TO_END)
        process.kill()
        process.communicate()
        raise
    return process.returncode, out, errors


class _Listener:
    """A port of this machine that listens: with the network, it can be reached."""

    def __init__(self) -> None:
        self.port = 9
        self._socket: socket.socket | None = None
        self._listens = False

    def __enter__(self) -> _Listener:
        with suppress(OSError):
            self._socket = socket.create_server(("127.0.0.1", 0))
            self._socket.settimeout(5)
            self.port = self._socket.getsockname()[1]
            with socket.create_connection(("127.0.0.1", self.port), timeout=5):
                self._socket.accept()[0].close()
            self._listens = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            self._socket.close()

    def checked(self, check: Check) -> Check:
        """What the other side found, with what was seen on this one."""
        if not self._listens or self._socket is None:
            said = f"{check.said}; there was no network before, either, so that this shows little"
            return replace(check, said=said)
        self._socket.setblocking(False)
        try:
            self._socket.accept()[0].close()
        except OSError:
            return check
        return Check("no network", False, "it was to be denied, and a connection arrived all the same")
