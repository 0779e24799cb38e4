"""Why a command line is not done."""

from __future__ import annotations


class Unusable(Exception):  # noqa: N818 — says what the command line is
    """It cannot be done. The message says what is wrong, where, and what to write instead."""


class Wrong(Unusable):
    """The arguments do not fit the tool, as far as its definition is known: that may have changed since."""
