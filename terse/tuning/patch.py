"""Changed texts as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterator, Mapping

_NO_END = "\\ No newline at end of file\n"
_ESCAPES = {"\t": "\\t", "\n": "\\n", '"': '\\"', "\\": "\\\\"}


def patch(files: Mapping[str, tuple[str | None, str]]) -> str:
    """The patch.

    Args:
        files: by path, from where the patch is to be applied: the text that is there (None: no file), and the
            new one.
    """
    return "".join(_of_file(path, old, new) for path, (old, new) in sorted(files.items()))


def patch_folder(paths: Collection[str]) -> str:
    """Where a patch of these files can be applied: empty for the working directory, where all are below it.

    Neither `git apply` nor `patch` writes to a path that leads out of the folder it runs in.
    """
    names = [os.path.relpath(path) for path in paths]
    if not any(name.split(os.sep)[0] == os.pardir for name in names):
        return ""
    return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])


def edits(old: str | None, new: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that go and that come, without their indentation and without blank ones."""
    found = list(difflib.ndiff(_lines(old or ""), _lines(new)))
    return tuple(_said(found, "- ")), tuple(_said(found, "+ "))


def _said(found: list[str], mark: str) -> Iterator[str]:
    return (line[2:].strip() for line in found if line.startswith(mark) and line[2:].strip())


def _of_file(path: str, old: str | None, new: str) -> str:
    before, after = _named(f"a/{path}"), _named(f"b/{path}")
    head = f"diff --git {before} {after}\n"
    if old is None:
        head += "new file mode 100644\n"
    # Behind a name with spaces a tab ends it: `patch` would take the rest for a time.
    tab = "\t" if " " in path else ""
    lines = difflib.unified_diff(
        _lines(old or ""), _lines(new), "/dev/null" if old is None else before + tab, after + tab
    )
    return head + "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)


def _lines(text: str) -> list[str]:
    # `splitlines` would also split at signs that are part of a line in a rule file.
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _named(path: str) -> str:
    """A path as git writes it: in quotes where it has signs that would be mistaken."""
    if path.isprintable() and path.isascii() and '"' not in path and "\\" not in path:
        return path
    said = "".join(
        _ESCAPES.get(char)
        or (char if char.isascii() and char.isprintable() else "".join(f"\\{b:03o}" for b in char.encode()))
        for char in path
    )
    return f'"{said}"'
