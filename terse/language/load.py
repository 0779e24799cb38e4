"""From paths to the files of one policy: the files named, and everything they import, each once."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import files as codes
from terse.language.parse import parse
from terse.language.suggest import closest
from terse.source import Span


class Reader(Protocol):
    """Where files come from. Paths have forward slashes and are shown to people as they are."""

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises OSError."""

    def files(self, folder: str) -> Sequence[str]:
        """The paths of all files below a folder, sorted. Raises OSError."""

    def is_folder(self, path: str) -> bool:
        """Whether the path is a folder."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder at the path."""

    def is_inside(self, path: str, folder: str) -> bool:
        """Whether the file, all links followed, is below the folder."""


class Unreadable(Exception):  # noqa: N818 — says what the path is
    """A path that was asked for cannot be read: there is nothing to check."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(slots=True)
class LoadedFile:
    """A file of the policy. `imports` are the paths of the files it imports, by import line.

    `entry`: it was asked for by name (or by folder), and not only imported.
    """

    path: str
    tree: syntax.File
    entry: bool
    imports: list[tuple[syntax.Import, str]] = field(default_factory=list)


@dataclass(slots=True)
class Loaded:
    """Files by path, and what is wrong with their text and their imports."""

    files: dict[str, LoadedFile] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def reach(self, path: str) -> frozenset[str]:
        """The files that a file imports, and those that they import, and so on; never itself."""
        reached: set[str] = set()
        waiting = [target for _, target in self.files[path].imports]
        while waiting:
            target = waiting.pop()
            if target not in reached and target in self.files:
                reached.add(target)
                waiting.extend(to for _, to in self.files[target].imports)
        return frozenset(reached - {path})


def load(paths: Iterable[str], root: str, reader: Reader) -> Loaded:
    """Read and parse the files, and all they import.

    Raises:
        Unreadable: one of `paths` does not exist, cannot be read, or is a folder without rule files.
    """
    loaded = Loaded()
    for path in entries(paths, reader):
        if path not in loaded.files:
            try:
                data = reader.read(path)
            except OSError as error:
                raise Unreadable(path, error.strerror or "cannot be read") from error
            _add(loaded, path, data, True)
    waiting = list(loaded.files)
    while waiting:
        waiting += _imports(loaded, loaded.files[waiting.pop(0)], root, reader)
    loaded.diagnostics += _cycles(loaded)
    return loaded


def entries(paths: Iterable[str], reader: Reader) -> Iterator[str]:
    """The rule files that the paths name: files as they are, of folders every `.terse` file below.

    Raises:
        Unreadable: a folder, or one in it, cannot be read, or there are no rule files; or a name is empty, or
            no Unicode text, which a plan and its reports could not hold.
    """
    for path in map(normal, paths):
        if not reader.is_folder(path):
            _named(path)
            yield path
            continue
        try:
            files = [file for file in reader.files(path) if file.endswith(".terse")]
        except OSError as error:
            raise Unreadable(error.filename or path, error.strerror or "cannot be read") from error
        if not files:
            raise Unreadable(path, "there is no .terse file below this folder")
        for file in files:
            _named(file)
            if not reader.is_inside(file, path):
                raise Unreadable(file, "this link leads out of the policy's folder")
        yield from files


def _named(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Unreadable(path, "the name is not UTF-8: rename the file or folder") from None


def normal(path: str) -> str:
    """The path without `.`, `..` and doubled slashes where they can be left out.

    Raises:
        Unreadable: it is empty, which would else be the working directory.
    """
    if not path:
        raise Unreadable("''", "the name of the file is empty")
    return posixpath.normpath(path)


def _add(loaded: Loaded, path: str, data: bytes, entry: bool) -> LoadedFile:
    parsed = parse(path, data)
    file = LoadedFile(path, parsed.file, entry)
    loaded.files[path] = file
    loaded.diagnostics += parsed.diagnostics
    return file


def _imports(loaded: Loaded, file: LoadedFile, root: str, reader: Reader) -> list[str]:
    """Load what the file imports. Returns the paths of files not loaded before."""
    fresh = []
    for item in file.tree.items:
        if not isinstance(item, syntax.Import):
            continue
        wanted = item.path.text
        # An empty name is the folder itself, which is no rule file: a finding, as of any other wrong name.
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), wanted))
        if not is_below(target, root) or "\0" in wanted:
            loaded.diagnostics.append(_outside(item, root))
            continue
        if target not in loaded.files:
            try:
                data = reader.read(target)
            except OSError as error:
                loaded.diagnostics.append(_missing(item, file, root, reader, error))
                continue
            if not reader.is_inside(target, root):
                loaded.diagnostics.append(_outside(item, root))
                continue
            _add(loaded, target, data, False)
            fresh.append(target)
        file.imports.append((item, target))
    return fresh


def is_below(path: str, folder: str) -> bool:
    """Whether a normal path is below a normal folder, by its text."""
    if folder == ".":
        return not path.startswith(("/", "../")) and path != ".."
    return path.startswith(folder.rstrip("/") + "/")


def _outside(item: syntax.Import, root: str) -> Diagnostic:
    return Diagnostic(
        codes.IMPORT_OUTSIDE_ROOT,
        f"`{item.path.text}` is outside the policy's folder",
        Label(item.path.span, f"not below `{root}`"),
        help="move the file into the policy's folder, or check from a folder that holds both (`--root`)",
    )


def _missing(item: syntax.Import, file: LoadedFile, root: str, reader: Reader, error: OSError) -> Diagnostic:
    here = posixpath.dirname(file.path) or "."
    try:
        others = [path for path in reader.files(root) if path.endswith(".terse") and path != file.path]
    except OSError:
        others = []
    names = {posixpath.relpath(path, here) for path in others}
    meant = closest(item.path.text, names)
    if meant is None:
        same_name = sorted(n for n in names if posixpath.basename(n) == posixpath.basename(item.path.text))
        meant = same_name[0] if same_name else None
    reason = "does not exist" if isinstance(error, FileNotFoundError) else "cannot be read"
    if isinstance(error, IsADirectoryError):
        reason = "is a folder"
    return Diagnostic(
        codes.MISSING_IMPORT,
        f"`{item.path.text}` {reason}",
        Label(item.path.span, "imported here"),
        help=f"did you mean `{meant}`?" if meant is not None else "paths are relative to the importing file",
    )


def _cycles(loaded: Loaded) -> Iterator[Diagnostic]:
    """One finding for each loop of imports, told at the import of its first file by name."""
    reach = {path: loaded.reach(path) for path in loaded.files}
    done: set[str] = set()
    for path in sorted(loaded.files):
        file = loaded.files[path]
        back = next(
            ((item, to) for item, to in file.imports if to == path or path in reach.get(to, ())), None
        )
        if path in done or back is None:
            continue
        loop = [path, *_way(loaded, back[1], path)]
        done.update(loop)
        yield Diagnostic(
            codes.IMPORT_CYCLE,
            "the import leads back to this file",
            Label(back[0].path.span, "this file is imported from there"),
            tuple(Label(_import_span(loaded.files[a], b), f"imports `{b}`") for a, b in pairwise(loop[1:])),
            help="move what both need into a third file and import that",
            notes=(" imports ".join(f"`{step}`" for step in loop),),
        )


def _way(loaded: Loaded, start: str, goal: str) -> list[str]:
    """A shortest way along imports from one file to another, both included."""
    ways = {start: [start]}
    waiting = [start]
    while waiting and goal not in ways:
        path = waiting.pop(0)
        for _, to in loaded.files[path].imports:
            if to not in ways and to in loaded.files:
                ways[to] = [*ways[path], to]
                waiting.append(to)
    return ways[goal]


def _import_span(file: LoadedFile, target: str) -> Span:
    return next(item.path.span for item, to in file.imports if to == target)
