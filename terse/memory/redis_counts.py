"""What was saved, summed over all replicas of a service: a few numbers for each day, in Redis."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

from terse.memory.redis_link import PREFIX, Away, RedisLink
from terse.record import Record, numbers

DAYS = 400
"""How long the numbers of a day are kept."""
EVERY_SECONDS = 1.0
MAX_DAYS_WAITING = 8
"""Days whose numbers are kept here while Redis is away."""

# A pack of numbers has a name of its own: one of which nobody knows whether it came is given once more.
_ADD = """
if not redis.call('SET', KEYS[2], '1', 'NX', 'EX', 86400) then return 0 end
for place = 2, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[place], ARGV[place + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""


class RedisCounts:
    """The numbers of all replicas. Safe to use from any thread.

    Their names are those of `terse.record.numbers`.
    """

    def __init__(self, link: RedisLink, *, every_seconds: float = EVERY_SECONDS) -> None:
        self._link = link
        self._seconds = every_seconds
        self._lock = threading.Lock()
        self._waiting: dict[str, Counter[str]] = {}
        self._packs: dict[str, tuple[str, Counter[str]]] = {}
        self._news = threading.Event()
        self._thread: threading.Thread | None = None

    def observe(self, record: Record) -> None:
        """See `terse.record.Observer`."""
        day = datetime.fromtimestamp(record.at, UTC).date().isoformat()
        made = numbers(record)
        with self._lock:
            self._waiting.setdefault(day, Counter()).update(made)
            while len(self._waiting) > MAX_DAYS_WAITING:
                del self._waiting[min(self._waiting)]
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, daemon=True)
                self._thread.start()
        self._news.set()

    def read(self, day: str) -> dict[str, int]:
        """The numbers of a day (2026-11-30, by UTC).

        Raises:
            Away: Redis cannot be asked.
        """
        found = self._link.run(lambda client: client.hgetall(_key(day)))
        return {bytes(name).decode(): int(number) for name, number in found.items()}

    def today(self) -> Mapping[str, int]:
        """The numbers of this day; none where Redis cannot be asked. Raises nothing."""
        try:
            return self.read(datetime.now(UTC).date().isoformat())
        except Away:
            return {}

    def flush(self) -> bool:
        """Give Redis what it has not got yet. False: not all of it could be."""
        with self._lock:
            for day, numbers in self._waiting.items():
                if day not in self._packs:
                    self._packs[day] = (uuid.uuid4().hex, numbers)
            for day, (_, numbers) in self._packs.items():
                if self._waiting.get(day) is numbers:
                    del self._waiting[day]
            packs = dict(self._packs)
        is_done = True
        for day, (name, numbers) in packs.items():
            arguments: list[str | bytes | int] = [DAYS * 86400]
            for field, number in numbers.items():
                arguments += (field, number)
            try:
                self._link.script(_ADD, [_key(day), f"{_key(day)}:{name}"], arguments)
            except Away:
                is_done = False
                continue
            with self._lock:
                del self._packs[day]
                is_done = is_done and day not in self._waiting
        return is_done

    def _write(self) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            threading.Event().wait(self._seconds)
            if not self.flush():
                self._news.set()


def _key(day: str) -> str:
    return f"{PREFIX}counts:{{{day}}}"
