"""Reading and replacing a configuration file that others write, too."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from terse.clients.document import MAX_BYTES


class Refused(Exception):  # noqa: N818 — says why
    """The file is not read or not written. The message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was read.

    Attributes:
        path: what it is called; `target` is where it is, links followed.
    """

    path: Path
    target: Path
    data: bytes
    mode: int
    owner: tuple[int, int]


def read(path: Path) -> Found | None:
    """The file; None where there is none.

    Raises:
        Refused: it cannot be read, is no regular file, or too large.
    """
    try:
        target = path.resolve(strict=True)
        descriptor = os.open(target, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError) as error:
        raise Refused(getattr(error, "strerror", None) or "it cannot be read") from None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise Refused("it is no regular file")
        try:
            data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise Refused(error.strerror or "it cannot be read") from None
    if len(data) > MAX_BYTES:
        raise Refused(f"it is over {MAX_BYTES // 2**20} MiB: no configuration is that long")
    return Found(path, target, data, stat.S_IMODE(about.st_mode), (about.st_uid, about.st_gid))


def text_of(found: Found) -> str:
    """
    Raises:
        Refused: it is not UTF-8.
    """
    try:
        return found.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"byte {error.start + 1} is not UTF-8") from None


def why_not_writable(found: Found) -> str | None:
    """Why a file is left alone; None if it may be replaced."""
    if hasattr(os, "geteuid") and found.owner[0] != os.geteuid():
        return "it belongs to another user"
    if not found.mode & stat.S_IWUSR:
        return "it is read-only"
    if not os.access(found.target.parent, os.W_OK):
        return f"files in {found.target.parent} cannot be replaced"
    return None


def replace(found: Found, data: bytes) -> None:
    """Put other bytes in the file's place at once, with its mode and owner. A link stays one.

    Raises:
        Refused: it was changed since it was read, or cannot be written.
    """
    if (why := why_not_writable(found)) is not None:
        raise Refused(why)
    new = found.target.with_name(f".{found.target.name}.{os.getpid()}.new")
    try:
        write_private(new, data)
        os.chmod(new, found.mode)
        if hasattr(os, "chown") and new.stat().st_gid != found.owner[1]:
            os.chown(new, *found.owner)
        # As late as can be: what a client writes between this look and the next line is lost.
        if found.target.read_bytes() != found.data:
            raise Refused("it was changed by another program just now: try again")
        os.replace(new, found.target)
    except OSError as error:
        raise Refused(error.strerror or "it cannot be written") from None
    finally:
        new.unlink(missing_ok=True)


def write_private(path: Path, data: bytes) -> None:
    """A new file that its user alone can read, on the disk when this returns.

    Raises:
        OSError: it cannot be written, or there is one of this name.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def back_up(found: Found) -> Path:
    """A copy beside the file, for its user alone; another one, where there is one.

    Raises:
        Refused: it cannot be written.
    """
    for number in range(1, 1000):
        ending = ".terse-backup" if number == 1 else f".terse-backup-{number}"
        copy = found.target.with_name(found.target.name + ending)
        try:
            write_private(copy, found.data)
        except FileExistsError:
            continue
        except OSError as error:
            raise Refused(f"its backup cannot be written: {error.strerror}") from None
        return copy
    raise Refused("there are a thousand backups beside it: delete them")
