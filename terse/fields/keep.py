"""`keep`: the values found come out unchanged, whatever else the rule does."""

from __future__ import annotations

from terse.fields.page import Page
from terse.fields.selector import Target
from terse.fields.tree import Tree


def keep(target: Target, subject: Tree | Page) -> int:
    """Protect what the target finds. To be done before any other action.

    Returns:
        how many values or parts of the text there are.
    """
    return subject.keep(target)
