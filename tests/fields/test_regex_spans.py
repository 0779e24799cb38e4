"""Where a regex is found in a line: what redaction takes out."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.fields.regex import MAX_STEPS, Regex

REGEXES = (r"ab+", r"a|b", r"(ab|a)(c|bcd)", r"\bab\b", r"^a", r"b$", r"a.c", r"(a+)+b", r"[ab]{2,3}")


@pytest.mark.parametrize("text", REGEXES)
@given(line=st.text(alphabet="abcd ", max_size=30))
def test_the_first_place_is_that_of_re(text: str, line: str) -> None:
    """It begins where Python's own engine finds it, is at least as long, and there is no other."""
    regex, theirs = Regex(text), re.search(text, line)
    spans = regex.spans_in(line)

    assert bool(spans) == (theirs is not None) == regex.found_in(line)
    if theirs is not None:
        assert spans[0][0] == theirs.start()
        assert spans[0][1] >= theirs.end()
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_where_telling_places_apart_takes_long_the_rest_is_one() -> None:
    """Each `a` could begin a longer one up to the end of the line: too much is taken, and in linear time."""
    line = "a" * (4 * MAX_STEPS)
    spans = Regex("a|a.*b").spans_in(line)

    assert spans[0] == (0, 1)
    assert spans[-1][1] == len(line)
    assert len(spans) < len(line)
