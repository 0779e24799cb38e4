"""The first sentence of a description ends where a reader would say that it ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.listing.sentence import first_sentence


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Lists issues. Newest first.", "Lists issues."),
        ("Use e.g. this tool. Second.", "Use e.g. this tool."),
        ("Version 1.2.3 of it. More.", "Version 1.2.3 of it."),
        ("Works since v1.2. More.", "Works since v1.2."),
        ("Read a file (v2.0). Then close it.", "Read a file (v2.0)."),
        ("Get https://a.b/c.html?d=e.f or fail. Then.", "Get https://a.b/c.html?d=e.f or fail."),
        ("Ask Dr. Smith, i.e. Anna. Then go.", "Ask Dr. Smith, i.e. Anna."),
        ("By J. Smith. And others.", "By J. Smith."),
        ("See no. 5 of it. Then go.", "See no. 5 of it."),
        ("The answer is no. Then go.", "The answer is no."),
        ("Opens index.html. Then go.", "Opens index.html."),
        ("Do (see a. B) it. Next.", "Do (see a. B) it."),
        ("Run `a. B` now. Next.", "Run `a. B` now."),
        ('Say "hello." Then go.', 'Say "hello."'),
        ("Hi! There.", "Hi!"),
        ("Lists a\n   thing over lines.\nMore text.", "Lists a thing over lines."),
        ("One line\n\nAnother.", "One line"),
        ("Takes these:\n- a. b\n- c", "Takes these:"),
        ("Adds two numbers\n\nArgs:\n    a: one.", "Adds two numbers"),
        ("Adds two numbers\nArgs:\n    a: one.", "Adds two numbers"),
        ("# Search\nFinds things.", "Search"),
        ("一つ目。二つ目。", "一つ目。"),
        ("No end here", "No end here"),
        ("  ", ""),
    ],
)
def test_where_it_ends(text: str, first: str) -> None:
    """A full stop of a name, a number, an address or an abbreviation is no end."""
    assert first_sentence(text) == first


@given(st.text(alphabet="aB.!? \n(`-e.g1", max_size=60))
def test_it_is_the_beginning_of_the_text(text: str) -> None:
    """It has no word that the text does not begin with, and taking it twice changes nothing."""
    first = first_sentence(text)

    assert " ".join(text.split()).startswith(first)
    assert first_sentence(first) == first
