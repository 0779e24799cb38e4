"""The file: what it holds, and that nobody but its user can read it."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from terse.memory.wal import use_wal

MAX_ROWS = 1_000_000
"""Messages that are kept, about 250 MB; the oldest go first."""
DAYS = 90
"""How long they are kept."""
BUSY_SECONDS = 10.0
"""How long another process is waited for, which writes a batch in a few milliseconds."""
VERSION = 1

COLUMNS = (
    ("at", "REAL"),
    ("run", "TEXT"),
    ("what", "TEXT"),
    ("client", "TEXT"),
    ("server", "TEXT"),
    ("tool", "TEXT"),
    ("is_error", "INTEGER"),
    ("rule", "TEXT"),
    ("class", "TEXT"),
    ("lines", "TEXT"),
    ("tiers", "TEXT"),
    ("tokens_in", "INTEGER"),
    ("tokens_out", "INTEGER"),
    ("bytes_in", "INTEGER"),
    ("bytes_out", "INTEGER"),
    ("milliseconds", "REAL"),
    ("call_milliseconds", "REAL"),
    ("repeat", "TEXT"),
    ("aside_values", "INTEGER"),
    ("aside_tokens", "INTEGER"),
    ("retrieved", "TEXT"),
    ("is_first", "INTEGER"),
    ("bounds", "TEXT"),
    ("faults", "TEXT"),
    ("form", "TEXT"),
)
"""A row is a `terse.record.Record`; `run` tells the processes apart. Lists are JSON."""


class Unusable(Exception):  # noqa: N818 — says what is wrong with the file
    """The file cannot be a ledger. The message says why, in a few words."""


def opened(path: Path) -> sqlite3.Connection:
    """The ledger, made if need be, for one thread.

    Raises:
        Unusable: it cannot be read and written, is another user's, or is no ledger of this version.
    """
    try:
        _make_private(path)
        database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise Unusable(f"it is of version {version}, and this terse knows {VERSION}")
        use_wal(database, BUSY_SECONDS)
        # What a crash of the machine takes with it is at most the last batches.
        database.execute("PRAGMA synchronous = NORMAL")
        if version == 0:
            database.executescript(_tables())
    except OSError as error:
        raise Unusable(error.strerror or "it cannot be opened") from None
    except sqlite3.Error as error:
        raise Unusable(str(error)) from None
    return database


def opened_to_read(path: Path) -> sqlite3.Connection:
    """The ledger as it is, for reading.

    Raises:
        Unusable: it is not there, cannot be read, or is none of this version.
    """
    if not path.exists():
        raise Unusable("there is no such file: nothing was noted yet")
    try:
        # Not `mode=ro`: where the last writer was killed, its last batches still have to be taken in.
        database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise Unusable(f"it is no ledger of version {VERSION}")
        database.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        raise Unusable(str(error)) from None
    return database


def _tables() -> str:
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS)
    return (
        "BEGIN IMMEDIATE;"
        f"CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, {columns});"
        "CREATE INDEX IF NOT EXISTS messages_at ON messages (at);"
        f"PRAGMA user_version = {VERSION};"
        "COMMIT;"
    )


def _make_private(path: Path) -> None:
    """Make the file and its folder, for the user alone.

    Raises:
        OSError: it cannot be made, or is not the user's own regular file.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(22, "it is no regular file")
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise OSError(13, "it belongs to another user")
        with suppress(OSError):
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
