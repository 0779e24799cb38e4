"""Whether a pattern's half matches a name."""

from __future__ import annotations

from terse.fields.wildcard import matches

__all__ = ["matches"]
