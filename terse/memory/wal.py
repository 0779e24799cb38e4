"""SQLite files that several processes write: readers do not hold up writers."""

from __future__ import annotations

import sqlite3
import time


def use_wal(database: sqlite3.Connection, seconds: float) -> None:
    """Have the file keep a log beside it. While another process does so for a new file, SQLite refuses at
    once, whatever its time-out says: it is asked again, for so long.

    Raises:
        sqlite3.Error: it cannot be done.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
