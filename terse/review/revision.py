"""Rule files as they were in a commit, read from git without touching the work tree."""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Sequence

_RULES = ".terse"
_FILE_MODES = ("100644", "100755")


class NoRevision(Exception):  # noqa: N818 — says what there is not
    """The revision cannot be read. The message says why, in one line."""


class Revision:
    """A reader of the rule files of one commit; paths are from the working directory, as on disk.

    Of other files it knows nothing: what the commit's samples say is not asked.
    """

    def __init__(self, revision: str) -> None:
        """
        Raises:
            NoRevision: git is not there, this is no repository, or it has no such commit.
        """
        self._top = _git("rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        # `--end-of-options`: a revision that begins with a dash is a wrong one and no option.
        verified = _git(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{revision}^{{commit}}",
            no=f"there is no commit {revision}",
        )
        self.commit = verified.decode().strip()
        self._blobs: dict[str, str] = {}
        listed = _git("ls-tree", "-r", "-z", "--full-tree", self.commit)
        for entry in listed.decode("utf-8", "surrogateescape").split("\0"):
            about, _, path = entry.partition("\t")
            mode, _, blob = about.partition(" blob ")
            if path.endswith(_RULES) and mode in _FILE_MODES:
                self._blobs[path] = blob

    def read(self, path: str) -> bytes:
        blob = self._blobs.get(self._inside(path))
        if blob is None:
            raise FileNotFoundError(2, "is not in that revision", path)
        try:
            return _git("cat-file", "blob", blob)
        except NoRevision as error:
            raise OSError(5, str(error), path) from None

    def files(self, folder: str) -> Sequence[str]:
        inside = self._inside(folder)
        prefix = "" if inside == "." else f"{inside}/"
        found = [path.removeprefix(prefix) for path in self._blobs if path.startswith(prefix)]
        return sorted(posixpath.normpath(posixpath.join(folder, path)) for path in found)

    def is_folder(self, path: str) -> bool:
        inside = self._inside(path)
        return inside == "." or any(blob.startswith(f"{inside}/") for blob in self._blobs)

    def exists(self, path: str) -> bool:
        return self._inside(path) in self._blobs or self.is_folder(path)

    def is_inside(self, path: str, folder: str) -> bool:
        inside = self._inside(folder)
        return inside == "." or self._inside(path).startswith(f"{inside}/")

    def _inside(self, path: str) -> str:
        """The path from the repository's top, as git writes it."""
        whole = os.path.join(os.path.realpath(os.getcwd()), path)
        return os.path.relpath(os.path.normpath(whole), self._top).replace(os.sep, "/")


def _git(*arguments: str, no: str = "") -> bytes:
    try:
        done = subprocess.run(["git", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except (OSError, ValueError) as error:
        raise NoRevision(f"git cannot be run: {getattr(error, 'strerror', None) or error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoRevision(no or (said[0].removeprefix("fatal: ") if said else "git failed"))
    return done.stdout
