"""`terse test` as workflow commands of GitHub Actions: each failure is shown at its line of the diff."""

from __future__ import annotations

from terse.report.tested import TestRun


def render(run: TestRun) -> str:
    """An error for each failure, a warning (T603) for each gap that does not follow from another one."""
    lines = []
    for test in run.tests:
        for failure in test.failures:
            code = f"{failure.code} " if failure.code else ""
            text = f"{test.title}: expected {failure.expected}, actual {failure.actual}"
            lines.append(_command("error", failure.at, f"{code}failed test", text))
    for gap in run.gaps:
        if not gap.follows:
            lines.append(_command("warning", gap.at, "T603 untested-rule", f"{gap.text}: {gap.gap}"))
    if not run.enough:
        lines.append(f"::error::coverage is {run.percent:.1f}%, at least {run.at_least:g}% wanted")
    passed = len(run.tests) - len(run.failed)
    return "\n".join([*lines, f"{len(run.tests)} tests: {passed} passed, {len(run.failed)} failed"]) + "\n"


def _command(level: str, at: str, title: str, message: str) -> str:
    path, _, line = at.rpartition(":")
    return f"::{level} file={_property(path)},line={line},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
