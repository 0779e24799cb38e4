"""A folder of captured calls as a process writes it: its own files, private, and bounded in size and age."""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from terse.capture.asked import DAYS

NAME = re.compile(r"calls-\d{8}-\d{6}-\d+-[0-9a-f]{8}\.jsonl")
"""Our files; no other file of a folder is ever deleted."""
PARTS = 8
"""A file is at most such a part of what the folder may take, so that the oldest can go."""


class CaptureFile(NamedTuple):
    """A file of captured calls."""

    name: str
    size: int
    changed: float


def opened(path: str, *, is_ours: bool) -> int:
    """A descriptor of the folder, made if need be.

    Args:
        is_ours: it is terse's own folder, which is closed to others where it was open.

    Raises:
        OSError: it is none, is another user's, or others can write to it.
    """
    os.makedirs(path, mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.getuid():
            raise PermissionError(13, "it belongs to another user")
        if is_ours and found.st_mode & 0o077:
            os.fchmod(descriptor, 0o700)
        elif found.st_mode & 0o022:
            raise PermissionError(13, "others can write to it")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def files(path: str) -> list[CaptureFile]:
    """Our files in a folder, the oldest first; none where there is no such folder.

    Raises:
        OSError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        return sorted(_files(descriptor), key=lambda file: (file.changed, file.name))
    finally:
        os.close(descriptor)


def delete(path: str) -> list[CaptureFile]:
    """Delete our files in a folder, and return what they were.

    Raises:
        OSError: one cannot be deleted.
    """
    found = files(path)
    for file in found:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(path, file.name))
    return found


def _files(folder: int) -> Iterator[CaptureFile]:
    for name in os.listdir(folder):
        if NAME.fullmatch(name):
            with suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield CaptureFile(name, found.st_size, found.st_mtime)


class Folder:
    """Where one process writes. INVARIANT: a file has one writer, and a line is in it whole or not at all;
    only a process that is killed may leave a part of one, at the end.

    Raises:
        OSError: as `opened`.
    """

    def __init__(
        self, path: str, max_bytes: int, *, is_ours: bool, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._clock = clock
        self._folder = opened(path, is_ours=is_ours)
        self._file: int | None = None
        self._name = ""
        self._size = 0
        self._since_trim = 0

    @property
    def longest(self) -> int:
        """Bytes of the longest line that is taken."""
        return self._max_bytes // PARTS

    def write(self, line: bytes) -> None:
        """Add a line, with its end.

        Raises:
            OSError: it cannot be written. Nothing of it is left then.
        """
        if self._file is not None and self._is_over(len(line)):
            self._close_file()
        if self._file is None:
            self._trim(len(line))
            self._open_file()
        assert self._file is not None
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            # What may be left of it is at the end of a file that nobody goes on with.
            self._close_file()
            raise
        self._size += len(line)
        self._since_trim += len(line)
        if self._since_trim >= self._max_bytes // (2 * PARTS):
            self._trim(0)

    def close(self) -> None:
        """Write no more."""
        self._close_file()
        os.close(self._folder)

    def _is_over(self, more: int) -> bool:
        """Whether the file is full, or was deleted: whoever made room took the oldest."""
        assert self._file is not None
        return self._size + more > self._max_bytes // PARTS or os.fstat(self._file).st_nlink == 0

    def _open_file(self) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
        self._name = f"calls-{stamp}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(self._name, flags, 0o600, dir_fd=self._folder)
        self._size = 0

    def _close_file(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None

    def _trim(self, more: int) -> None:
        """Make room: whole files go, the oldest first, and all that are too old."""
        self._since_trim = 0
        found = sorted(_files(self._folder), key=lambda file: (file.changed, file.name))
        # Room for what is written until the next look, by this process and others.
        total = sum(file.size for file in found) + more + self._max_bytes // PARTS
        for file in found:
            if self._file is not None and file.name == self._name:
                continue
            is_old = file.changed < self._clock() - DAYS * 86400
            if total > self._max_bytes or is_old:
                with suppress(FileNotFoundError):
                    os.unlink(file.name, dir_fd=self._folder)
                total -= file.size
