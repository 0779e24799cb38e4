"""Tests that a page names, by file and function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def absent(rows: Iterable[str]) -> list[tuple[str, str]]:
    """File and function of what rows of a page name as a test, where there is none."""
    named = [found for row in rows for found in NAMED.findall(row)]
    functions = {
        path: {
            node.name
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef)
        }
        for path in {path for path, _ in named}
    }
    return [(path, name) for path, name in named if name not in functions[path]]
