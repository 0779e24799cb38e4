"""The rule files of a workspace as an editor has them: those that are open win over those on disk."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from terse.language import Checked, Unreadable, check, syntax
from terse.language.check import root_of
from terse.language.disk import Disk
from terse.source import Source

RULE_FILE = ".terse"


class Buffers(Disk):
    """Files below a folder, as open in the editor or else as on disk. Paths are relative to the folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.open: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        text = self.open.get(path)
        # What an editor holds can be anything; the parser then says that it is not UTF-8.
        return super().read(self._on_disk(path)) if text is None else text.encode("utf-8", "surrogatepass")

    def files(self, folder: str) -> Sequence[str]:
        # A file that is not saved yet is none of a folder's: it may never be.
        return [self.relative(path) for path in super().files(self._on_disk(folder))]

    def is_folder(self, path: str) -> bool:
        return super().is_folder(self._on_disk(path))

    def exists(self, path: str) -> bool:
        return path in self.open or super().exists(self._on_disk(path))

    def is_inside(self, path: str, folder: str) -> bool:
        return super().is_inside(self._on_disk(path), self._on_disk(folder))

    def relative(self, path: str) -> str:
        """How the language names a file: relative to the folder where it is below it, with `/`."""
        path = os.path.normpath(path).replace(os.sep, "/")
        base = self.folder.replace(os.sep, "/").rstrip("/") + "/"
        return path[len(base) :] if path.startswith(base) else path

    def _on_disk(self, path: str) -> str:
        return os.path.join(self.folder, path)


@dataclass(slots=True)
class Project:
    """A workspace folder. Every method takes and gives paths as the language has them."""

    buffers: Buffers
    checked: dict[str, Checked] = field(default_factory=dict)
    """By policy (`policy_of`): what the last check said."""
    last_good: dict[str, Checked] = field(default_factory=dict)
    """By policy: the last check that gave a plan. While a line is being written there is none."""

    @classmethod
    def at(cls, folder: str) -> Project:
        return cls(Buffers(os.path.abspath(folder)))

    def path(self, uri: str) -> str:
        """The path that a `file:` URI names; another URI stands for itself."""
        return self.buffers.relative(file_path(uri))

    def uri(self, path: str) -> str:
        """The URI of a path."""
        return Path(os.path.abspath(os.path.join(self.buffers.folder, path))).as_uri()

    def source(self, path: str) -> Source | None:
        """The file's text; None when it cannot be read."""
        try:
            return Source(path, self.buffers.read(path).decode("utf-8", "replace"))
        except OSError:
            return None

    def forget(self, path: str) -> None:
        """The file's text changed: what was said of its policy holds no more."""
        self.checked.pop(self.policy_of(path), None)

    def policy_of(self, path: str) -> str:
        """What is checked for a file: its policy's folder, where there is one, or else the file."""
        root = self.root_of(path)
        has_facts = self.buffers.is_folder(posixpath.join(root, "samples")) or self.buffers.exists(
            posixpath.join(root, "tools.lock")
        )
        return root if has_facts else path

    def root_of(self, path: str) -> str:
        return root_of([path], self.buffers)

    def check(self, path: str) -> Checked | None:
        """Check the policy of a file anew; None when nothing of it can be read."""
        policy = self.policy_of(path)
        # A file that is not on disk yet is none of the folder's.
        paths = [policy] if policy == path else [policy, path]
        try:
            checked = check(paths, root=self.root_of(path), reader=self.buffers)
        except (Unreadable, OSError):
            return None
        self.checked[policy] = checked
        if checked.plan is not None:
            self.last_good[policy] = checked
        return checked

    def current(self, path: str) -> Checked | None:
        """What the last check said of the file's policy; checked now if it was not yet."""
        return self.checked.get(self.policy_of(path)) or self.check(path)

    def last_plan(self, path: str) -> Checked | None:
        """The last check of the file's policy that gave a plan."""
        self.current(path)
        return self.last_good.get(self.policy_of(path))

    def items(self, path: str) -> Iterator[syntax.Item]:
        """Every item of the file's policy that can be read."""
        checked = self.current(path)
        for file in checked.files if checked is not None else ():
            yield from file.items


def file_path(uri: str) -> str:
    """The path that a `file:` URI names; another URI stands for itself."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    is_drive = len(path) > 2 and path[0] == "/" and path[2] == ":"
    return path[1:] if is_drive else path
