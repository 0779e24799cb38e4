"""The specification of the folded forms says what the program does: its examples are executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from terse.folds.forms import FORMS, unfold

PAGE = (Path(__file__).parent.parent.parent / "docs" / "format-text.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(
    r"^```text\n([^`]*?)^```\n\nbecomes[^\n]*\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
EXAMPLES = _EXAMPLE.findall(PAGE)


@pytest.mark.parametrize(("text", "folded"), EXAMPLES, ids=lambda each: each.split("\n", 1)[0][:40])
def test_an_example_reads_back(text: str, folded: str) -> None:
    """What the page shows as folded is a form, and stands for what the page shows before it."""
    assert unfold(folded) == text


def test_every_form_has_a_chapter_and_an_example() -> None:
    """No form is written that the page does not specify."""
    shown = {phrase for _, folded in EXAMPLES for phrase in folded.partition("\n")[0][:-1].split("; ")[1:]}

    for form in FORMS:
        assert form.phrase in PAGE or form.name == "tree"
    assert {form.name for form in FORMS if form.phrase in shown} == {form.name for form in FORMS}
