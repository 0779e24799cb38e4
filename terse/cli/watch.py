"""Doing something again whenever a file changes that it was made from: `terse explain --watch`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from time import sleep

from terse.cli.console import PIPE_CLOSED, CommandError, write, write_error

INTERVAL = 0.3
"""Seconds between two looks at the files."""
CLEAR = "\x1b[H\x1b[2J\x1b[3J"

Stamps = dict[str, tuple[int, int, int] | None]
"""Of each file the time of its last change, its size and its inode; None where there is none."""


def watch(paths: Callable[[], Iterable[str]], once: Callable[[], None]) -> None:
    """Do it, and again whenever a file has changed, until interrupted.

    What goes wrong is told and waited out: a rule file is broken while it is edited. A terminal is cleared
    before each time; a pipe or a file gets one output after another.

    Args:
        paths: the files to look at, asked anew each time it is done.
        once: what to do.

    Raises:
        CommandError: the reader of our output went away.
        KeyboardInterrupt: Ctrl-C.
    """
    while True:
        # Before it is done: what changes meanwhile is seen.
        seen = stamps(paths())
        if sys.stdout.isatty():
            write(CLEAR)
        try:
            once()
        except CommandError as failure:
            if failure.code == PIPE_CLOSED:
                raise
            write_error(f"terse: {failure.message}\n")
            sys.stderr.flush()
        while stamps(seen) == seen:
            sleep(INTERVAL)


def rule_files(rules: str) -> list[str]:
    """The files that a policy is read from, with what they import; also of one that does not compile.

    Folders are among them: one changes when a file in it comes or goes.
    """
    from terse.language import Unreadable, check
    from terse.language.disk import Disk

    read: list[str] = [rules]

    class Noting(Disk):
        def read(self, path: str) -> bytes:
            read.append(path)
            return super().read(path)

        def files(self, folder: str) -> Sequence[str]:
            found = super().files(folder)
            read.extend((folder, *found, *{os.path.dirname(path) for path in found}))
            return found

    with suppress(Unreadable):
        check([rules], reader=Noting())
    return list(dict.fromkeys(read))


def stamps(paths: Iterable[str]) -> Stamps:
    """The stamps of files and folders as they are now."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
