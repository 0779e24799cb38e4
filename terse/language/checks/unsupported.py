"""What the language has and this terse cannot run yet."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import house as codes
from terse.language.policy import Policy


def check(policy: Policy) -> Iterator[Diagnostic]:
    for _, tools in policy.tools:
        first = tools.patterns[0].span
        yield Diagnostic(
            codes.NOT_YET_SUPPORTED,
            "`tools` blocks do nothing yet: agents are shown all tools as they are",
            Label(first, "left out"),
        )
