"""What was set aside, in a file: it outlives a restart, and several proxies may use it at once."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from time import time
from typing import TYPE_CHECKING

from terse.memory.store import Store, size_of
from terse.memory.wal import use_wal

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 256 * 1024 * 1024
"""What the file may hold of texts, of all sessions together. A full store refuses."""
DAYS = 7
"""How long a text is kept after it was last set aside."""
BUSY_SECONDS = 0.5
"""How long another proxy is waited for; then nothing is set aside."""

_HEADER = b"SQLite format 3\0"
# The sum is kept by the database itself: adding it up anew would read every row, for every value.
_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS texts (
    handle TEXT PRIMARY KEY,
    text BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    until REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS texts_until ON texts (until);
CREATE TABLE IF NOT EXISTS used (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
INSERT OR IGNORE INTO used VALUES (1, 0);
CREATE TRIGGER IF NOT EXISTS texts_kept AFTER INSERT ON texts
    BEGIN UPDATE used SET bytes = bytes + new.bytes; END;
CREATE TRIGGER IF NOT EXISTS texts_expired AFTER DELETE ON texts
    BEGIN UPDATE used SET bytes = bytes - old.bytes; END;
COMMIT;
"""


class Unusable(Exception):  # noqa: N818 — says what is wrong with the file
    """The file cannot be a store. The message says why, in a few words."""


class SqliteStore(Store):
    """A store in a file that only its user can read. Safe to use from any thread and process.

    INVARIANT: what was once taken in is given back, unchanged, until it expires.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        max_bytes: int = MAX_BYTES,
        *,
        seconds: float = DAYS * 24 * 3600,
        clock: Callable[[], float] = time,
    ) -> None:
        """
        Args:
            path: the file; it is made if need be, with its folder.
            seconds: how long a text is kept after it was last set aside.
            clock: the time, in seconds since 1970, as all proxies that use the file have it.

        Raises:
            Unusable: it cannot be read and written, or is somebody else's, or no store.
        """
        super().__init__(max_bytes)
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        try:
            _make_private(path)
            self._database = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            use_wal(self._database, BUSY_SECONDS)
            # What a crash of the machine takes with it is at most what was just set aside.
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(_TABLES)
            self._free()
        except OSError as error:
            raise Unusable(error.strerror or "it cannot be opened") from None
        except sqlite3.Error as error:
            raise Unusable(str(error)) from None

    @property
    def free_bytes(self) -> int:
        """How much more can be taken in; nothing while the file cannot be used."""
        with self._lock, suppress(sqlite3.Error):
            if self._expired():
                with self._writing():
                    self._expire()
            return self._free()
        return 0

    def keep(self, texts: Mapping[str, str]) -> bool:
        """Take all of the texts in (handle → text), or none.

        Returns:
            whether they were taken: False when there is no room for all, a handle stands for another text
            already, or the file cannot be written now.
        """
        if not texts:
            return True
        try:
            with self._lock, self._writing():
                return self._keep(texts)
        except sqlite3.Error:
            return False

    def get(self, handle: str) -> str | None:
        """The text of a handle, None if it was never made or has expired.

        Raises:
            sqlite3.Error: the file cannot be read.
        """
        with self._lock:
            found = self._database.execute(
                "SELECT text FROM texts WHERE handle = ? AND until > ?", (handle, self._clock())
            ).fetchone()
        return None if found is None else bytes(found[0]).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _keep(self, texts: Mapping[str, str]) -> bool:
        until = self._clock() + self._seconds
        self._expire()
        free = self._free()
        for handle, text in texts.items():
            raw = text.encode("utf-8", "surrogatepass")
            kept = self._database.execute("SELECT text FROM texts WHERE handle = ?", (handle,)).fetchone()
            if kept is not None and kept[0] != raw:
                raise sqlite3.IntegrityError("the handle stands for another text")
            if kept is None:
                free -= size_of(text)
                if free < 0:
                    raise sqlite3.IntegrityError("the store is full")
                self._database.execute(
                    "INSERT INTO texts VALUES (?, ?, ?, ?)", (handle, raw, size_of(text), until)
                )
            else:
                self._database.execute(
                    "UPDATE texts SET until = max(until, ?) WHERE handle = ?", (until, handle)
                )
        return True

    def _expired(self) -> bool:
        found = self._database.execute("SELECT 1 FROM texts WHERE until <= ? LIMIT 1", (self._clock(),))
        return found.fetchone() is not None

    def _expire(self) -> None:
        self._database.execute("DELETE FROM texts WHERE until <= ?", (self._clock(),))

    def _free(self) -> int:
        (used,) = self._database.execute("SELECT bytes FROM used").fetchone()
        return self._max_bytes - int(used)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """All that is done inside, or none of it; no other process writes meanwhile."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def _make_private(path: str | os.PathLike[str]) -> None:
    """Make the file and the folders that are missing, for their user alone.

    Raises:
        OSError, Unusable: it is not possible.
    """
    folder = os.path.dirname(os.path.abspath(path))
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(each, 0o700)
    # The files that SQLite puts beside it have the mode of this one.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unusable("it is no file")
        if found.st_uid != os.getuid():
            raise Unusable("it belongs to another user")
        if os.read(descriptor, len(_HEADER)) not in (b"", _HEADER):
            raise Unusable("it is a file of another kind")
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
