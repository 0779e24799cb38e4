"""What folds are told of a text: of this text and no other, and no more of it than they may look at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from terse.tiers.survey import FIRST_ASKED, SAMPLE_CHARACTERS, SAMPLE_LINES, Survey, survey

LONG = "a line of a long text\n" * 2000


@given(
    st.lists(
        st.tuples(st.sampled_from(("", "a\nb", "a\nb\n", "x", LONG, LONG + "x", LONG[1:])), st.integers(0, 2))
    )
)
def test_the_survey_is_of_the_text_that_was_asked_for(asked: list[tuple[str, int]]) -> None:
    """Whatever was asked before: the lines, the kind and the sample are those of this text from there on."""
    for text, start in asked:
        start = min(start, len(text))
        seen, alone = survey(text, start), Survey(text, start)

        assert (seen.sample, seen.lines, seen.kind) == (alone.sample, alone.lines, alone.kind)
        assert (seen.whole and seen.whole.text) == (alone.whole and alone.whole.text)


def test_a_long_text_is_looked_at_in_part() -> None:
    """The beginning of a long text is all that is kept of it, and its lines are whole."""
    seen = Survey(LONG)

    assert len(seen.sample) == SAMPLE_CHARACTERS
    assert seen.whole is None
    assert len(seen.lines) == SAMPLE_LINES
    assert set(seen.lines) == {"a line of a long text"}


def test_a_short_text_is_there_as_a_whole() -> None:
    """The lines of a short text are all of its lines, with what ended them."""
    whole = Survey("a\r\nb\r\n").whole

    assert whole is not None
    assert whole.text == "a\r\nb\r\n"
    assert whole.lines == ["a", "b"]


def test_the_share_of_lines() -> None:
    """Empty lines do not count; where none of those asked first holds, the others are not asked."""
    asked: list[str] = []

    def never(line: str) -> bool:
        asked.append(line)
        return False

    assert Survey("a\n\nb\n\nc\n\nd\n").share("ab".__contains__) == 0.5
    assert Survey("").share(never) == 0
    assert Survey("\n".join(map(str, range(150)))).share(never) == 0
    assert len(asked) <= FIRST_ASKED
