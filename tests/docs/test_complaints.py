"""docs/complaints.md: every test that it names is there."""

from __future__ import annotations

import re

from tests.docs.named_tests import NAMED, ROOT, absent

ROWS = [
    row
    for row in (ROOT / "docs" / "complaints.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d", row)
]


def test_every_complaint_has_its_test() -> None:
    """Or the issue that it belongs to; and they are counted from 1."""
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, len(ROWS) + 1))
    for row in ROWS:
        answered = row.split("|")[4]
        assert NAMED.search(answered) or re.fullmatch(r" issue \d ", answered), row


def test_every_test_that_is_named_exists() -> None:
    """By file and function."""
    assert absent(ROWS) == []
