"""Field lines about parts that the rule's payloads do not have."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.fields.selector import Everything
from terse.language import syntax, units
from terse.language.checks.kept import applied
from terse.language.codes import fields as codes
from terse.language.conditions import JSON, kinds_with
from terse.language.policy import Policy
from terse.language.views import RuleView


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        if view.facts.contradictory:
            continue
        kinds = view.facts.kinds
        for act in view.all_acts:
            for part in act.parts:
                wanted = kinds_with(part.target)
                if isinstance(part.target, Everything) and isinstance(act.node, syntax.Shorten):
                    wanted = JSON if units.base_unit(act.node.to) == "rows" else wanted
                if not wanted & kinds:
                    what = "JSON" if wanted == JSON else "text"
                    yield Diagnostic(
                        codes.TEXT_LINE_ON_JSON,
                        f"`{part.span.text}` is a part of {what}; rule `{view.name}` is for other payloads",
                        Label(part.span, "never found"),
                        (*_whens(view), *applied(act)),
                        help="leave it out, or write a rule for those payloads",
                    )


def _whens(view: RuleView) -> Iterator[Label]:
    for line, _ in view.whens:
        if isinstance(
            line.condition, (syntax.PayloadIs, syntax.PayloadHas, syntax.FieldIs, syntax.FieldSize)
        ):
            yield Label(line.span, "the rule is for these payloads")
