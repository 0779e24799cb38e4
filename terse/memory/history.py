"""What a client was sent, as far as later results may speak of it. In process, bounded, of one session."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_BYTES = 64 * 1024 * 1024
"""What all bases of a session may take in memory; the oldest are forgotten first."""
RESULT_BYTES, TEXT_BYTES = 1_200, 200
"""What the bookkeeping of a result and of each of its texts takes beside the text: upper bounds, measured
with tracemalloc on CPython 3.11."""
MAX_RESULTS = 3
"""Results of one call that are remembered: what goes back to an earlier state is often the one before."""


@dataclass(frozen=True, slots=True)
class Base:
    """One text of a result as the client has it once the result was sent: the full form, decoded.

    Attributes:
        text: for a JSON document, its compact text.
        whole: it was sent in full, not as what changed.
    """

    text: str
    is_json: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """One text that an earlier call with the same arguments left with the client.

    Attributes:
        number: the call's number among the calls of its tool in this session, from 1.
        part, parts: which text of that result it is, from 0, and how many that result has.
        ago: calls of the session since the text was last sent in full; 1 for the last call.
        since_full: results of this call since one was sent in full, 0 if the last one was.
    """

    number: int
    part: int
    parts: int
    ago: int
    since_full: int
    text: str
    is_json: bool


@dataclass(slots=True)
class _Text:
    text: str
    is_json: bool
    full_at: int


@dataclass(slots=True)
class _Result:
    number: int
    texts: tuple[_Text | None, ...]
    bytes: int


@dataclass(slots=True)
class _Asked:
    """The remembered results of one call, newest last, and by text how many since a full one."""

    results: list[_Result] = field(default_factory=list)
    since_full: dict[int, int] = field(default_factory=dict)


class History:
    """Bases by call. Not safe to use from several threads.

    INVARIANT: only what was sent is a base, and a base never takes more than `max_bytes` with all others.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._asked: OrderedDict[bytes, _Asked] = OrderedDict()
        self._max_bytes = max_bytes
        self.bytes = 0

    def earlier(self, key: bytes, part: int, number: int, now: int) -> tuple[Earlier, ...]:
        """What the call left with the client before its call `number`: the newest result first, and of each
        the text at `part` first.

        Args:
            now: calls of the session so far.
        """
        asked = self._asked.get(key)
        if asked is None:
            return ()
        found: list[Earlier] = []
        for result in reversed(asked.results):
            if result.number >= number:
                # Answered before a call that was made after it: to the client it is no earlier one.
                continue
            places = range(len(result.texts))
            for place in sorted(places, key=lambda each: each != part):
                text = result.texts[place]
                if text is not None:
                    since = asked.since_full.get(part, 0)
                    ago = now - text.full_at + 1
                    found.append(
                        Earlier(result.number, place, len(places), ago, since, text.text, text.is_json)
                    )
        return tuple(found)

    def record(self, key: bytes, number: int, now: int, bases: Sequence[Base | None]) -> None:
        """Note what the client has of a result, text by text; None for a text that is never a base."""
        asked = self._asked.pop(key, None)
        if not any(bases):
            # The client's last result of this call is one that is not remembered.
            self.bytes -= sum(result.bytes for result in asked.results) if asked is not None else 0
            return
        asked = asked if asked is not None else _Asked()
        texts: list[_Text | None] = []
        for part, base in enumerate(bases):
            if base is None:
                asked.since_full.pop(part, None)
                texts.append(None)
                continue
            asked.since_full[part] = 0 if base.whole else asked.since_full.get(part, 0) + 1
            texts.append(_Text(base.text, base.is_json, now if base.whole else _full_at(asked, base, now)))
        same = next((each for each in asked.results if _same(each.texts, texts)), None)
        if same is not None and not any(base is not None and base.whole for base in bases):
            # The client was told that nothing changed: what it has is the earlier text.
            asked.results.remove(same)
            asked.results.append(same)
        else:
            size = RESULT_BYTES + sum(
                TEXT_BYTES + sys.getsizeof(text.text) for text in texts if text is not None
            )
            asked.results.append(_Result(number, tuple(texts), size))
            self.bytes += size
            while len(asked.results) > MAX_RESULTS:
                self.bytes -= asked.results.pop(0).bytes
        self._asked[key] = asked
        while self.bytes > self._max_bytes:
            self.forget(next(iter(self._asked)))

    def forget(self, key: bytes) -> None:
        """Forget all results of a call: its next one is sent in full."""
        asked = self._asked.pop(key, None)
        if asked is not None:
            self.bytes -= sum(result.bytes for result in asked.results)


def _full_at(asked: _Asked, base: Base, now: int) -> int:
    """When the text that a delta rests on was sent in full: as long ago as any could have been."""
    known = [text.full_at for result in asked.results for text in result.texts if text is not None]
    return min(known, default=now)


def _same(one: Sequence[_Text | None], other: Sequence[_Text | None]) -> bool:
    return len(one) == len(other) and all(
        (a is None and b is None)
        or (a is not None and b is not None and a.is_json == b.is_json and a.text == b.text)
        for a, b in zip(one, other, strict=True)
    )
