"""Rule files that are not on disk yet, read together with those that are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from terse.language.disk import Disk


class Overlay(Disk):
    """The disk, but for some files that have another text or are not there yet."""

    def __init__(self, texts: Mapping[str, str], folder: str | None = None) -> None:
        """
        Args:
            texts: the files by path.
            folder: a folder that counts as there, too.
        """
        self._texts = texts
        self._folder = folder

    def read(self, path: str) -> bytes:
        return self._texts[path].encode() if path in self._texts else super().read(path)

    def files(self, folder: str) -> Sequence[str]:
        inside = [path for path in self._texts if folder == "." or path.startswith(f"{folder}/")]
        return sorted({*super().files(folder), *inside})

    def is_folder(self, path: str) -> bool:
        return path == self._folder or super().is_folder(path)

    def exists(self, path: str) -> bool:
        return path in self._texts or super().exists(path)

    def is_inside(self, path: str, folder: str) -> bool:
        # A file that is not there yet is no link.
        return super().is_inside(path, folder) if super().exists(path) else True
