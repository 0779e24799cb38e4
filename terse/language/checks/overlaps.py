"""Lines of one rule that act on the same value, and lines of `fit` with nothing left to do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax, units
from terse.language.checks.kept import applied
from terse.language.codes import fields as codes
from terse.language.policy import Policy
from terse.language.selectors import covers, overlap
from terse.language.views import Act


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        acts = [act for act in view.acts if not isinstance(act.node, syntax.Keep)]
        parts = [(act, part) for act in acts for part in act.parts]
        for (a, first), (b, second) in combinations(parts, 2):
            if overlap(first.target, second.target):
                yield _overlap(a, first, b, second)
        for _, lines in view.fits:
            for line in lines:
                for part in line.parts:
                    yield from _nothing_left(line, part, acts)


def _overlap(a: Act, first: syntax.Part, b: Act, second: syntax.Part) -> Diagnostic:
    if first.target == second.target:
        what = (
            f"two lines act on `{second.span.text}`" if a is not b else f"`{second.span.text}` stands twice"
        )
    else:
        what = f"`{first.span.text}` and `{second.span.text}` can be one value, or one inside the other"
    return Diagnostic(
        codes.OVERLAPPING_FIELDS,
        what,
        Label(second.span, "acts on it, too"),
        (Label(first.span, "acts on it"), *applied(a), *applied(b)),
        help="let one line say what happens to it; `keep` excepts a part",
    )


def _nothing_left(line: Act, part: syntax.Part, acts: list[Act]) -> Iterator[Diagnostic]:
    for act in acts:
        done = next((own for own in act.parts if covers(own.target, part.target)), None)
        if done is None or not _always(act.node, line.node):
            continue
        yield Diagnostic(
            codes.FIT_CANNOT_SHRINK,
            f"the rule does this to `{part.span.text}` already",
            Label(part.span, "finds nothing to do"),
            (Label(act.span, "always done before"), *applied(act)),
            help="leave the line out of `fit`, or give the one before it an `over`",
        )
        return


def _always(before: syntax.Node, line: syntax.Node) -> bool:
    """Whether the line in `fit` finds nothing to do once the line before it ran."""
    match before, line:
        case syntax.Remove(over=None) | syntax.SetAside(over=None), _:
            return True
        case syntax.Shorten(to=done), syntax.Shorten(to=wanted):
            same = units.base_unit(done) == units.base_unit(wanted)
            return same and units.amount(done) <= units.amount(wanted)
    return False
