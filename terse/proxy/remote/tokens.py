"""Tokens of logins, one file a server, private to the user: below $XDG_STATE_HOME/terse/login."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from terse.proxy.remote.flight import waiting_for_the_user

Stored = dict[str, Any]
"""`server` (its URL), `tokens`, `client`, `metadata` and `resource`: what OAuth calls by these names."""


class TokenFile:
    """What is kept of the login to one server.

    Args:
        url: the server's; its query does not count.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        name = hashlib.sha256(self.server.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.path = os.path.join(_folder(), f"{name}.json")

    def read(self) -> Stored:
        """What is kept; nothing where the file is missing, damaged, or others could have written it."""
        return _read(self.path)

    def write(self, stored: Stored) -> None:
        """Keep this, in the place of what was kept. It is never half there.

        Raises:
            OSError: it cannot be written.
        """
        folder = os.path.dirname(self.path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # Made for the user alone, whatever the umask.
        descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"server": self.server, **stored}, file)
            os.replace(temporary, self.path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Log in, or change a token for a new one, while no other process does: a server gives each new token
        for the last one, and once. Where nothing can be kept, nobody is waited for."""
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            descriptor = os.open(self.path + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            yield
            return
        try:
            with waiting_for_the_user():
                while not _has_locked(descriptor):
                    await asyncio.sleep(0.1)
            yield
        finally:
            os.close(descriptor)

    def forget(self) -> bool:
        """Delete it; whether there was one.

        Raises:
            OSError: it cannot be deleted.
        """
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            return False
        return True


def kept_logins() -> Iterator[TokenFile]:
    """Every server that a login is kept for, by its URL."""
    folder = _folder()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    servers = (_read(os.path.join(folder, name)).get("server") for name in names if name.endswith(".json"))
    for server in sorted(each for each in servers if isinstance(each, str)):
        yield TokenFile(server)


def _has_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _folder() -> str:
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "terse", "login")


def _read(path: str) -> Stored:
    try:
        with open(path, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.getuid() or status.st_mode & 0o077:
                return {}
            stored = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}
