"""Rules and guards within the size that a reviewer, and the other checks, can take in."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import matching as codes
from terse.language.policy import Policy
from terse.language.views import MAX_HALF, MAX_PARTS, GuardView, RuleView


def check(policy: Policy) -> Iterator[Diagnostic]:
    yield from map(_too_large, policy.too_large)


def _too_large(view: RuleView | GuardView) -> Diagnostic:
    long = next((p for p in (*view.on, *view.except_) if max(len(p.server), len(p.tool)) > MAX_HALF), None)
    if long is not None:
        return Diagnostic(
            codes.RULE_TOO_LARGE,
            f"a half of this pattern has more than {MAX_HALF} characters",
            Label(long.span, "no tool has so long a name"),
            help="write it shorter, with `*`",
        )
    patterns = len(view.on) + len(view.except_)
    what = f"{patterns:,} patterns" if patterns > MAX_PARTS else f"{view.part_count:,} fields"
    return Diagnostic(
        codes.RULE_TOO_LARGE,
        f"`{view.name}` has {what}; the most is {MAX_PARTS}",
        Label(view.label, "too large"),
        help="write several, or use `*` and `every`",
    )
