"""Findings as SARIF 2.1.0, which code scanning tools read.

The format: docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from terse import __version__
from terse.diagnostic import Code, Diagnostic, Label, Severity

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """All findings as one SARIF log with one run, and a line end."""
    codes = sorted({diagnostic.code.code: diagnostic.code for diagnostic in diagnostics}.items())
    places = {code: index for index, (code, _) in enumerate(codes)}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "terse",
                        "version": __version__,
                        "rules": [_rule(code) for _, code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, places[diagnostic.code.code]) for diagnostic in diagnostics],
            }
        ],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(code: Code) -> dict[str, object]:
    return {
        "id": code.code,
        "name": code.name,
        "shortDescription": {"text": code.summary},
        "fullDescription": {"text": code.why},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, object]:
    text = [diagnostic.message, *(f"note: {note}" for note in diagnostic.notes)]
    if diagnostic.help is not None:
        text.append(f"help: {diagnostic.help}")
    result: dict[str, object] = {
        "ruleId": diagnostic.code.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join(text)},
        "locations": [_location(diagnostic.primary)],
    }
    if diagnostic.secondary:
        result["relatedLocations"] = [
            {"id": number, **_location(label)} for number, label in enumerate(diagnostic.secondary)
        ]
    return result


def _location(label: Label) -> dict[str, object]:
    span = label.span
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(span.source.path)},
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.source.line_of(span.end),
                "endColumn": span.source.column_of(span.end),
            },
        }
    }
    if label.text:
        location["message"] = {"text": label.text}
    return location
