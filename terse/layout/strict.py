"""The one way in which a text is refused."""

from __future__ import annotations


class NotLayout(ValueError):  # noqa: N818 — the name says what the text is
    """The text is not exactly a form of the layout. The message says where it stops being one."""
