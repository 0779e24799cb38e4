"""Field lines that take away what is kept, and `keep` where nothing is taken away."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import fields as codes
from terse.language.match import guard_of_all
from terse.language.policy import Policy
from terse.language.selectors import covers
from terse.language.views import Act, GuardView, RuleView


def check(policy: Policy) -> Iterator[Diagnostic]:
    keeping = [guard for guard in policy.guards if guard.keeps]
    for view in policy.rules:
        keeps = [act for act in view.acts if isinstance(act.node, syntax.Keep)]
        losses = [act for act in view.all_acts if not isinstance(act.node, syntax.Keep)]
        if keeps and not losses:
            yield _without_effect(view, keeps[0])
        for act in losses:
            for part in act.parts:
                yield from _kept_by_rule(part, act, keeps)
                yield from _kept_by_guards(view, part, act, keeping)


def _without_effect(view: RuleView, keep: Act) -> Diagnostic:
    return Diagnostic(
        codes.KEEP_WITHOUT_EFFECT,
        f"nothing in rule `{view.name}` could change what it keeps",
        Label(keep.span, "has no effect"),
        applied(keep),
        help="leave it out; to protect fields from other rules, write a guard",
    )


def _kept_by_rule(part: syntax.Part, act: Act, keeps: list[Act]) -> Iterator[Diagnostic]:
    for keep in keeps:
        kept = next((own for own in keep.parts if covers(own.target, part.target)), None)
        if kept is not None:
            yield Diagnostic(
                codes.LOSS_ON_KEPT_FIELD,
                f"`{part.span.text}` is kept by this rule, so this line can never touch it",
                Label(part.span, "taken away here"),
                (Label(kept.span, "kept here"), *applied(act), *applied(keep)),
                help="leave out one of the two",
            )
            return


def _kept_by_guards(
    view: RuleView, part: syntax.Part, act: Act, keeping: list[GuardView]
) -> Iterator[Diagnostic]:
    found = [
        (guard, kept)
        for guard in keeping
        for keep in guard.keeps
        for kept in keep.parts
        if covers(kept.target, part.target)
    ]
    guard = guard_of_all(view, [guard for guard, _ in found])
    if guard is not None:
        kept = next(kept for own, kept in found if own is guard)
        yield Diagnostic(
            codes.LOSS_ON_GUARDED_FIELD,
            f"`{part.span.text}` is kept by guard `{guard.name}` on every call of this rule",
            Label(part.span, "can never be taken away here"),
            (Label(kept.span, f"kept by guard `{guard.name}`"), *applied(act)),
            help="leave it out of the line; a guard cannot be undone",
        )


def applied(act: Act) -> tuple[Label, ...]:
    """Where the rule applies the profile that the line stands in."""
    return (Label(act.profile.span, "applied here"),) if act.profile is not None else ()
