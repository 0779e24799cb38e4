"""`terse test` for programs. The format is stable: keys are added, never changed."""

from __future__ import annotations

import json

from terse.report.tested import TestRun

FORMAT = 1


def render(run: TestRun) -> str:
    """One JSON document: every test with its failures, and the coverage if it was asked for."""
    document: dict[str, object] = {
        "format": FORMAT,
        "policy": run.policy,
        "passed": run.passed,
        "tests": [
            {
                "title": test.title,
                "at": test.at,
                "passed": test.passed,
                "failures": [
                    {
                        "expected": each.expected,
                        "actual": each.actual,
                        "at": each.at,
                        "code": each.code or None,
                    }
                    for each in test.failures
                ],
                "explain": test.explain or None,
            }
            for test in run.tests
        ],
    }
    if run.covered is not None:
        document["coverage"] = {
            "percent": round(run.percent, 1),
            "at_least": run.at_least,
            "enough": run.enough,
            "lines": [
                {
                    "kind": line.line,
                    "rule": line.rule,
                    "at": line.at,
                    "text": line.text,
                    "covered": not line.gap,
                    "gap": line.gap or None,
                }
                for line in run.covered
            ],
        }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
