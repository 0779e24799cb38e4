"""SECURITY.md: each thing that could happen has what stops it, and tests that are there."""

from __future__ import annotations

import re

from tests.docs.named_tests import NAMED, ROOT, absent

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [
    row
    for row in TEXT.splitlines()
    if row.startswith("| ") and not row.startswith("| What could happen | What stops it | Test |")
]
WHO = (
    "A malicious server",
    "A malicious payload",
    "A malicious rule file",
    "Other users of the machine",
    "Prompt injection through our own marks",
    "Other clients of `terse serve`",
    "Other principals on one Redis",
    "Tokens, logs and files with names",
    "An installation that is not what it should be",
)


def test_every_threat_has_its_part() -> None:
    """With a table, and with how to report what is not in it."""
    parts = {part.partition("\n")[0]: part for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)}
    assert "Reporting" in parts
    assert [who for who in WHO if "\n| What could happen | What stops it | Test |\n" not in parts[who]] == []


def test_every_line_has_its_test() -> None:
    """What could happen, what stops it, and at least one test."""
    for row in ROWS:
        _, happens, stops, tests, _ = row.split("|")
        assert happens.strip(), row
        assert stops.strip(), row
        assert NAMED.search(tests), row
        assert NAMED.sub("", tests).strip(" ,") == "", row


def test_every_test_that_is_named_exists() -> None:
    """By file and function."""
    assert absent(ROWS) == []
