"""The pages of codes that `fmt` and `test` find: their examples are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.diagnostic import Code
from terse.language.codes import CODES
from tests.cli.conftest import Terse
from tests.language.example import split

ARGUMENTS = {
    "fmt": ("fmt", "--check", "main.terse"),
    "test": ("test", "main.terse"),
    "test --coverage": ("test", "main.terse", "--coverage", "--output", "github"),
}


@pytest.mark.parametrize(
    "code", [code for code in CODES if code.found_by in ARGUMENTS], ids=lambda code: code.code
)
def test_the_examples_of_a_page_hold(terse_here: Terse, tmp_path: Path, code: Code) -> None:
    """The wrong file gives the code, the right one does not, and both check."""
    sample = tmp_path / "samples" / "github" / "list_issues" / "open.json"
    sample.parent.mkdir(parents=True)
    sample.write_text('[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]')
    found = []
    for text in (code.wrong, code.right):
        for path, data in split(text).items():
            (tmp_path / path).write_bytes(data)
        assert terse_here("check", "main.terse", "--fail-on", "warning").returncode == 0
        found.append(terse_here(*ARGUMENTS[code.found_by]).stdout.decode())

    assert code.code in found[0]
    assert code.code not in found[1]
