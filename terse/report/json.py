"""Findings as JSON: stable, for other tools. The form is documented in docs/diagnostics.md.

`{"version": 1, "summary": {"error": 1, "warning": 0, "note": 0}, "diagnostics": [ … ]}`. New members may
be added; none changes its meaning or goes away within a version.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from terse.diagnostic import Diagnostic, Label, Severity

VERSION = 1


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """All findings as one JSON document, with a line end."""
    summary = {severity.word: 0 for severity in sorted(Severity, reverse=True)}
    for diagnostic in diagnostics:
        summary[diagnostic.severity.word] += 1
    document = {
        "version": VERSION,
        "summary": summary,
        "diagnostics": [as_json(diagnostic) for diagnostic in diagnostics],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """One finding. `help` is null where there is none."""
    return {
        "code": diagnostic.code.code,
        "name": diagnostic.code.name,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "primary": _label(diagnostic.primary),
        "secondary": [_label(label) for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def _label(label: Label) -> dict[str, object]:
    """Lines and columns count from 1, in characters; the end is the place behind the last one."""
    span = label.span
    return {
        "path": span.source.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.source.line_of(span.end),
        "end_column": span.source.column_of(span.end),
        "text": label.text,
    }
