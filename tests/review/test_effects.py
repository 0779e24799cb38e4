"""`terse check --samples`: what running a policy on its samples shows."""

from __future__ import annotations

import pytest

from terse.diagnostic import Code
from terse.language import check
from terse.language.codes import CODES
from terse.review.effects import effects
from terse.tokens import vocabulary
from tests.language.example import MAIN, Files, split

OF_SAMPLES = pytest.mark.parametrize(
    "code", [code for code in CODES if code.found_by == "check --samples"], ids=lambda code: code.code
)


def _effects(text: str) -> list[str]:
    files = Files(split(text))
    checked = check([MAIN], reader=files)
    assert checked.plan is not None
    return [found.code.code for found in effects(checked, files, vocabulary())]


@OF_SAMPLES
def test_the_wrong_example_has_the_fault(code: Code) -> None:
    """What a page calls wrong gives that code, and nothing else."""
    assert _effects(code.wrong) == [code.code]


@OF_SAMPLES
def test_the_right_example_is_right(code: Code) -> None:
    """What a page calls right gives nothing."""
    assert _effects(code.right) == []


def test_steps_of_the_built_in_chain_need_no_effect() -> None:
    """`compact` has steps for everything, and of one result most find nothing to do."""
    text = (
        "terse 1\nrule a {\n  on s/t\n  use compact\n}\n"
        '=== samples/s/t/one.json ===\n{"title": "⟨A long title × 60⟩"}\n'
    )

    assert _effects(text) == []


def test_without_samples_there_is_nothing_to_say() -> None:
    """No folder, or one for tools that no rule is for."""
    assert _effects("terse 1\nrule a {\n  on s/t\n  use minify\n}\n") == []
    other = "terse 1\nrule a {\n  on s/t\n  use minify\n}\n=== samples/x/y/one.json ===\n{}\n"
    assert _effects(other) == []
