"""`terse test` for people: 80 columns, the same in a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from terse.hidden import visible
from terse.report.tested import Covered, Failure, Tested, TestRun


def render(run: TestRun) -> str:
    """The tests by file, each failure with what was expected and what to run; then the coverage."""
    lines: list[str] = []
    file = ""
    for test in run.tests:
        path = test.at.rpartition(":")[0]
        if path != file:
            lines += ["", path] if file else [path]
            file = path
        lines += _test(test)
    lines += ["", _summary(run)]
    if run.covered is not None:
        lines += _coverage(run)
    return "".join(visible(line) + "\n" for line in lines)


def _test(test: Tested) -> Iterator[str]:
    if test.passed:
        yield f"  pass  {test.title}"
        return
    yield f"  FAIL  {test.title}"
    for failure in test.failures:
        yield from _failure(failure)
    if test.explain:
        yield f"        see       {test.explain}"


def _failure(failure: Failure) -> Iterator[str]:
    code = f"  {failure.code}" if failure.code else ""
    yield f"        {failure.at}{code}"
    yield f"        expected  {failure.expected}"
    yield f"        actual    {failure.actual}"


def _summary(run: TestRun) -> str:
    total, failed = len(run.tests), len(run.failed)
    noun = "test" if total == 1 else "tests"
    return f"{total} {noun}: {total - failed} passed, {failed} failed"


def _coverage(run: TestRun) -> Iterator[str]:
    covered = run.covered or ()
    wanted = "" if run.at_least is None else f", at least {run.at_least:g}% wanted"
    verdict = "" if run.enough else ": not enough"
    counts = f"{len(covered) - len(run.gaps)} of {len(covered)} lines"
    yield f"coverage {run.percent:.1f}%: {counts}{wanted}{verdict}"
    for gap in run.gaps:
        if gap.follows:
            continue
        yield f"  {gap.at}  {_named(gap)}"
        followers = sum(line.follows and line.rule == gap.rule for line in run.gaps)
        more = f"; so are its {followers} lines" if gap.line == "rule" and followers > 1 else ""
        more = "; so is its line" if gap.line == "rule" and followers == 1 else more
        yield f"      {gap.gap}{more}"


def _named(gap: Covered) -> str:
    return gap.text if gap.line == "rule" else f"{gap.text}  (rule {gap.rule})"
