"""The reader of real files: the one place of the language that touches the disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from terse.language.parse import MAX_BYTES

_LARGEST_READ = MAX_BYTES + 1
"""Enough of a file to see that it is too large, and no more: memory stays bounded."""


class Disk:
    """Files as they are on disk, relative paths from the working directory."""

    def read(self, path: str) -> bytes:
        if os.path.isdir(path):
            raise IsADirectoryError(21, "is a folder", path)
        # A pipe or a device would be read for ever, or wait for ever.
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(22, "is not a regular file", path)
        with open(path, "rb") as file:
            return file.read(_LARGEST_READ)

    def files(self, folder: str) -> Sequence[str]:
        found = []
        # A folder that cannot be read may hold a guard: it is not passed over.
        for here, folders, names in os.walk(folder, onerror=_refuse):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [os.path.normpath(os.path.join(here, name)).replace(os.sep, "/") for name in names]
        return sorted(found)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def is_inside(self, path: str, folder: str) -> bool:
        return Path(path).resolve().is_relative_to(Path(folder).resolve())


def _refuse(error: OSError) -> None:
    # One that is not there, or went while it was walked, holds nothing.
    if not isinstance(error, FileNotFoundError):
        raise error
