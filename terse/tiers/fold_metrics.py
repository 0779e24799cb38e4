"""`fold-metrics`: Prometheus metrics under their names."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import samples
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(samples.FORM, samples.fold(lines)),)]


TIER = text_tier(
    name="fold-metrics",
    sentence="Writes name, type and help of a metric on one line, and its samples without the name.",
    reads="A sample goes on from the name in the `# ` line above it.",
    fits=lambda seen: (
        "#" in seen.sample
        and sum(1 for line in seen.lines if line.startswith("# TYPE ")) * 20 >= len(seen.lines)
    ),
    paths=_paths,
    missing="no help with a type",
    example=Example(
        before=(
            "# HELP http_requests_total Requests served since the start.\n"
            "# TYPE http_requests_total counter\n"
            'http_requests_total{code="200",path="/"} 1027\n'
            'http_requests_total{code="404",path="/"} 3\n'
            'http_requests_total{code="500",path="/"} 1\n'
            "# HELP http_request_seconds Time to answer.\n"
            "# TYPE http_request_seconds summary\n"
            "http_request_seconds_sum 51.4\n"
            "http_request_seconds_count 1031\n"
        ),
        after=(
            "[terse: 9 lines; # name type: help, then samples without the name]\n"
            "# http_requests_total counter: Requests served since the start.\n"
            '{code="200",path="/"} 1027\n'
            '{code="404",path="/"} 3\n'
            '{code="500",path="/"} 1\n'
            "# http_request_seconds summary: Time to answer.\n"
            "_sum 51.4\n"
            "_count 1031\n"
        ),
    ),
)
