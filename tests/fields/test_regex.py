"""Regexes of rules: they mean what they mean to `re`, and no line takes them long."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.fields.regex import Refused, Regex, compiled

ATOMS = ["a", "b", "X", r"\d", r"\w", r"\s", r"\W", ".", "[a-c]", "[^ab]", "é", r"\.", "ß", r"[\d_-]", "K"]
MARKS = ["^", "$", r"\b", r"\B", r"\A", r"\Z"]


def _regexes() -> st.SearchStrategy[str]:
    parts = st.sampled_from(ATOMS + MARKS)
    return st.recursive(
        parts,
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=4).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,3}"])).map(
                lambda pair: f"(?:{pair[0]}){pair[1]}"
            ),
            inner.map(lambda text: f"(?i:{text})"),
        ),
        max_leaves=8,
    )


# Of the empty line Python changed its mind about `\B` (3.14), and so lines here have a character.
LINES = st.text(st.sampled_from("abcxXK_9 .é\u212aßs-"), min_size=1, max_size=10)


@given(_regexes(), LINES)
def test_a_regex_is_found_where_python_finds_it(regex: str, line: str) -> None:
    """What `re.search` finds is found, and nothing else."""
    assert Regex(regex).found_in(line) == (re.search(regex, line) is not None)


@pytest.mark.parametrize(
    ("regex", "line", "found"),
    [
        (r"^\s*(DEBUG|TRACE)\b", "  DEBUG started", True),
        (r"^\s*(DEBUG|TRACE)\b", "INFO DEBUG", False),
        ("error|fatal", "a fatal one", True),
        ("(?i)ERROR", "error", True),
        ("^$", "", True),
        ("failed$", "it failed", True),
    ],
)
def test_regexes_of_rules(regex: str, line: str, found: bool) -> None:
    """The regexes people write in rules do what they look like."""
    assert compiled(regex).found_in(line) is found


@pytest.mark.parametrize("regex", [r"(\w+\s?)*failed", "(a|a)*b", r"(.*)*\d", r"\s+$", "(x+x+)+y"])
def test_no_line_takes_long(regex: str) -> None:
    """Regexes that take Python's engine for ever on a line made for them end here."""
    for character in "a x":
        compiled(regex).found_in(character * 50_000)


@pytest.mark.parametrize(
    ("regex", "part"),
    [
        (r"(a)\1", r"\1"),
        ("(?P<n>a)(?P=n)", "(?P="),
        ("foo(?=bar)", "(?="),
        ("(?<!a)b", "(?<!"),
        ("a++b", "++"),
        ("(?>ab)", "(?>"),
        ("(a)?(?(1)b|c)", "(?("),
    ],
)
def test_what_cannot_be_linear_is_refused_and_marked(regex: str, part: str) -> None:
    """A refusal names the part that is meant."""
    with pytest.raises(Refused) as refusal:
        Regex(regex)

    assert regex[refusal.value.start : refusal.value.end] == part
    assert refusal.value.is_regex


@pytest.mark.parametrize("regex", ["(", "[a", "*", "a{3,2}", r"\q", "((((" * 500])
def test_what_is_no_regex_is_said_to_be_none(regex: str) -> None:
    """A text that `re` does not read is refused as such."""
    with pytest.raises(Refused) as refusal:
        Regex(regex)

    assert not refusal.value.is_regex


@pytest.mark.parametrize("regex", ["x" * 5000, "(a{100}){100}", "(?:a{0,90}){0,90}"])
def test_a_regex_has_a_size(regex: str) -> None:
    """What would take much memory is refused before it does."""
    with pytest.raises(Refused):
        Regex(regex)


@given(st.text(max_size=30))
def test_any_text_is_a_regex_or_refused(text: str) -> None:
    """Whatever stands between the slashes, the answer is a regex or a refusal."""
    with suppress(Refused):
        Regex(text).found_in("a line of text")
