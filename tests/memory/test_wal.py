"""SQLite files that several processes make at once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from terse.memory.wal import use_wal


class Refusing(sqlite3.Connection):
    """Refuses at once so many times, as SQLite does while another process changes the file's mode."""

    refusals = 0
    code = sqlite3.SQLITE_BUSY

    def execute(self, *words: object) -> sqlite3.Cursor:  # type: ignore[override]
        if self.refusals:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = self.code
            raise error
        return super().execute(*words)  # type: ignore[arg-type]


def mode(database: sqlite3.Connection) -> str:
    return str(sqlite3.Connection.execute(database, "PRAGMA journal_mode").fetchone()[0])


def test_a_refusal_is_asked_again(tmp_path: Path) -> None:
    """Another process is done with it in a moment."""
    database = sqlite3.connect(tmp_path / "file", factory=Refusing)
    database.refusals = 3
    use_wal(database, 10.0)

    assert (mode(database), database.refusals) == ("wal", 0)


@pytest.mark.parametrize(("code", "seconds"), [(sqlite3.SQLITE_BUSY, -1.0), (sqlite3.SQLITE_CORRUPT, 10.0)])
def test_what_does_not_pass_is_an_error(tmp_path: Path, code: int, seconds: float) -> None:
    """A time that is over, or another fault than being busy."""
    database = sqlite3.connect(tmp_path / "file", factory=Refusing)
    database.refusals, database.code = 1, code

    with pytest.raises(sqlite3.OperationalError):
        use_wal(database, seconds)
