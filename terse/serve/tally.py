"""What was sent and saved since this process began, in a few numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Lock

from terse.record import Record, numbers


class Tally:
    """The sums of `terse.record.numbers` over all records. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sums: Counter[str] = Counter()

    def observe(self, record: Record) -> None:
        """See `terse.record.Observer`."""
        with self._lock:
            self._sums.update(numbers(record))

    def sums(self) -> Mapping[str, int]:
        """The numbers now, by name; one that is not there is 0."""
        with self._lock:
            return Counter(self._sums)
