"""`fold-tests`: what test runners print, under files and classes, results by pattern."""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds import cluster, cuts, edges, headings
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example

_RESULT = re.compile(
    r"=== (?:RUN|CONT|PAUSE) |\s*--- (?:PASS|FAIL|SKIP): |test \S+ \.\.\. |(?:not )?ok [0-9]+ |\s*[✓✔✕✗×] "
)
_PROGRESS = re.compile(r"(?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS|[.sFExX]) +\[ *[0-9]{1,3}%\]$")


def _is_result(line: str) -> bool:
    return bool(cuts.node(line) or _RESULT.match(line) or (line.endswith("%]") and _PROGRESS.search(line)))


def _paths(context: Context) -> Sequence[Path]:
    def at_the_edge(lines: list[str]) -> Step | None:
        return written_in(edges.FORM, edges.fold(lines))

    def under_files(lines: list[str]) -> Step | None:
        return written_in(headings.FORM, headings.fold(lines, cuts.node))

    def by_pattern(lines: list[str]) -> Step | None:
        return cluster.fold(lines, context.count)

    return [(at_the_edge, under_files), (at_the_edge, under_files, by_pattern)]


TIER = text_tier(
    name="fold-tests",
    sentence="Puts the results of a test run under their file and class.",
    reads="A line that ends in `…` starts the lines below it.",
    fits=lambda seen: seen.share(_is_result) >= 0.3 and seen.share(cuts.stamp) < 0.3,
    paths=_paths,
    missing="few tests share a file",
    example=Example(
        before=(
            "tests/test_orders.py::TestTotals::test_empty PASSED\n"
            "tests/test_orders.py::TestTotals::test_one PASSED\n"
            "tests/test_orders.py::TestTotals::test_rounding FAILED\n"
            "tests/test_orders.py::TestTotals::test_tax PASSED\n"
            "tests/test_orders.py::TestTotals::test_many PASSED\n"
            "tests/test_orders.py::TestTotals::test_void SKIPPED\n"
        ),
        after=(
            "[terse: 6 lines; a line ending in … starts those below]\n"
            "tests/test_orders.py::TestTotals::…\n"
            "test_empty PASSED\n"
            "test_one PASSED\n"
            "test_rounding FAILED\n"
            "test_tax PASSED\n"
            "test_many PASSED\n"
            "test_void SKIPPED\n"
        ),
    ),
)
