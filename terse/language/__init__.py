"""The rule language: grammar, syntax tree, checks, and the compiler to a Plan."""

from __future__ import annotations

from terse.language.call import BadCall, parse_call
from terse.language.check import Checked, check
from terse.language.load import Reader, Unreadable

__all__ = ["BadCall", "Checked", "Reader", "Unreadable", "check", "parse_call"]
