"""From rule files to a plan: compiled once, then read from a cache until a rule file changes.

The compiler imports the grammar and takes a good part of a second; an unchanged policy starts without it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any, NamedTuple

import terse
from terse.plan.model import Plan
from terse.plan.stored import NotAPlan, decode, encode

MAX_CACHED = 64
"""Plans kept; the one not written for longest goes first."""

MAX_ERRORS = 12
"""Errors that are listed: a screen, in a log that people scroll through."""


class DoesNotCompile(Exception):  # noqa: N818 — says what is wrong with the rules
    """The rules cannot be run. The message has the errors, one a line, and what to do.

    Attributes:
        code: what a command ends with: 1 where the rules have errors, 2 where they cannot be read.
        paths: the files and folders that were read.
    """

    def __init__(self, message: str, code: int = 1, paths: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.paths = tuple(paths)


class Loaded(NamedTuple):
    """A plan, and the files and folders that it was made from: it holds while none of them changes."""

    plan: Plan
    paths: tuple[str, ...]


def default_plan() -> Plan:
    """The plan of `policies/default.terse`, compiled when terse was built."""
    return decode((Path(terse.__file__).parent / "plan" / "default_plan.json").read_bytes())


def load_plan(rules: str) -> Plan:
    """The plan of a rule file and what it imports, or of a folder of rule files.

    Raises:
        DoesNotCompile: it has errors, or cannot be read.
    """
    return load(rules).plan


def load(rules: str) -> Loaded:
    """As `load_plan`, with what the plan was made from.

    Raises:
        DoesNotCompile: it has errors, or cannot be read.
    """
    cached = _entry_for(rules)
    found = None if cached is None else _read(cached)
    if found is None:
        plan, inputs = _compile(rules)
        if cached is not None:
            with suppress(OSError):
                _write(cached, inputs, plan)
    else:
        plan, inputs = found
    return Loaded(plan, _paths(rules, inputs["files"], inputs["folders"]))


def _paths(rules: str, files: Iterable[str], folders: Iterable[str]) -> tuple[str, ...]:
    """Folders with all in them are among the paths: one changes when a file in it comes or goes."""
    inside = [here for folder in folders for here, _, _ in os.walk(folder)]
    return tuple(dict.fromkeys((rules, *files, *inside)))


def _compile(rules: str) -> tuple[Plan, dict[str, dict[str, Any]]]:
    from terse.diagnostic import Diagnostic, Severity
    from terse.language import Unreadable, check
    from terse.language.disk import Disk

    files: dict[str, str] = {}
    folders: dict[str, list[str]] = {}

    class Recording(Disk):
        """Notes what the compiler reads: the plan holds for as long as all of it is the same."""

        def read(self, path: str) -> bytes:
            data = super().read(path)
            files[path] = sha256(data).hexdigest()
            return data

        def files(self, folder: str) -> Sequence[str]:
            folders[folder] = _rule_files(folder)
            return super().files(folder)

    def line(diagnostic: Diagnostic) -> str:
        where, code = diagnostic.primary.span, diagnostic.code
        advice = f" ({diagnostic.help})" if diagnostic.help else ""
        return f"{where.place}:{where.column}: error {code.code} {code.name}: {diagnostic.message}{advice}"

    try:
        checked = check([rules], reader=Recording())
    except Unreadable as unreadable:
        raise DoesNotCompile(str(unreadable), 2, _paths(rules, files, folders)) from None
    if checked.plan is None:
        errors = [line(found) for found in checked.diagnostics if found.severity is Severity.ERROR]
        more = [f"… and {len(errors) - MAX_ERRORS} more"] if len(errors) > MAX_ERRORS else []
        listed = "\n".join(f"  {error}" for error in errors[:MAX_ERRORS] + more)
        said = f"the rules do not compile: `terse check {rules}` shows more\n{listed}"
        raise DoesNotCompile(said, paths=_paths(rules, files, folders))
    return checked.plan, {"files": files, "folders": folders}


# ---- the cache -------------------------------------------------------------------------------------


def _entry_for(rules: str) -> Path | None:
    """Where the plan of these rules is cached; None where there is no place that is ours alone.

    Paths in a plan are relative to the working directory, so that is part of the key. So is this very
    terse: its version and the time of its newest module, which matters to those who work on it.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not (os.path.isabs(base) and hasattr(os, "getuid")):
        return None
    folder = Path(base) / "terse" / "plans"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A plan decides what an agent gets to see: nobody else may put one there.
        if not _is_ours(folder.stat()):
            return None
        newest = max(
            entry.stat().st_mtime_ns
            for room in _ROOMS
            for entry in os.scandir(_PACKAGE / room)
            if entry.name.endswith(".py")
        )
        key = json.dumps([terse.__version__, newest, os.getcwd(), rules])
    except OSError:
        return None
    return folder / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def _is_ours(about: os.stat_result) -> bool:
    return about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & 0o022


_PACKAGE = Path(terse.__file__).parent
_ROOMS = ("language", "language/checks", "plan", "tiers", "fields", "layout")


def _read(entry: Path) -> tuple[Plan, dict[str, dict[str, Any]]] | None:
    """The cached plan and what it was compiled from, if nothing of that has changed."""
    try:
        with open(os.open(entry, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            # One that was moved here, or given away, is somebody's still.
            if not _is_ours(os.fstat(file.fileno())):
                return None
            head, _, plan = file.read().partition(b"\n")
        inputs = json.loads(head)
        for path, digest in inputs["files"].items():
            if sha256(Path(path).read_bytes()).hexdigest() != digest:
                return None
        for folder, files in inputs["folders"].items():
            if _rule_files(folder) != files:
                return None
        return decode(plan), inputs
    # Whatever is wrong with the entry: compiling anew puts it right.
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, NotAPlan):
        return None


def _write(entry: Path, inputs: dict[str, dict[str, Any]], plan: Plan) -> None:
    data = json.dumps(inputs).encode() + b"\n" + encode(plan)
    new = entry.with_suffix(f".{os.getpid()}.{get_ident()}.new")
    try:
        # Not as the umask has it: what a group may write is not read again.
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(data)
        os.replace(new, entry)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    entries = sorted(entry.parent.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in entries[MAX_CACHED:]:
        old.unlink(missing_ok=True)


def _rule_files(folder: str) -> list[str]:
    found = []
    for here, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.join(here, name) for name in sorted(names) if name.endswith(".terse")]
    return found
