"""Who is told what was sent, by the options and the environment of a process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from terse.proxy.complaints import Complaints
from terse.record import Observer, Record


class Observing(Protocol):
    """Somebody who is told: telemetry, a ledger."""

    def observe(self, record: Record) -> None:
        """See `terse.record.Observer`."""

    def close(self, seconds: float) -> None:
        """Finish what was begun, in so long at most."""


class Observers:
    """All of them as one."""

    def __init__(self, each: list[Observing], others: Sequence[Observer] = ()) -> None:
        self._each = each
        self._told = [*(one.observe for one in each), *others]

    @property
    def observe(self) -> Observer | None:
        """What takes records; None where nobody wants them, and nothing need be counted."""
        return self._tell if self._told else None

    def close(self, seconds: float = 2.0) -> None:
        """Let all of them finish: to be called when the last result was sent."""
        for one in self._each:
            one.close(seconds)

    def _tell(self, record: Record) -> None:
        for tell in self._told:
            tell(record)


class _Noting:
    """The ledger, and the line at the end that says what was saved."""

    def __init__(self, path: str, complaints: Complaints) -> None:
        from terse.ledger.writer import Ledger

        self._ledger = Ledger(path, partial(complaints.say, "ledger"))
        self._complaints = complaints

    def observe(self, record: Record) -> None:
        """See `terse.record.Observer`."""
        self._ledger.observe(record)

    def close(self, seconds: float) -> None:
        """Write what waits, and say what was saved."""
        self._ledger.close(seconds)
        line = self._ledger.total.line()
        if line is not None:
            self._complaints.tell(line)


def observers(
    complaints: Complaints, *, telemetry: bool, notes: bool, others: Sequence[Observer] = ()
) -> Observers:
    """Those of this process.

    Args:
        telemetry: `--telemetry`.
        notes: not `--no-ledger`.
        others: more, which need no end.
    """
    from terse.ledger.place import place
    from terse.telemetry.wanted import Unusable, is_wanted

    found: list[Observing] = []
    try:
        if is_wanted(os.environ, asked=telemetry):
            from terse.telemetry.exporting import Telemetry

            found.append(Telemetry(complaints.say))
    except Unusable as reason:
        complaints.say("telemetry", f"telemetry is off: {reason}")
    path = place(os.environ) if notes else None
    if path is not None:
        found.append(_Noting(path, complaints))
    return Observers(found, others)
