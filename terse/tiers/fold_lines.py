"""`fold-lines`: lines of any other text that say much the same, by pattern."""

from __future__ import annotations

from terse.folds import cluster
from terse.payload.kind import Kind
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    step = cluster.fold(lines, context.count, context.expired, cluster.PROSE)
    return [step] if step else "few lines share a pattern"


TIER = text_tier(
    name="fold-lines",
    sentence="writes what many lines of YAML, of key: value lists and of other text share once, under a letter",
    reads="a letter stands for a line with `{}` to fill",
    fits=cluster.alike,
    fold=_fold,
    also=frozenset({Kind.MARKDOWN, Kind.HTML}),
    after=frozenset({"counts", "references", "samples", "blocks", "history"}),
    example=Example(
        before="".join(
            f"  runbook_url: https://runbooks.example.org/monitoring/kubernetes/{name}\n  severity: {level}\n"
            for name, level in (
                ("pod-crash-looping", "page"), ("pod-not-ready", "page"), ("job-failed", "mail"), ("node-full", "page"),
                ("quota-exceeded", "mail"), ("volume-full", "page"), ("version-skew", "mail"), ("api-slow", "page"),
            )
        ),
        after="",
    ),
)
