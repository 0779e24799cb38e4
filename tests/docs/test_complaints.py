"""docs/complaints.md: every test that it names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROWS = [
    row
    for row in (ROOT / "docs" / "complaints.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d", row)
]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_complaint_has_its_test() -> None:
    """Or the issue that it belongs to; and they are counted from 1."""
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, len(ROWS) + 1))
    for row in ROWS:
        answered = row.split("|")[4]
        assert NAMED.search(answered) or re.fullmatch(r" issue \d ", answered), row


def test_every_test_that_is_named_exists() -> None:
    """By file and function."""
    named = [found for row in ROWS for found in NAMED.findall(row)]
    functions = {
        path: {
            node.name
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef)
        }
        for path in {path for path, _ in named}
    }
    assert [(path, name) for path, name in named if name not in functions[path]] == []
