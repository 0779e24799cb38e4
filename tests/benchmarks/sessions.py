"""Recorded sessions under `use compact then dedup then diff`: the whole, and what repeats cost.

The captures are not part of the project: where they are not beside it, nothing is measured. Call order in
them is scripted, so these figures say what a repeat costs, not how often live agents repeat themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from terse.capture.recorded import Notes, lines_of
from terse.plan.stored import encode
from terse.proxy.clients import Shown
from terse.report.replayed import Replay, Replayed
from terse.review.replay import Job, replay, sessions
from tests.memory.sessions import COMPACT, DEDUP, DIFF, memory_rule
from tests.plan.plans import plan

CAPTURES = Path(__file__).parent.parent.parent.parent / "shared" / "corpus" / "captures"


def measure() -> Iterator[str]:
    """A line for each kind of client, and one for each kind of repeat."""
    paths = sorted(CAPTURES.glob("*.jsonl"))
    if not paths:
        yield "no captures beside the project: nothing measured"
        return
    encoded = encode(plan(memory_rule(*COMPACT, DEDUP, DIFF)))
    clients: tuple[Shown, ...] = ("text", "structured")
    for client in clients:
        rows: list[tuple[Replayed, ...]] = []
        count = 0
        for path in paths:
            for calls in sessions(path.name, lines_of(str(path)), Notes()):
                rows += replay(Job(calls, (encoded,), "o200k_base", client))
                count += 1
        facts = Replay("compact then dedup then diff", None, client, "o200k_base", count, rows)
        all_calls = facts.all
        saved = 100 * (1 - all_calls.after / all_calls.before)
        yield f"{client}: {all_calls.before:,} tokens shown, {all_calls.after:,} sent, {saved:.1f} % saved"
        yield f"{client}: {len(facts.same)} byte-equal repeats, {max(facts.same)} tokens at most"
        yield (
            f"{client}: {len(facts.changed)} changed repeats of 300 characters or more, "
            f"{facts.changed_median:.1f} % of their full form in the median"
        )
        for row in rows:
            if row[0].tool.endswith("snapshot") and row[0].repeat is not None:
                share = 100 * row[0].after / row[0].before
                yield f"{client}: {row[0].server}/{row[0].tool} again: {share:.1f} %"
