"""`fold-log`: log lines under their times, messages by pattern."""

from __future__ import annotations

import re

from terse.folds import cluster, columns, cuts, headings
from terse.payload.kind import Kind
from terse.tiers.folding import Step, share, shortest, text_tier
from terse.tiers.spec import Context, Example

_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|\blevel=[a-z]+|\" [1-5][0-9]{2} ")


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    def under_times(held: list[str]) -> Step | None:
        written = headings.fold(held, cuts.stamp)
        return (headings.FORM, written) if written else None

    def by_pattern(held: list[str]) -> Step | None:
        return cluster.fold(held, context.count, context.expired)

    def by_column(held: list[str]) -> Step | None:
        written = columns.fold(held, padded=False)
        return (columns.FORM, written) if written else None

    steps = shortest(lines, context, [(under_times,), (by_pattern,), (under_times, by_pattern), (by_column,)])
    return steps or "few lines share a time or a pattern"


TIER = text_tier(
    name="fold-log",
    sentence="puts log lines under the time they share, and what programs wrote from one pattern under a letter",
    reads="a line that ends in `…` starts the lines below it; a letter stands for a message with `{}` to fill",
    fits=lambda lines: share(lines, lambda line: cuts.stamp(line) or _LEVEL.search(line)) >= 0.3,
    fold=_fold,
    also=frozenset({Kind.MARKDOWN, Kind.HTML}),
    example=Example(
        before="".join(
            f"2026-03-01 12:{minute}:{second} INFO worker[{worker}] finished job {job} of queue mail in {time} ms\n"
            for minute, second, worker, job, time in (
                ("04", "11.203", 3, 8812, 41), ("04", "11.417", 1, 8813, 40), ("04", "12.001", 3, 8814, 97),
                ("04", "12.090", 2, 8815, 38), ("04", "12.777", 1, 8816, 44), ("05", "01.310", 3, 8817, 52),
            )
        ),
        after="",
    ),
)
