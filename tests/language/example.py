"""Small policies in one text: the first file, then others below lines `=== path ===`.

`⟨x × 1000⟩` stands for a thousand x, and `⟨U+202E⟩` for a character that could not be seen here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from terse.language import Checked, check

MAIN = "main.terse"
_CHARACTER = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩")
_REPEATED = re.compile(r"⟨([^⟩]*) × (\d+)⟩")
_FILE = re.compile(r"^=== (\S+) ===$", re.MULTILINE)


def split(text: str) -> dict[str, bytes]:
    """The files of an example by path. A byte that is not UTF-8 is written as its lone surrogate."""
    text = _REPEATED.sub(lambda found: found[1] * int(found[2]), text)
    text = _CHARACTER.sub(lambda found: chr(int(found[1], 16)), text)
    first, *others = _FILE.split(text.lstrip("\n"))
    files = {MAIN: first}
    for path, body in zip(others[::2], others[1::2], strict=True):
        files[path] = body.lstrip("\n")
    return {
        path: body.rstrip("\n").encode("utf-8", "surrogateescape") + b"\n" for path, body in files.items()
    }


class Files:
    """A reader of files in memory. Counts what is read."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self.reads: list[str] = []

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        if self.is_folder(path):
            raise IsADirectoryError(21, "is a folder", path)
        if path not in self._files:
            raise FileNotFoundError(2, "does not exist", path)
        return self._files[path]

    def files(self, folder: str) -> Sequence[str]:
        return sorted(path for path in self._files if folder == "." or path.startswith(folder + "/"))

    def is_folder(self, path: str) -> bool:
        return path == "." or any(name.startswith(path + "/") for name in self._files)

    def exists(self, path: str) -> bool:
        return path in self._files or self.is_folder(path)

    def is_inside(self, path: str, folder: str) -> bool:
        return True


def check_text(text: str) -> Checked:
    """Check the example's first file, with the others beside it."""
    return check([MAIN], reader=Files(split(text)))


def codes_of(text: str) -> list[str]:
    """The codes found in the example, in the order they are listed."""
    return [diagnostic.code.code for diagnostic in check_text(text).diagnostics]
