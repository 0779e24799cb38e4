"""What terse keeps on disk: what is said of it here, and what a watched proxy really wrote."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from terse.report.verified import Check, Place
from terse.verification.live import Run

MOST_FINDINGS = 20
_COMPILED = re.compile(r"\.pyc(\.\d+)?$")


class Kept(NamedTuple):
    """One place.

    Attributes:
        path: as people write it, for a user who set no variable.
        roots: how the paths in it begin.
    """

    what: str
    path: str
    when: str
    roots: tuple[str, ...]


KEPT = (
    Kept(
        "ledger: sizes, names, times",
        "~/.local/state/terse/ledger.sqlite",
        "terse proxy and serve, as they send results; not with --no-ledger or TERSE_LEDGER=off",
        ("~/.local/state/terse/ledger.sqlite",),
    ),
    Kept(
        "compiled rules",
        "~/.cache/terse/plans",
        "terse proxy and serve with --rules",
        ("~/.cache/terse/plans",),
    ),
    Kept("what was set aside", "the FILE of --store", "only with --store FILE", ()),
    Kept(
        "captured results",
        "~/.local/state/terse/captures, and capture.json beside it",
        "only after terse capture start; TERSE_CAPTURES names another folder",
        (),
    ),
    Kept("logins", "~/.local/state/terse/login", "a login to a server behind a URL; terse logout", ()),
    Kept("names of servers", "~/.config/terse", "terse cli NAME -- COMMAND", ()),
    Kept(
        "running servers of terse cli",
        "$XDG_RUNTIME_DIR/terse/cli, or ~/.local/state/terse/cli",
        "terse cli, while they run",
        (),
    ),
    Kept(
        "what was put into clients' files",
        "~/.local/state/terse/installed.json, and FILE.terse-backup beside each",
        "terse install; terse uninstall removes it",
        (),
    ),
)


def places(runs: Iterable[tuple[Run, Path, bool]]) -> tuple[tuple[Place, ...], Check]:
    """What was written, and whether all of it is where this page says.

    Args:
        runs: each with its home folder, and whether it was to write nothing.
    """
    seen: set[str] = set()
    wrong: list[str] = []
    for run, home, is_silent in runs:
        noted = set(_written(run, home))
        here = {f"~/{path.relative_to(home)}" for path in home.rglob("*") if not path.is_dir()}
        for path in sorted(noted | here):
            kept = next((each for each in KEPT if path.startswith(each.roots or ("\0",))), None)
            if is_silent:
                wrong.append(f"{run.name}: {path} was written")
            elif kept is None:
                wrong.append(f"{run.name}: {path} was written, which is not among the places below")
            else:
                seen.add(kept.path)
        unseen = {path for path in here if not path.startswith(tuple(noted) or ("\0",))}
        wrong += [f"{run.name}: {path} was written by something that Python does not see" for path in unseen]
    found = tuple(Place(kept.what, kept.path, kept.when, kept.path in seen) for kept in KEPT)
    names = " and ".join(place.path for place in found if place.seen)
    said = f"watched, terse proxy wrote {names or 'nothing'}; with --no-ledger and no rules, nothing"
    return found, Check("on disk", not wrong, said, tuple(wrong[:MOST_FINDINGS]))


def attempts(logs: Iterable[Path]) -> list[str]:
    """Whom the processes tried to reach."""
    return [what for log in logs for kind, what in _noted(log) if kind == "network"]


def _written(run: Run, home: Path) -> Iterator[str]:
    for kind, path in _noted(run.proxy_log):
        if kind == "network" or path == os.devnull or path.startswith("/proc/self/"):
            continue
        if path == str(run.proxy_log) or (os.path.isdir(path) and kind == "write"):
            continue
        if _COMPILED.search(path):
            # Python's own, for whatever program it runs.
            continue
        yield f"~{path[len(str(home)) :]}" if path.startswith(f"{home}{os.sep}") else path


def _noted(log: Path) -> Iterator[tuple[str, str]]:
    if not log.exists():
        return
    for line in log.read_text(encoding="utf-8").splitlines():
        kind, what = json.loads(line)
        yield kind, what
