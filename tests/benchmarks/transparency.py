"""Ten thousand generated messages through `terse proxy`: what no rule names passes byte for byte. Not a test:
the tests send a few hundred of the same kind (tests/conformance/test_transparency.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from tests.conformance.transparent import check

MESSAGES = 10_000
SEED = 20_260_728


def measure() -> Iterator[str]:
    """A row for each way that lists of tools are treated.

    Raises:
        NotTransparent: a message changed.
    """
    yield f"{'':44}{'messages':>10}{'rewritten':>11}{'lists':>8}{'late':>7}{'seconds':>9}"
    for label, retrieves in (
        ("lists of tools pass as well", False),
        ("lists get the tool that fetches", True),
    ):
        start = perf_counter()
        passed = check(MESSAGES, SEED, retrieves=retrieves)
        took = perf_counter() - start
        figures = f"{passed.lines:>10,}{passed.changed:>11}{passed.lists:>8}{passed.late:>7}{took:>9.1f}"
        yield f"{label:44}{figures}"
