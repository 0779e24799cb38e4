"""Places in UTF-8, UTF-16 and UTF-32 units lead back to the same character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from terse.editors.positions import Position, offset_of, position_of
from terse.source import Source

TEXTS = st.text(st.sampled_from('ab 🦊é"\n\t\ud83d'), max_size=40)


@given(TEXTS, st.data(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_there_and_back(text: str, data: st.DataObject, encoding: str) -> None:
    """The place of a character is that character's again."""
    source = Source("x.terse", text)
    offset = data.draw(st.integers(0, len(text)))

    assert offset_of(source, position_of(source, offset, encoding), encoding) == offset


@given(TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_places_that_are_not_there(text: str, line: int, character: int) -> None:
    """A place beyond the line or the text is the nearest one, never an error."""
    source = Source("x.terse", text)

    assert 0 <= offset_of(source, Position(line, character)) <= len(text)


def test_a_fox_is_two_units() -> None:
    """Editors count a character beyond the basic plane as two, as UTF-16 does."""
    source = Source("x.terse", "a🦊b")

    assert position_of(source, 2) == Position(0, 3)
    assert position_of(source, 2, "utf-8") == Position(0, 5)
    assert position_of(source, 2, "utf-32") == Position(0, 2)
