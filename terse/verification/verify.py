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
    with tempfile.TemporaryDirectory(prefix="terse-verify-") as name, _Listener() as listener:
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
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode == denied.CANNOT:
            raise CannotVerify(f"the network cannot be denied by {kind} here: {said}")
        if done.returncode == UNREADABLE:
            raise CannotVerify(said)
        try:
            found = msgspec.convert(json.loads(done.stdout), Verified)
        except (ValueError, msgspec.ValidationError):
            last = said.rpartition("\n")[2]
            raise CannotVerify(f"the process that verifies ended with {done.returncode}: {last}") from None
        checks = tuple(
            listener.checked(check) if check.name == "no network" else check for check in found.checks
        )
    return replace(found, checks=checks, seconds=time.monotonic() - start)


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
