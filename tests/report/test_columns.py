"""Columns of a terminal: wide characters, and characters that nobody sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.hidden import HIDDEN, visible
from terse.report import columns


@given(st.text())
def test_what_is_shown_can_be_seen(text: str) -> None:
    """No control, no mark of direction, nothing without width: escapes, and all else as it is."""
    shown = visible(text)

    assert shown.isprintable()
    assert not HIDDEN.search(shown)
    if text.isprintable() and not HIDDEN.search(text):
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\u3164b", "a\\u3164b"),
        ("a\ufe0fb", "a\\ufe0fb"),
        ("a\xa0b", "a\\xa0b"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("été 日本 😀", "été 日本 😀"),
    ],
)
def test_hidden_characters_are_escapes(text: str, shown: str) -> None:
    """Also those that Python calls printable: fillers and variation selectors are no letters to a reader."""
    assert visible(text) == shown


@given(st.text())
def test_a_text_of_columns_is_as_long_as_it_is_wide(text: str) -> None:
    """What lays out by characters lays out by columns, and gives the text back."""
    shown = visible(text)
    wide = columns.widened(shown)

    assert columns.narrowed(wide) == shown
    assert len(wide) >= columns.cells(shown)
    assert columns.cells(columns.left(shown, 40)) == max(40, columns.cells(shown))
