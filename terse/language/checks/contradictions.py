"""`when` lines that can never hold together, and lines that say nothing new."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import matching as codes
from terse.language.conditions import disjoint, facts, implies, kinds_of
from terse.language.policy import Policy
from terse.language.views import RuleView


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        if view.facts.contradictory:
            yield _contradiction(view)
        else:
            yield from _redundant(view)
        for line, _ in view.whens:
            yield from _kinds(line)


def _contradiction(view: RuleView) -> Diagnostic:
    pair = next(((a, b) for (a, x), (b, y) in combinations(view.whens, 2) if disjoint((x,), (y,))), None)
    lines = pair or tuple(line for line, _ in view.whens)
    *others, last = lines
    return Diagnostic(
        codes.CONTRADICTORY_WHEN,
        f"rule `{view.name}` can never apply: its conditions exclude each other",
        Label(last.span, "excluded by the others" if len(others) > 1 else "never together with the other"),
        tuple(Label(line.span, "must hold, too") for line in others),
        help='for "or", write two rules',
    )


def _redundant(view: RuleView) -> Iterator[Diagnostic]:
    remaining = list(view.whens)
    for line, condition in reversed(view.whens):
        rest = [(other, own) for other, own in remaining if other is not line]
        if not implies(facts(own for _, own in rest), condition):
            continue
        remaining = rest
        by = next((other for other, own in rest if implies(facts((own,)), condition)), None)
        yield Diagnostic(
            codes.REDUNDANT_CONDITION,
            "this condition holds whenever the others do",
            Label(line.span, "says nothing new"),
            (Label(by.span, "says it already"),) if by is not None else (),
            help="leave it out",
        )


def _kinds(line: syntax.When) -> Iterator[Diagnostic]:
    if not isinstance(line.condition, (syntax.PayloadIs, syntax.FieldIs)):
        return
    kinds = line.condition.kinds
    for word in kinds:
        broader = next(
            (
                other
                for other in kinds
                if other is not word
                and kinds_of((word.text,)) <= kinds_of((other.text,))
                and (other.text != word.text or other.span.start < word.span.start)
            ),
            None,
        )
        if broader is not None:
            same = broader.text == word.text
            yield Diagnostic(
                codes.REDUNDANT_CONDITION,
                f"`{word.text}` stands here twice" if same else f"every {word.text} is {broader.text}",
                Label(word.span, "says nothing new"),
                (Label(broader.span, "says it already"),),
                help="leave it out",
            )
