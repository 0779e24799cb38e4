"""The frame of a folded text: lines as they were, one mark line, and nothing taken for ours that is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.folds.forms import FORMS, unfold
from terse.folds.frame import Folded, Lines, NotFolded, Room

ANY_TEXT = st.text(st.sampled_from("ab \t\r\n\x00\u2028…\ud800é{}"), max_size=40)


@given(ANY_TEXT)
def test_lines_are_the_text(text: str) -> None:
    """Whatever ends the lines, and whether the last one ends: the lines give the same characters back."""
    assert Lines.of(text).text == text


def test_carriage_returns_leave_the_lines_when_all_have_them() -> None:
    """A text with CRLF throughout has lines without; one stray line feed, and they are part of the lines."""
    assert Lines.of("a\r\nb\r\n") == Lines(["a", "b"], crlf=True, ended=True)
    assert Lines.of("a\r\nb") == Lines(["a", "b"], crlf=True, ended=False)
    assert Lines.of("a\r\nb\n").lines == ["a\r", "b"]


def test_phrases_are_told_apart() -> None:
    """Each form has a phrase of its own, which can stand in the mark line."""
    phrases = [form.phrase for form in FORMS]

    assert len(set(phrases)) == len(phrases)
    assert not any("; " in phrase or "]" in phrase[-1:] or "\n" in phrase for phrase in phrases)


FOLDED = "[terse: 3 lines; a line ending in … starts those below]\nsrc/app.py:…\n1:a\n2:b\n3:c\n"


def test_a_folded_text_comes_back() -> None:
    """The mark line says how; the lines come back as they were."""
    assert unfold(FOLDED) == "src/app.py:1:a\nsrc/app.py:2:b\nsrc/app.py:3:c\n"
    assert unfold(FOLDED.replace(" lines", " CRLF lines")) == unfold(FOLDED).replace("\n", "\r\n")
    assert unfold(FOLDED[:-1]) == unfold(FOLDED)[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "src/app.py…\n:1:a\n",
        FOLDED.replace("3 lines", "4 lines"),
        FOLDED.replace("3 lines", "03 lines"),
        FOLDED.replace("3 lines", "3 line"),
        FOLDED.replace("starts those", "begins those"),
        FOLDED.replace("]\n", "] \n"),
        FOLDED.replace("[terse", " [terse"),
        FOLDED.replace("; a line", ";  a line"),
        FOLDED.replace("; a line", "; a line ending in … starts those below; a line"),
        "[terse: 3 lines; a line ending in … starts those below]",
        "[terse: 1 line; a line ending in … starts those below]\nsrc/app.py:…\n",
    ],
)
def test_what_only_looks_like_a_form_is_none(text: str) -> None:
    """A wrong count, an unknown phrase, a missing line: not a form, and `unfold` says so."""
    with pytest.raises(NotFolded):
        unfold(text)


def test_a_folded_text_can_hold_a_mark_line() -> None:
    """A text that starts with a mark line of ours, folded once more, comes back with it."""
    inner = FOLDED.splitlines()
    outer = Folded(
        len(inner) + 5, False, True, ("[×6] says how often the line above stands there",), [*inner, "[×6]"]
    )

    assert unfold(outer.text) == "\n".join([*inner, *inner[-1:] * 5]) + "\n"


def test_a_small_text_cannot_fill_the_memory() -> None:
    """A form that would grow beyond all bounds is refused before it is written out."""
    bomb = (
        "[terse: 900000000 lines; [×6] says how often the line above stands there]\n"
        + "x" * 1000
        + "\n[×900000000]\n"
    )

    with pytest.raises(NotFolded):
        unfold(bomb)
    with pytest.raises(NotFolded):
        Room(10).take(20)
