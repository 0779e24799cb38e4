"""The table of codes: pages that are true, files that have each fault, messages that people can read."""

from __future__ import annotations

import re

import pytest

from terse.diagnostic import Code, Severity
from terse.language.codes import CODES
from terse.report.page import render
from tests.language.example import check_text, codes_of

EVERY = pytest.mark.parametrize("code", CODES, ids=lambda code: code.code)
# What other commands find is tested with them.
OF_CHECK = [code for code in CODES if code.found_by == "check"]
OF_CHECKS = pytest.mark.parametrize("code", OF_CHECK, ids=lambda code: code.code)


def test_codes_and_names_are_never_used_twice() -> None:
    """A code, and a name in an `# allow`, mean one thing for ever."""
    assert len({code.code for code in CODES}) == len(CODES)
    assert len({code.name for code in CODES}) == len(CODES)


def test_codes_are_listed_in_order() -> None:
    """The table is in the order of the codes, so that a reader finds one and a gap is seen."""
    assert [code.code for code in CODES] == sorted(code.code for code in CODES)


@EVERY
def test_a_code_is_written_as_the_docs_promise(code: Code) -> None:
    """T and three digits; a name for `# allow`; a summary that reads on in a sentence."""
    assert re.fullmatch(r"T\d{3}", code.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.name)
    assert not code.summary.endswith(".")
    assert code.why.endswith(".")


@OF_CHECKS
def test_the_wrong_example_has_the_fault(code: Code) -> None:
    """What a page calls wrong gives that code, and nothing that is as grave and not meant."""
    found = check_text(code.wrong).diagnostics

    assert code.code in [diagnostic.code.code for diagnostic in found]
    others = [d for d in found if d.code is not code and d.severity is Severity.ERROR]
    assert others == []


@OF_CHECKS
def test_the_right_example_is_right(code: Code) -> None:
    """What a page calls right gives no error and no warning, and compiles."""
    checked = check_text(code.right)

    assert [d.code.code for d in checked.diagnostics if d.severity > Severity.NOTE] == []
    assert code.code not in codes_of(code.right)
    assert checked.plan is not None


@EVERY
def test_a_page_prints_on_a_terminal(code: Code) -> None:
    """`terse explain T201` is whole, and no line of prose is wider than a terminal."""
    page = render(code)

    assert page.startswith(f"{code.code} {code.name} (")
    assert all(len(line) <= 80 for line in page.splitlines() if not line.startswith("    "))
    assert "Wrong:" in page
    assert "Right:" in page
