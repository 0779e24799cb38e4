"""What `terse tune` prints of facts that are given: for people, for a pull request, for programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from terse.report import tuned_json, tuned_markdown, tuned_text
from terse.report.tuned import Edit, Measured, Proposal, Tuned
from terse.tuning.patch import patch

PATH = "policies/rules.terse"
FILES = {
    PATH: (
        "terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n",
        "terse 1\n\nrule everything {\n  on */*\n  use compact\n}\n",
    )
}
CHAIN = Proposal(
    "chain",
    "the chain of rule everything leaves out steps that make these results smaller",
    "everything",
    tuple(f"tracker/tool_{number}" for number in range(8)),
    (Edit(PATH, ("use minify",), ("use compact",)),),
    Measured(40, 30, 10_000, 8_000, 2_000),
    Measured(38, 1, 9_000, 7_500, 1_400),
    None,
    "nothing",
    "lossless",
    "lossless",
)
ASIDE = Proposal(
    "set aside",
    'issues.body is most of what tracker/"odd | `name`" gives, and can be fetched where it is needed',
    "tracker-odd",
    ('tracker/"odd | `name`"',),
    (Edit(PATH, (), tuple(f"line {number}" for number in range(15))),),
    Measured(40, 40, 10_000, 1_000, 9_000),
    None,
    None,
    "nothing for good: what is set aside is one call away",
    "lossless",
    "recoverable",
    aside=120,
    fetched="never set aside so far: whether it is fetched is not known",
    pays_up_to=93,
)
BACK = Proposal(
    "taken back",
    "what rule logs sets aside of text is mostly fetched, and then paid twice",
    "logs",
    ("tracker/logs",),
    (Edit(PATH, ("set aside text",), ()),),
    Measured(16, 16, 352, 3_056, 176),
    Measured(1, 1, 22, 191, 11),
    None,
    "nothing",
    "recoverable",
    "exact",
    aside=-32,
    fetched="32 of 32 values were fetched in the captured sessions",
)
REMOVE = Proposal(
    "remove",
    "these members are the same in every result",
    "everything",
    ("tracker/list",),
    (Edit(PATH, (), ("remove kind",)),),
    Measured(40, 40, 1_000, 900, 100),
    Measured(40, 40, 1_000, 900, 100),
    None,
    "removed: nobody can fetch it",
    "lossless",
    "lossy",
    lost=260,
)
LIST = Proposal(
    "list of tools",
    "the list of tools of tracker/* says much that means nothing to a model",
    "",
    (),
    (Edit(PATH, (), ("tools tracker/* {", "compress low", "}")),),
    None,
    None,
    (192, 88),
    "nothing of a result",
    "exact",
    "exact",
)
ALL = Tuned(
    "policies",
    *(12_345, 9, 1, 412, 20),
    (CHAIN, ASIDE, BACK, REMOVE, LIST),
    Measured(200, 120, 20_000, 12_000, 7_500),
    41_000,
    FILES,
    patch(FILES),
    ("left out: day.jsonl:3: no \x1b[31m object",),
)
RENDERERS = {
    "text": tuned_text.render,
    "markdown": tuned_markdown.render,
    "json": tuned_json.render,
}


@pytest.mark.parametrize("output", RENDERERS)
def test_what_is_read(output: str, golden: Callable[[str, str], None]) -> None:
    """Each kind of evidence, in each output."""
    golden(f"tune/{output}.txt", RENDERERS[output](ALL))


@pytest.mark.parametrize("output", RENDERERS)
def test_nothing_to_propose_is_said(output: str) -> None:
    """Whoever asks gets an answer."""
    nothing = Tuned("policies", 1, 1, 1, 1, 0, (), Measured(1, 0, 5, 5, 0), 5)

    said = RENDERERS[output](nothing)
    assert "Nothing to propose." in said or '"proposals": []' in said


def test_what_captures_hold_does_not_move_a_cursor() -> None:
    """Names and notes are shown with what a terminal would obey written out."""
    said = tuned_text.render(ALL).partition("diff --git")[0]

    assert "\x1b" not in said
    assert "\\x1b[31m" in said
