"""What is to be captured, as it was asked for: on a proxy's command line, or for all proxies of a user."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

import msgspec

from terse.fields.wildcard import matches

MAX_BYTES = 200 << 20
"""What all files of a folder take together; the oldest go first."""
LEAST_BYTES = 1 << 20
MAX_RESULT_BYTES = 4 << 20
"""A larger message is not captured."""
DAYS = 30
"""How long a file is kept."""
_MAX_FILE_BYTES = 1 << 20


class Unusable(Exception):  # noqa: N818 — says what is wrong with a file
    """A file says nothing that could be followed, or cannot be read. The message says why, in a few words."""


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be captured.

    Attributes:
        folder: where to.
        is_default_folder: it is terse's own, which nobody else reads.
        until: seconds since 1970 from which on nothing is captured; None: as long as the process lives.
        servers: globs for names of servers; none: all.
        arguments: whether arguments of calls are captured.
        names, patterns: what is redacted; see `terse.capture.redaction.Rules`.
        max_bytes: see `MAX_BYTES`.
    """

    folder: str
    is_default_folder: bool = True
    until: float | None = None
    servers: tuple[str, ...] = ()
    arguments: bool = True
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    version: int = 1

    def is_over(self, now: float) -> bool:
        """Whether its time is over."""
        return self.until is not None and now >= self.until

    def names_server(self, server: str) -> bool:
        """Whether calls of the server are to be captured."""
        return not self.servers or any(matches(glob, server) for glob in self.servers)


def read(path: str) -> Asked:
    """What a file asks for.

    INVARIANT: only what this user wrote is followed: another one could have calls written to a folder of his.

    Raises:
        Unusable: it is no such file, is another user's, or others can write to it.
        FileNotFoundError: there is none.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unusable(error.strerror or "it cannot be read") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_FILE_BYTES:
            raise Unusable("it is no file of ours")
        if found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise Unusable("others can write to it")
        content = os.read(descriptor, _MAX_FILE_BYTES)
    finally:
        os.close(descriptor)
    try:
        asked = msgspec.json.decode(content, type=Asked)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Unusable(f"it says nothing that can be followed: {error}") from None
    if asked.version != 1:
        raise Unusable(f"it is of version {asked.version}, and this terse knows 1")
    return asked


def write(path: str, asked: Asked) -> None:
    """Ask all proxies of this user to capture, from their next result on.

    Raises:
        OSError: it cannot be written.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    new = f"{path}.{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, msgspec.json.encode(asked))
    finally:
        os.close(descriptor)
    # At once: nobody reads half of it.
    os.replace(new, path)
