"""tests/format/folds: pairs of a folded text and its original, and texts that only look like folded ones.

They are for other implementations too: read `NAME.folded.txt`, compare with `NAME.original.txt`, every byte.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from terse.folds.forms import NotFolded, unfold

FOLDER = Path(__file__).parent.parent / "format" / "folds"
PAIRS = sorted(path.name.removesuffix(".folded.txt") for path in FOLDER.glob("*.folded.txt"))
REFUSED = sorted(path.name.removesuffix(".refused.txt") for path in FOLDER.glob("*.refused.txt"))


def _read(name: str) -> str:
    return (FOLDER / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", PAIRS)
def test_a_folded_text_stands_for_its_original(name: str) -> None:
    """What the file says folded is the original, every byte of it."""
    assert unfold(_read(f"{name}.folded.txt")) == _read(f"{name}.original.txt")


@pytest.mark.parametrize("name", REFUSED)
def test_a_text_that_is_not_exactly_a_form_is_refused(name: str) -> None:
    """A text with one fault is no folded text."""
    with pytest.raises(NotFolded):
        unfold(_read(f"{name}.refused.txt"))


def test_there_are_pairs() -> None:
    """The folder is there, with a pair for each fold and more."""
    assert len(PAIRS) > 30
    assert len(REFUSED) > 10
