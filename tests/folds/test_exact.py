"""What holds for any text: folded or not, it comes back with every character, and never longer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terse.folds.forms import unfold
from terse.folds.frame import NotFolded
from terse.tiers import TIERS
from terse.tiers.expand import expand
from terse.tiers.spec import Applied, Context, Draft, State, Tier
from terse.tokens import vocabulary
from tests.folds.shapes import FOLDED

FOLDS = tuple(tier for tier in TIERS if tier.name.startswith("fold-"))
COUNT = vocabulary().count
SLOW = settings(max_examples=120, suppress_health_check=list(HealthCheck))

MARKS = (
    "…", "……", "--", "", " ", '"', "A", "A x", "A: {} x", "{}", "{>5} {<}", "<1>", "<1: 2 lines>", "[×3]",
    "[last 2 lines ×4]", "[terse: 3 lines; a line ending in … starts those below]", "~/", "@1", "#2 = x",
    "@N = uid=1_N", "[sum]", "commit abc", "right edge at 80", " | ", "--- | ---", ", x", "x…", "…x", "\t",
    "a\r", "\x00", "\u2028", "\ud800", "= {a}", "# a gauge: b",
)  # fmt: skip


def folded(text: str, tiers: Sequence[Tier], count: Callable[[str], int] = COUNT) -> Draft:
    """The text after all the steps that fit it."""
    draft = Draft(State.TEXT, text)
    for tier in tiers:
        result = tier.run(draft, {}, Context(count))
        if isinstance(result, Applied):
            assert count(result.draft.text) < count(draft.text)
            draft = result.draft
    return draft


@st.composite
def mixed(draw: st.DrawFn) -> str:
    """A text of one kind, with lines repeated, damaged, and with marks that look like ours."""
    kind = draw(st.sampled_from(sorted(FOLDED)))
    lines = FOLDED[kind](Random(draw(st.integers(0, 50)))).split("\n")
    start = draw(st.integers(0, max(0, len(lines) - 10)))
    lines = lines[start : start + draw(st.integers(5, 80))]
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines)))
        change = draw(st.sampled_from(("mark", "repeat", "cut", "word", "join")))
        if change == "mark":
            lines.insert(at, draw(st.sampled_from(MARKS)))
        elif change == "repeat":
            lines[at:at] = lines[at : at + draw(st.integers(1, 4))] * draw(st.integers(1, 4))
        elif at < len(lines):
            line = lines[at]
            place = draw(st.integers(0, len(line)))
            if change == "cut":
                lines[at] = line[:place]
            elif change == "word":
                lines[at] = line[:place] + draw(st.sampled_from(MARKS)) + line[place:]
            else:
                lines[at] = line + draw(st.sampled_from((" ", "  ", "…", "\r", ",", '"', "'")))
    end = draw(st.sampled_from(("\n", "\n", "\r\n")))
    return end.join(lines) + draw(st.sampled_from(("", end)))


@SLOW
@given(mixed())
def test_any_text_comes_back(text: str) -> None:
    """All folds in their order, on texts that they are for and on damaged ones: the same characters."""
    assert expand(folded(text, FOLDS).text) == text


@SLOW
@given(mixed(), st.permutations(FOLDS))
def test_any_order_comes_back(text: str, order: list[Tier]) -> None:
    """A chain may name the folds in any order."""
    assert expand(folded(text, order).text) == text


@SLOW
@given(st.lists(st.sampled_from(MARKS), max_size=60).map("\n".join))
def test_text_that_looks_like_ours_comes_back(text: str) -> None:
    """Nothing but marks that look like our own, counted by characters so that every fold may apply."""
    draft = folded(text, FOLDS, len)

    assert draft.text == text or unfold(draft.text) == text


@SLOW
@given(mixed(), st.randoms(use_true_random=False))
def test_a_damaged_form_is_refused_or_read(text: str, random: Random) -> None:
    """A folded text with a line gone, doubled or changed never does worse than not being a form."""
    lines = folded(text, FOLDS).text.split("\n")
    at = random.randrange(len(lines))
    damaged = (
        lines[:at] + lines[at + 1 :],
        [*lines[:at], lines[at], *lines[at:]],
        [*lines[:at], lines[at][: len(lines[at]) // 2], *lines[at + 1 :]],
        [*lines[:at], random.choice(MARKS), *lines[at:]],
    )

    for each in damaged:
        try:
            unfold("\n".join(each))
        except NotFolded:
            assert expand("\n".join(each)) == "\n".join(each)


@pytest.mark.parametrize("kind", sorted(FOLDED))
def test_same_text_same_result(kind: str) -> None:
    """Nothing depends on earlier runs or on the order of a set."""
    text = FOLDED[kind](Random(3))

    assert folded(text, FOLDS).text == folded(str(text), FOLDS).text


ODD = {
    "nothing": "",
    "empty lines": "\n" * 3000,
    "one long line": "a" * 60_000,
    "spaces": ("x" + " " * 900 + "y\n") * 40,
    "digits": "".join(f"{'1' * 3000}{at}\n" for at in range(40)),
    "many words": "".join(" ".join("abcdefg"[at * n % 7] for n in range(900)) + "\n" for at in range(40)),
    "many cells": (",".join(["ab"] * 200) + "\n") * 60,
    "brackets": ("{[(<" * 80 + "\n") * 60,
    "bars": "".join(f"|{'-|' * (at % 9)}\n" for at in range(200)),
    "dots": "…\n" * 500,
    "a word made of words": "a\nb\n" * 3 + "a\n" + "a\nb\n" * 5 + "b\n" * 400,
}  # fmt: skip


@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
def test_odd_texts_come_back(text: str) -> None:
    """Very long lines, nothing but signs, nothing at all: each fold looks at them, and none is wrong."""
    assert expand(folded(text, FOLDS).text) == text
    for tier in FOLDS:
        assert expand(folded(text, (tier,), len).text) == text


_SCRIPT = """
import hashlib, random
from tests.folds.shapes import FOLDED
from tests.folds.test_exact import FOLDS, folded
text = "".join(folded(FOLDED[kind](random.Random(5)), FOLDS).text for kind in sorted(FOLDED))
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_same_text_same_result_in_another_process() -> None:
    """The order in which Python happens to keep a set plays no part."""
    root = Path(__file__).parent.parent.parent
    seeds = ("1", "2")

    results = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in seeds
    }

    assert len(results) == 1
