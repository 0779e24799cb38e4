"""Rule files in, findings and a Plan out: what `terse check`, the proxy and every other command call."""

from __future__ import annotations

import gc
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath

from terse.diagnostic import Diagnostic, Severity
from terse.language import syntax
from terse.language.allow import silence
from terse.language.checks import CHECKS
from terse.language.compile import compile_policy
from terse.language.disk import Disk
from terse.language.load import Reader, is_below, load, normal
from terse.language.policy import resolve
from terse.language.tiers import Known, known
from terse.language.workspace import Workspace
from terse.plan.model import Plan
from terse.source import Source


@dataclass(frozen=True, slots=True)
class Checked:
    """One policy, checked.

    Attributes:
        plan: what it compiles to; None when there is an error.
        diagnostics: everything found, by file, place and code.
        files: the syntax trees of all files that were loaded, by path.
        root: the policy's folder.
    """

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[syntax.File, ...]
    root: str

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(file.source for file in self.files)

    @property
    def worst(self) -> Severity | None:
        """The weightiest severity found; None when nothing is."""
        return max((diagnostic.severity for diagnostic in self.diagnostics), default=None)


def check(
    paths: Iterable[str | PathLike[str]],
    root: str | PathLike[str] | None = None,
    reader: Reader | None = None,
    tiers: Known | None = None,
) -> Checked:
    """Check the policy that the files, and all they import, make together.

    A folder stands for every `.terse` file below it. `root` is the folder that imports stay in; see
    `root_of` for what it is otherwise. `tiers` are those of this terse unless given.

    Raises:
        Unreadable: one of the paths cannot be read, or is a folder without rule files.
    """
    reader = reader if reader is not None else Disk()
    wanted = [normal(fspath(path).replace("\\", "/")) for path in paths]
    folder = normal(fspath(root)) if root is not None else root_of(wanted, reader)
    with _collector_at_rest():
        return _checked(wanted, folder, reader, tiers if tiers is not None else known())


def _checked(wanted: Sequence[str], folder: str, reader: Reader, tiers: Known) -> Checked:
    loaded = load(wanted, folder, reader)
    found = loaded.diagnostics
    plan = None
    # What follows from a text that could not be read would be told twice.
    if not found:
        policy = resolve(loaded, tiers, Workspace(folder, reader))
        for run in CHECKS:
            found += run(policy)
        found = silence(loaded.files.values(), found)
        if all(diagnostic.severity < Severity.ERROR for diagnostic in found):
            plan = compile_policy(policy)
    found.sort(key=lambda diagnostic: (*diagnostic.sort_key, diagnostic.message))
    trees = tuple(loaded.files[path].tree for path in sorted(loaded.files))
    return Checked(plan, tuple(found), trees, folder)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No garbage collection meanwhile: there are no cycles to find, and looking takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def root_of(paths: Iterable[str], reader: Reader) -> str:
    """The policy's folder where none is given.

    A folder that is asked for is its own. Of a file it is the nearest folder, from its own up to the
    working directory, that has `samples` or `tools.lock` in it; else the working directory where the
    file is below it, else its own folder. Of several paths it is the folder they have in common.
    """
    roots = [_root_of(path, reader) for path in paths]
    if not roots:
        return "."
    common = roots[0]
    for other in roots[1:]:
        common = _common(common, other)
    return common


def _root_of(path: str, reader: Reader) -> str:
    if reader.is_folder(path):
        return path
    folder = posixpath.dirname(path) or "."
    if not is_below(path, "."):
        return folder
    while folder != ".":
        if reader.is_folder(posixpath.join(folder, "samples")) or reader.exists(
            posixpath.join(folder, "tools.lock")
        ):
            return folder
        folder = posixpath.dirname(folder) or "."
    return "."


def _common(a: str, b: str) -> str:
    if a == b or is_below(b, a):
        return a
    if is_below(a, b):
        return b
    try:
        return posixpath.commonpath((a, b)) or "."
    except ValueError:
        return posixpath.dirname(a) or "."
