"""`fold-lines`: lines of any other text that say much the same, by pattern."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import cluster
from terse.payload.kind import Kind
from terse.tiers.folding import Path, text_tier
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: cluster.fold(lines, context.count, cluster.PROSE),)]


TIER = text_tier(
    name="fold-lines",
    sentence="Writes once, under a letter, what many lines of YAML, key: value lists and other text share.",
    reads="A letter stands for a line with `{}` to fill.",
    fits=lambda seen: cluster.alike(seen.lines),
    paths=_paths,
    missing="few lines share a pattern",
    also=frozenset({Kind.MARKDOWN, Kind.HTML}),
    after=frozenset({"counts", "references", "samples", "blocks", "history"}),
    example=Example(
        before=(
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/pod-crash-looping\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/pod-not-ready\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/job-failed\n"
            "  severity: mail\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/node-full\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/quota-exceeded\n"
            "  severity: mail\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/volume-full\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/version-skew\n"
            "  severity: mail\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/api-slow\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/disk-slow\n"
            "  severity: mail\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/cert-old\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/etcd-slow\n"
            "  severity: page\n"
            "  runbook_url: https://runbooks.example.org/monitoring/kubernetes/proxy-down\n"
            "  severity: page\n"
        ),
        after=(
            '[terse: 24 lines; a line "A x y" fills the {} of pattern A, " is the value above]\n'
            "A:   runbook_url: https://runbooks.example.org/monitoring/kubernetes/{}\n"
            "\n"
            "A pod-crash-looping\n"
            "  severity: page\n"
            "A pod-not-ready\n"
            "  severity: page\n"
            "A job-failed\n"
            "  severity: mail\n"
            "A node-full\n"
            "  severity: page\n"
            "A quota-exceeded\n"
            "  severity: mail\n"
            "A volume-full\n"
            "  severity: page\n"
            "A version-skew\n"
            "  severity: mail\n"
            "A api-slow\n"
            "  severity: page\n"
            "A disk-slow\n"
            "  severity: mail\n"
            "A cert-old\n"
            "  severity: page\n"
            "A etcd-slow\n"
            "  severity: page\n"
            "A proxy-down\n"
            "  severity: page\n"
        ),
    ),
)
