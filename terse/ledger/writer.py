"""The ledger as a proxy writes it: an `Observer` that queues, and a thread that writes batches."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from terse.ledger.total import Total
from terse.record import Record

if TYPE_CHECKING:
    import sqlite3

BATCH_SECONDS = 0.1
"""How long records are gathered before they are written: what a killed process may lose."""
BATCH_ROWS = 500
MAX_WAITING = 20_000
"""Records that wait to be written; beyond them they are counted as lost, and said so at the end."""
MAX_NAME = 200
"""Characters of a name: servers and clients name things as they like."""
TRIM_EVERY = 5_000
"""Rows between two looks whether the oldest are to go."""


class Ledger:
    """Notes records in a file. Safe to use from any thread, and by many processes at once.

    Attributes:
        total: what was noted by this process.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        complain: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """
        Args:
            complain: is told once, in one line, if the file cannot be written.
        """
        self.total = Total()
        self._path = os.fspath(path)
        self._complain = complain
        self._clock = clock
        self._run = secrets.token_hex(4)
        self._waiting: SimpleQueue[Record | None] = SimpleQueue()
        self._started = False
        self._failed = False
        self._lock = Lock()
        self._done = Event()

    def observe(self, record: Record) -> None:
        """Note a record. Returns at once."""
        with self._lock:
            self.total.add(record)
            if self._failed:
                return
            if self._waiting.qsize() >= MAX_WAITING:
                self.total.unwritten += 1
                return
            if not self._started:
                self._started = True
                Thread(target=self._write, daemon=True).start()
        self._waiting.put(record)

    def close(self, seconds: float) -> None:
        """Write what waits, for so long at most."""
        with self._lock:
            is_running = self._started
        if is_running:
            self._waiting.put(None)
            self._done.wait(seconds)

    def _write(self) -> None:
        # SQLite takes longer to import than all else that starts with the proxy.
        import sqlite3
        from pathlib import Path

        from terse.ledger.file import Unusable, opened

        try:
            database = opened(Path(self._path))
            try:
                self._write_all(database)
            finally:
                database.close()
        except (Unusable, sqlite3.Error) as error:
            with self._lock:
                self._failed = True
            self._complain(f"nothing more is noted in {self._path}: {error}")
        finally:
            self._done.set()

    def _write_all(self, database: sqlite3.Connection) -> None:
        from terse.ledger.file import COLUMNS

        names = ", ".join(name for name, _ in COLUMNS)
        marks = ", ".join("?" * len(COLUMNS))
        insert = f"INSERT INTO messages ({names}) VALUES ({marks})"
        written = TRIM_EVERY
        is_over = False
        while not is_over:
            batch: list[Record] = []
            for record in self._next():
                if record is None:
                    is_over = True
                    break
                batch.append(record)
            if not batch:
                continue
            rows = [_row(record, self._run) for record in batch]
            # One transaction: whoever is killed in the middle leaves a whole number of batches.
            database.execute("BEGIN IMMEDIATE")
            database.executemany(insert, rows)
            database.execute("COMMIT")
            written += len(rows)
            if written >= TRIM_EVERY:
                written = 0
                self._trim(database)

    def _next(self) -> Iterator[Record | None]:
        """Records until enough are there, or enough time has gone by since the first."""
        yield self._waiting.get()
        until = time.monotonic() + BATCH_SECONDS
        for _ in range(BATCH_ROWS - 1):
            left = until - time.monotonic()
            try:
                yield self._waiting.get(timeout=max(left, 0)) if left > 0 else self._waiting.get_nowait()
            except Empty:
                return

    def _trim(self, database: sqlite3.Connection) -> None:
        from terse.ledger.file import DAYS, MAX_ROWS

        database.execute("DELETE FROM messages WHERE at < ?", (self._clock() - DAYS * 86400,))
        newest = database.execute("SELECT max(id) FROM messages").fetchone()[0] or 0
        database.execute("DELETE FROM messages WHERE id <= ?", (newest - MAX_ROWS,))


def _row(record: Record, run: str) -> tuple[Any, ...]:
    return (
        record.at,
        run,
        record.what,
        _name(record.client),
        _name(record.server),
        _name(record.tool),
        int(record.is_error),
        None if record.rule is None else _name(record.rule),
        record.guarantee.word,
        json.dumps([_name(line) for line in record.lines]),
        json.dumps(record.tiers),
        record.tokens_in,
        record.tokens_out,
        record.bytes_in,
        record.bytes_out,
        round(record.milliseconds, 3),
        None if record.call_milliseconds is None else round(record.call_milliseconds, 3),
        record.repeat,
        record.aside_values,
        record.aside_tokens,
        record.retrieved,
        int(record.is_first),
        json.dumps(record.bounds),
        json.dumps(record.faults),
        record.form,
    )


def _name(name: str) -> str:
    """A name as it can be kept: SQLite takes no lone surrogates."""
    return name[:MAX_NAME].encode("utf-8", "replace").decode()
