"""What `terse measure` found, for tests of what is made of it."""

from __future__ import annotations

from collections.abc import Sequence

from terse.guarantee import Guarantee
from terse.report.measured import Measure, Measured, Tally, Why
from terse.report.replayed import Replayed


def measured(tools: Sequence[str] = ("list", "get"), word: str = "rules") -> Measure:
    """Sixty calls of the tools in turn; every fifth was sent as it came.

    Args:
        word: the rules, the file and the note.
    """
    tally = Tally(sessions=3, added=20)
    for number in range(60):
        why = Why.NO_RULE if number % 5 == 0 else None
        sent = 1000 if why else 400
        tool = tools[number % len(tools)]
        made = Replayed("shop", tool, 1000, sent, Guarantee.LOSSY, 50, number % 2 == 0, 900, ("odd",))
        place = f"{word}.jsonl:{number}"
        tally.add(Measured(made, 500, 700, "records", 10, 2.0 + number, why, why is None, place))
    return Measure(word, "old", "text", "o200k_base", 2, tally, 25.0, (word,))
