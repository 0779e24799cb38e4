"""`terse test` as JUnit XML, which CI servers show as a list of tests."""

from __future__ import annotations

import re
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from terse.report.tested import Tested, TestRun

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def render(run: TestRun) -> str:
    """A suite per rule file, a case per test; a coverage that is too low is a failing case of its own."""
    suites = [
        _suite(path, [_case(path, test) for test in tests], sum(not test.passed for test in tests))
        for path, tests in ((path, list(group)) for path, group in groupby(run.tests, _path))
    ]
    if run.at_least is not None:
        failure = "" if run.enough else _failure(_too_low(run), [f"{gap.at}: {gap.gap}" for gap in run.gaps])
        case = _element("coverage", f"at least {run.at_least:g}%", failure)
        suites.append(_suite("coverage", [case], int(not run.enough)))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _path(test: Tested) -> str:
    return test.at.rpartition(":")[0]


def _too_low(run: TestRun) -> str:
    return f"coverage is {run.percent:.1f}%, at least {run.at_least:g}% wanted"


def _suite(name: str, cases: list[str], failed: int) -> str:
    head = f'  <testsuite name={_quoted(name)} tests="{len(cases)}" failures="{failed}">\n'
    return f"{head}{''.join(cases)}  </testsuite>\n"


def _case(path: str, test: Tested) -> str:
    if test.passed:
        return _element(path, test.title, "")
    lines = [f"{each.at}: expected {each.expected}, actual {each.actual}" for each in test.failures]
    first = test.failures[0]
    return _element(
        path,
        test.title,
        _failure(f"expected {first.expected}, actual {first.actual}", [*lines, test.explain]),
    )


def _element(classname: str, name: str, inside: str) -> str:
    head = f"    <testcase classname={_quoted(classname)} name={_quoted(name)}"
    return f"{head}>\n{inside}    </testcase>\n" if inside else f"{head}/>\n"


def _failure(message: str, lines: list[str]) -> str:
    text = escape(_NOT_XML.sub("?", "\n".join(line for line in lines if line)))
    return f"      <failure message={_quoted(message)}>{text}</failure>\n"


def _quoted(text: str) -> str:
    return quoteattr(_NOT_XML.sub("?", text))
