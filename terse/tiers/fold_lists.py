"""`fold-lists`: long lists inside a line, their items under what they begin with."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import cuts, headings, lists
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example


def _item(line: str) -> Sequence[int]:
    return cuts.node(line) or cuts.stamp(line) or cuts.folders(line)


def _paths(context: Context) -> Sequence[Path]:
    def one_a_line(lines: list[str]) -> Step | None:
        if max(map(len, lines)) < lists.SHORTEST_LINE:
            return None
        long = sum(len(line) for line in lines if lists.is_long(line))
        return written_in(lists.FORM, lists.fold(lines) if long * 3 > sum(map(len, lines)) else None)

    def under_beginnings(lines: list[str]) -> Step | None:
        listed = any(line.startswith(lists.BETWEEN) for line in lines)
        return written_in(headings.FORM, headings.fold(lines, _item) if listed else None)

    return [(one_a_line, under_beginnings)]


TIER = text_tier(
    name="fold-lists",
    sentence="Writes long lists inside a line one item a line, under what the items begin with.",
    reads='A line that starts with ", " goes on the line above.',
    fits=lambda seen: True,  # the long line may stand anywhere
    paths=_paths,
    missing="no long list in a line",
    whole=True,
    example=Example(
        before=(
            "Collected 16 tests: tests/billing/test_orders.py::TestTotals::test_empty, "
            "tests/billing/test_orders.py::TestTotals::test_one, "
            "tests/billing/test_orders.py::TestTotals::test_two, "
            "tests/billing/test_orders.py::TestTotals::test_many, "
            "tests/billing/test_orders.py::TestTotals::test_tax, "
            "tests/billing/test_orders.py::TestTotals::test_void, "
            "tests/billing/test_orders.py::TestTotals::test_paid, "
            "tests/billing/test_orders.py::TestTotals::test_late, "
            "tests/billing/test_orders.py::TestTotals::test_free, "
            "tests/billing/test_orders.py::TestTotals::test_gift, "
            "tests/billing/test_orders.py::TestTotals::test_half, "
            "tests/billing/test_orders.py::TestTotals::test_full, "
            "tests/billing/test_orders.py::TestTotals::test_zero, "
            "tests/billing/test_orders.py::TestTotals::test_euro, "
            "tests/billing/test_orders.py::TestTotals::test_krone, "
            "tests/billing/test_orders.py::TestTotals::test_yen\n"
        ),
        after=(
            '[terse: 1 line; a line that starts with ", " goes on the line above; a line ending in … '
            "starts those below]\n"
            "Collected 16 tests: tests/billing/test_orders.py::TestTotals::test_empty\n"
            ", tests/billing/test_orders.py::TestTotals::…\n"
            "test_one\n"
            "test_two\n"
            "test_many\n"
            "test_tax\n"
            "test_void\n"
            "test_paid\n"
            "test_late\n"
            "test_free\n"
            "test_gift\n"
            "test_half\n"
            "test_full\n"
            "test_zero\n"
            "test_euro\n"
            "test_krone\n"
            "test_yen\n"
        ),
    ),
)
