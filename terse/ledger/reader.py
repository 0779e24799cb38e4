"""The ledger read: the records that were noted in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from terse.guarantee import Guarantee
from terse.ledger.file import COLUMNS, Unusable, opened_to_read
from terse.record import Record

_LISTS = ("lines", "tiers", "bounds", "faults")
_GUARANTEES = {each.word: each for each in Guarantee}


def records(path: Path, since: float) -> Iterator[Record]:
    """What was noted since a time (seconds since 1970), the oldest first.

    Raises:
        Unusable: the file cannot be read, or holds something that no terse of this version wrote.
    """
    names = [name for name, _ in COLUMNS]
    question = f"SELECT {', '.join(names)} FROM messages WHERE at >= ? ORDER BY at, id"
    try:
        with closing(opened_to_read(path)) as database:
            for values in database.execute(question, (since,)):
                yield _record(dict(zip(names, values, strict=True)))
    except sqlite3.Error as error:
        raise Unusable(str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise Unusable(f"a row of it is none of ours: {error}") from None


def _record(row: dict[str, object]) -> Record:
    del row["run"]
    row["guarantee"] = _GUARANTEES[str(row.pop("class"))]
    for name in _LISTS:
        row[name] = json.loads(str(row[name]))
    row["is_error"], row["is_first"] = bool(row["is_error"]), bool(row["is_first"])
    # What the file says is checked against the types: other programs may have written to it.
    return msgspec.convert(row, Record)
