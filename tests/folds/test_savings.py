"""What the folds bring on texts as programs print them, and what they leave alone."""

from __future__ import annotations

from random import Random

import pytest

from terse.folds import blocks, runs
from terse.tiers import BY_NAME
from terse.tiers.folding import Step, text_tier, written_in
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State
from tests.folds.shapes import DIFF, FOLDED, SOURCE
from tests.folds.test_exact import COUNT, FOLDS, folded

LITTLE = {"fold-columns, packages": 0.10}
"""Kinds of which a seventh cannot be expected: two short columns are mostly what they say."""


@pytest.mark.parametrize("kind", sorted(FOLDED))
def test_a_seventh_is_saved(kind: str) -> None:
    """Listings, hits, logs, blames, tables, traces: at least 15 % of the tokens, the mark line counted."""
    text = FOLDED[kind](Random(7))

    assert COUNT(folded(text, FOLDS).text) <= COUNT(text) * (1 - LITTLE.get(kind, 0.15))


@pytest.mark.parametrize("kind", sorted(FOLDED))
def test_the_fold_for_a_text_takes_it(kind: str) -> None:
    """Each fold works on its own on the texts that it is for."""
    tier = BY_NAME[kind.partition(",")[0]]

    result = tier.run(Draft(State.TEXT, FOLDED[kind](Random(7))), {}, Context(COUNT))

    assert isinstance(result, Applied)


@pytest.mark.parametrize("text", [SOURCE, DIFF, SOURCE * 3], ids=["source", "diff", "repeated source"])
def test_source_and_diffs_are_left_alone(text: str) -> None:
    """What an agent quotes in its next edit reaches it as it stands."""
    assert folded(text, FOLDS).text == text


def test_an_error_among_other_lines_stays_as_it_stands() -> None:
    """The one line of a log that says what failed is there word for word."""
    text = FOLDED["fold-log"](Random(7))
    (error,) = (line for line in text.split("\n") if " ERROR " in line)

    shown = folded(text, FOLDS).text

    assert error.partition("ERROR")[2] in shown


def test_line_numbers_stay() -> None:
    """Numbers that an agent cites stand at their lines: of hits, of a blame, of findings."""
    hits = folded(FOLDED["fold-hits"](Random(7)), FOLDS).text
    blame = folded(FOLDED["fold-blame"](Random(7)), FOLDS).text

    assert "\n80) value_80" in blame or " 80) value_80" in blame
    assert all(line[0].isdigit() or line.endswith("…") for line in hits.split("\n")[1:-1])


def test_prose_is_left_alone() -> None:
    """Sentences have no shape to fold."""
    words = Random(7).choices(
        ["the", "order", "was", "paid", "by", "a", "customer", "from", "Bergen", "twice"], k=900
    )
    text = "\n".join(" ".join(words[at : at + 12]) for at in range(0, 900, 12))

    assert folded(text, FOLDS).text == text


def test_pieces_that_promise_too_much_do_not_decide() -> None:
    """What is best on the pieces that are tried, and bad on the rest, gives way to the next best."""
    block = [f"  step {number} of the nightly run waits for the database" for number in range(3)]
    text = "\n".join(["start", *block, "end"] * 200)

    def on_pieces_alone(lines: list[str]) -> Step | None:
        return (runs.FORM, ["start"]) if len(lines) <= 300 else (runs.FORM, lines)

    def anywhere(lines: list[str]) -> Step | None:
        return written_in(blocks.FORM, blocks.fold(lines))

    tier = text_tier(
        name="fold-example",
        sentence="",
        reads="",
        fits=lambda seen: True,
        paths=lambda context: [(on_pieces_alone,), (anywhere,)],
        example=Example("", ""),
        missing="",
    )

    result = tier.run(Draft(State.TEXT, text), {}, Context(COUNT))

    assert isinstance(result, Applied)
    assert blocks.FORM.phrase in result.draft.text.partition("\n")[0]


def test_a_very_long_text_waits_for_no_fold() -> None:
    """A long text is tried on pieces of it; with the time used up the fold stops there."""
    text = FOLDED["fold-hits"](Random(7)) * 1500

    result = BY_NAME["fold-hits"].run(Draft(State.TEXT, text), {}, Context(COUNT, lambda: True))

    assert len(text) > 5_000_000
    assert result == Skip("no time left")


def test_a_fold_that_pays_is_finished() -> None:
    """With the time used up by the trial, a text of bearable length is still folded."""
    text = "".join(FOLDED["fold-log"](Random(seed)) for seed in range(30))

    result = BY_NAME["fold-log"].run(Draft(State.TEXT, text), {}, Context(COUNT, lambda: True))

    assert isinstance(result, Applied)


def test_a_long_text_folds_like_a_short_one() -> None:
    """Long texts are tried on two pieces and then folded whole."""
    text = "".join(FOLDED["fold-log, access"](Random(seed)) for seed in range(60))

    draft = folded(text, FOLDS)

    assert len(draft.text) < len(text) * 0.6
