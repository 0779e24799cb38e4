"""Notes in a result, and data that looks like one."""

from __future__ import annotations

import pytest

from terse.fields.marks import Marks


def test_the_wording() -> None:
    """One wording for all notes; a handle is fetched by the name of the tool."""
    marks = Marks("any text")

    assert marks.aside("4,110 characters", "h482913007") == (
        "[4,110 characters set aside: terse_retrieve h482913007]"
    )
    assert marks.aside("37 lines") == "[37 lines set aside]"
    assert marks.removed("120 lines") == "[120 lines removed]"


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        ("nothing of the kind", "[1 line removed]"),
        ("the file was removed [see above]", "[1 line removed]"),
        ("[1 line removed]", "[[1 line removed]]"),
        ("x [[4 rows set aside: terse_retrieve h123456789]] y", "[[[1 line removed]]]"),
        ("[a] [2 lines removed] [[[b]]]", "[[1 line removed]]"),
    ],
)
def test_ours_open_with_more_brackets_than_the_data(received: str, expected: str) -> None:
    """A result that quotes notes of ours comes through as it is, and our own notes are told from them."""
    assert Marks(received).removed("1 line") == expected
