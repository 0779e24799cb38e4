"""Weighing texts: each counted once, long ones by samples where the difference is plain."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.plan.scale import LONG, Scale
from terse.plan.trace import NOT_COUNTED, StepStatus
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.plan.plans import RECORDS, outcome, rule, same_document


class Counter:
    """Counts, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> int:
        self.asked.append(text)
        return vocabulary().count(text)


@given(one=st.text(max_size=40), other=st.text(max_size=40))
def test_short_texts_are_compared_exactly(one: str, other: str) -> None:
    """The steps of nearly every result rest on exact counts."""
    scale = Scale(vocabulary().count, tells_all=False)

    assert scale.is_smaller(one, other) is (vocabulary().count(one) < vocabulary().count(other))
    assert scale.is_under(one, 5) is (vocabulary().count(one) < 5)


def test_a_text_is_counted_once() -> None:
    """Whoever asks, and however often."""
    counter = Counter()
    scale = Scale(counter, tells_all=True)
    for _ in range(3):
        scale.count("some words")
        scale.is_smaller("some words", "some more words")
        scale.known("some words")

    assert len(counter.asked) == len(set(counter.asked))
    assert "some words" in counter.asked


def test_how_far_a_text_reaches_is_exact_and_counts_nothing_twice() -> None:
    """Asked for ever more, and for all of it in the end."""
    text = "\n".join(f"line {number} of a text, {number * 7919}" for number in range(2_000))
    tokens = vocabulary().count(text)
    counter = Counter()
    scale = Scale(counter, tells_all=False)

    reached = [scale.reaches(text, wanted) for wanted in (1, 200, 201, tokens // 2)]
    assert reached == [True] * 4
    assert len("".join(counter.asked)) < 0.7 * len(text)
    assert scale.count(text) == tokens
    assert "".join(counter.asked) == text
    assert scale.reaches(text, tokens)
    assert not scale.reaches(text, tokens + 1)
    assert "".join(counter.asked) == text


@given(text=st.text(max_size=60) | st.just("words 12\n" * 900), wanted=st.lists(st.integers(0, 3000)))
def test_whether_a_text_reaches_so_many_tokens_is_what_its_count_says(text: str, wanted: list[int]) -> None:
    """In whatever order it is asked, and whether it was counted before or not."""
    scale = Scale(vocabulary().count, tells_all=False)
    tokens = vocabulary().count(text)

    assert [scale.reaches(text, each) for each in wanted] == [tokens >= each for each in wanted]
    assert scale.count(text) == tokens


def test_a_trace_without_detail_tells_what_is_known() -> None:
    """Nothing is counted only to be told."""
    counter = Counter()
    scale = Scale(counter, tells_all=False)
    scale.count("known")

    assert scale.known("known") == 1
    assert scale.known("unknown") == NOT_COUNTED
    assert counter.asked == ["known"]


def _records(number: int, link: str) -> str:
    rows = [
        {"id": each * 7919, "link": f"{link}{each}", "note": f"note {each % 91}"} for each in range(number)
    ]
    return json.dumps(rows, separators=(",", ":"))


LONGER = _records(9000, "https://example.com/a/long/way/to/")


@pytest.mark.parametrize(
    ("text", "smaller"),
    [(_records(9000, "https://example.com/"), True), (LONGER[: len(LONGER) // 2], True), (LONGER * 2, False)],
)
def test_plain_differences_of_long_texts_are_seen_in_samples(text: str, smaller: bool) -> None:
    """The answer is that of exact counts, and no text was counted whole."""
    assert len(LONGER) > LONG
    counter = Counter()

    assert Scale(counter, tells_all=False).is_smaller(text, LONGER) is smaller
    assert smaller is (vocabulary().count(text) < vocabulary().count(LONGER))
    assert LONGER not in counter.asked


def test_close_long_texts_are_counted() -> None:
    """Where samples could be wrong, the exact counts decide."""
    close = LONGER.replace("note 7", "note")
    counter = Counter()

    assert Scale(counter, tells_all=False).is_smaller(close, LONGER)
    assert not Scale(counter, tells_all=False).is_smaller(LONGER, close)
    assert LONGER in counter.asked


def test_what_is_sent_is_counted_exactly() -> None:
    """A long result and its original have exact counts in the trace; detail changes nothing but the trace."""
    short = outcome(rule(chain=RECORDS), LONGER, detail=False)
    long = outcome(rule(chain=RECORDS), LONGER, detail=True)

    assert short.text == long.text
    assert same_document(expand(short.text), LONGER)
    assert short.trace.tokens_in == long.trace.tokens_in == vocabulary().count(LONGER)
    assert short.trace.tokens_out == long.trace.tokens_out == vocabulary().count(short.text)
    told = [step for step in long.trace.steps if step.status is StepStatus.APPLIED]
    assert told
    assert all(step.tokens_after < step.tokens_before for step in told)
