"""What one process saved: the line that it says at its end."""

from __future__ import annotations

from terse.record import Record


class Total:
    """Sums over records.

    Attributes:
        results: how many results there were.
        tokens_in, tokens_out: of the messages whose tokens were counted, results and lists; what was fetched
            later is in `tokens_out`.
        faults: messages in which something of ours went wrong.
        unwritten: records that could not be written as fast as they came.
    """

    def __init__(self) -> None:
        self.results = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.faults = 0
        self.unwritten = 0

    def add(self, record: Record) -> None:
        """Take one more record in."""
        self.results += record.what == "result"
        self.faults += bool(record.faults)
        if record.tokens_in is not None and record.tokens_out is not None:
            self.tokens_in += record.tokens_in
            self.tokens_out += record.tokens_out

    def line(self) -> str | None:
        """One line for people; None if nothing happened."""
        if not self.results or not self.tokens_in:
            return None
        saved = 100 * (self.tokens_in - self.tokens_out) / self.tokens_in
        results = "1 result" if self.results == 1 else f"{self.results:,} results"
        line = f"{results}, {self.tokens_in:,} → {self.tokens_out:,} tokens ({saved:.0f}% saved)"
        if self.faults:
            line += f", {self.faults:,} sent as they came (too large, too late, or a fault)"
        if self.unwritten:
            line += f", {self.unwritten:,} not noted"
        return f"{line}; terse stats has more"
