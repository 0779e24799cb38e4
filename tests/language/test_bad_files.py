"""A smallest failing file for each code, and how its finding is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from terse.diagnostic import Code
from terse.language.codes import CODES
from terse.report import text
from tests.language.example import check_text

BAD = Path(__file__).parent.parent / "bad"
OF_CHECK = [code for code in CODES if code.found_by == "check"]
EACH = pytest.mark.parametrize("code", OF_CHECK, ids=lambda code: code.code)


def _file(code: Code) -> str:
    return (BAD / f"{code.code}-{code.name}.terse").read_bytes().decode("utf-8", "surrogateescape")


def test_there_is_a_bad_file_for_each_code_and_no_other() -> None:
    """Every code has its file, and no file is left of a code that is gone."""
    assert {path.name for path in BAD.glob("*.terse")} == {f"{c.code}-{c.name}.terse" for c in OF_CHECK}


@EACH
def test_the_file_is_the_one_on_the_code_s_page(code: Code) -> None:
    """A reader of the page and a reader of the tests see the same file."""
    assert _file(code) == code.wrong.lstrip("\n")


@EACH
def test_a_finding_is_told_once_and_printed_for_people(
    code: Code, golden: Callable[[str, str], None]
) -> None:
    """One cause, one message, on at most 80 columns."""
    found = [d for d in check_text(_file(code)).diagnostics if d.code is code or d.code.code != "T208"]

    assert [d.code.code for d in found] == [code.code]
    rendered = text.render(found)
    assert max(map(len, rendered.splitlines())) <= 80
    golden(f"diagnostics/{code.code}-{code.name}.txt", rendered)
