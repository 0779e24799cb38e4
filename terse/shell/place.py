"""The private folder of the servers that run in the background, and their files in it.

INVARIANT: a token is written to, and read from, only what belongs to this user and nobody else may open.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from terse.shell.unusable import Unusable

MAX_BYTES = 32 * 1024 * 1024


def folder() -> str:
    """The folder, made if need be: below $XDG_RUNTIME_DIR where that is the user's, else $XDG_STATE_HOME.

    Raises:
        Unusable: it cannot be made, or is not private.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if not (os.path.isabs(runtime) and _is_private(runtime)):
        runtime = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    path = os.path.join(runtime, "terse", "cli")
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            about = os.lstat(path)
        except OSError as error:
            raise Unusable(f"cannot make the folder {path}: {error.strerror}") from None
    except OSError as error:
        raise Unusable(f"cannot use the folder {path}: {error.strerror}") from None
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        raise Unusable(f"{path} is no folder of yours: remove it, or say another place with XDG_RUNTIME_DIR")
    if about.st_mode & 0o077:
        raise Unusable(f"others may open {path}, which has tokens in it: chmod 700 {path}")
    return path


def _is_private(path: str) -> bool:
    try:
        about = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o022


def read(path: str) -> bytes | None:
    """What a file says; None where there is none.

    Raises:
        Unusable: it is somebody else's, or others may open it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        _check(path, os.fstat(descriptor))
        return file.read(MAX_BYTES)


def write(path: str, data: bytes) -> None:
    """Put this in the place of what a file says. It is never half there.

    Raises:
        Unusable: it cannot be written.
    """
    new = f"{path}.{os.getpid()}.new"
    try:
        with suppress(FileNotFoundError):
            os.unlink(new)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(new, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(new)
        raise Unusable(f"cannot write {path}: {error.strerror}") from None


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Only one process of this user at a time; the others wait.

    Raises:
        Unusable: as `read`.
    """
    descriptor = opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def opened(path: str) -> int:
    """The descriptor of a file to be locked, made if need be.

    Raises:
        Unusable: as `read`.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unusable(f"cannot open {path}: {error.strerror}") from None
    try:
        _check(path, os.fstat(descriptor))
    except Unusable:
        os.close(descriptor)
        raise
    return descriptor


def is_held(path: str) -> bool:
    """Whether a process holds the lock of this file, as it does for as long as it lives.

    Raises:
        Unusable: as `read`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None
    try:
        _check(path, os.fstat(descriptor))
        # Shared: two that look at the same time do not take each other for the one that lives.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _check(path: str, about: os.stat_result) -> None:
    if about.st_uid != os.getuid() or not stat.S_ISREG(about.st_mode):
        raise Unusable(f"{path} is no file of yours: it is not used; remove it")
    if about.st_mode & 0o077:
        raise Unusable(f"others may open {path}, which may have a token in it: it is not used; remove it")
