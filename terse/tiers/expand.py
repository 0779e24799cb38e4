"""Any emitted form back."""

from __future__ import annotations

from terse.folds.forms import NotFolded, unfold
from terse.layout.read import read_text
from terse.layout.strict import NotLayout


def expand(text: str) -> str:
    """The text that an emitted text stands for: of a layout, the JSON document as compact JSON; of a folded
    text, the text itself.

    A text that is no form of ours comes back as it is.
    """
    try:
        return unfold(text)
    except NotFolded:
        pass
    try:
        return read_text(text)
    except NotLayout:
        return text
