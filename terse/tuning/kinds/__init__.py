"""The kinds of change that are looked for, in the order in which they are tried. One file for each."""

from __future__ import annotations

from terse.tuning.kinds import (
    aside,
    better_chain,
    constant,
    left_alone,
    repeats,
    shorter,
    shown_tools,
    taken_back,
    unmatched,
)
from terse.tuning.kinds.kind import Kind

KINDS: tuple[Kind, ...] = (
    taken_back.KIND,
    unmatched.KIND,
    better_chain.KIND,
    repeats.KIND,
    shorter.KIND,
    aside.KIND,
    constant.KIND,
    left_alone.KIND,
    shown_tools.KIND,
)
"""What gives something back stands first, and what takes something away after all that does not."""
