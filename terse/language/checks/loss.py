"""What is lost has a reason, and a bound on loss has something to bound."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.guarantee import Guarantee
from terse.language import syntax
from terse.language.checks.kept import applied
from terse.language.codes import fields, house
from terse.language.policy import Policy
from terse.language.views import Act, RuleView, all_of


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        lossy = [act for act in view.all_acts if act.guarantee is Guarantee.LOSSY]
        lose = next(all_of(view.node.lines, syntax.Lose), None)
        if lose is not None and not lossy:
            yield Diagnostic(
                fields.LOSE_WITHOUT_LOSS,
                f"rule `{view.name}` loses nothing",
                Label(lose.span, "nothing to bound"),
                help="leave it out",
            )
        unexplained = [act for act in lossy if not _explained(view, act)]
        if unexplained:
            first, *others = unexplained
            yield Diagnostic(
                house.LOSS_WITHOUT_REASON,
                f"rule `{view.name}` loses something and does not say why",
                Label(first.span, "gone for good"),
                (*applied(first), *(Label(act.span, "this, too") for act in others)),
                help='add `because "…"` to the rule, or `set aside` instead of removing',
            )


def _explained(view: RuleView, act: Act) -> bool:
    if any(all_of(view.node.lines, syntax.Because)):
        return True
    return act.profile is not None and any(
        any(all_of(profile.lines, syntax.Because)) for word, profile in view.profiles if word is act.profile
    )
