"""How often what was set aside was asked for: by captured calls of our own tool, and by the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from terse.record import Record
from terse.report.stats import ENOUGH

_ASIDE = ("set aside ", "shorten ")


@dataclass(slots=True)
class Noted:
    """What the ledger says of a tool under one rule.

    Attributes:
        aside, fetched: values that were set aside, and those of them that were fetched.
        lines: the lines that set something aside, each with how many results it did that to.
        milliseconds: of each result, until it was sent.
    """

    results: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    aside: int = 0
    fetched: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float | None:
        """The share of the values that was fetched; None where there are too few to tell."""
        return min(self.fetched / self.aside, 1.0) if self.aside >= ENOUGH else None


class Ledgered:
    """The records of a ledger, by tool and rule."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.results = 0
        self._noted: dict[tuple[str, str, str], Noted] = {}
        self._summed: dict[tuple[tuple[str, str], str | None], Noted] = {}
        for record in records:
            if record.what in ("result", "retrieve") and record.tool:
                self._add(record)

    def of(self, tool: tuple[str, str], rule: str | None = None) -> Noted:
        """What was noted of a tool, under one rule or all of them."""
        if (tool, rule) not in self._summed:
            self._summed[tool, rule] = self._sum(tool, rule)
        return self._summed[tool, rule]

    def _sum(self, tool: tuple[str, str], rule: str | None) -> Noted:
        found = Noted()
        for (server, name, of), noted in self._noted.items():
            if (server, name) == tool and rule in (None, of):
                found.results += noted.results
                found.tokens_in += noted.tokens_in
                found.tokens_out += noted.tokens_out
                found.aside += noted.aside
                found.fetched += noted.fetched
                found.milliseconds += noted.milliseconds
                for line, times in noted.lines.items():
                    found.lines[line] = found.lines.get(line, 0) + times
        return found

    def _add(self, record: Record) -> None:
        key = (record.server, record.tool, record.rule or "")
        noted = self._noted.setdefault(key, Noted())
        if record.what == "retrieve":
            noted.fetched += record.retrieved == "value" and record.is_first
            return
        self.results += 1
        noted.results += 1
        noted.aside += record.aside_values
        noted.milliseconds.append(record.milliseconds)
        if record.tokens_in is not None and record.tokens_out is not None:
            noted.tokens_in += record.tokens_in
            noted.tokens_out += record.tokens_out
        if record.aside_values:
            for line in record.lines:
                if line.startswith(_ASIDE):
                    noted.lines[line] = noted.lines.get(line, 0) + 1
