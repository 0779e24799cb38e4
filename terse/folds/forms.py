"""Every form of folded text, in one explicit tuple."""

from __future__ import annotations

from terse.folds import (
    blocks,
    columns,
    commits,
    edges,
    headings,
    history,
    lists,
    numbering,
    padding,
    patterns,
    references,
    rows,
    runs,
    samples,
    tree,
)
from terse.folds.frame import Form, NotFolded, unfolded

FORMS: tuple[Form, ...] = (
    runs.FORM,
    *tree.FORMS,
    commits.FORM,
    samples.FORM,
    padding.FORM,
    references.FORM,
    numbering.FORM,
    history.FORM,
    lists.FORM,
    edges.FORM,
    headings.FORM,
    rows.FORM,
    rows.NAMED,
    columns.FORM,
    blocks.FORM,
    patterns.NAMED,
    patterns.UNNAMED,
)


def unfold(text: str) -> str:
    """The text that was folded.

    Raises:
        NotFolded: `text` is no folded text, or not exactly one.
    """
    return unfolded(text, FORMS)


__all__ = ["FORMS", "NotFolded", "unfold"]
