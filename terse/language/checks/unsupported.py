"""What the language has and this terse cannot run yet."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import house as codes
from terse.language.policy import Policy
from terse.language.views import all_of


def check(policy: Policy) -> Iterator[Diagnostic]:
    for _, tools in policy.tools:
        first = tools.patterns[0].span
        yield Diagnostic(
            codes.NOT_YET_SUPPORTED,
            "`tools` blocks do nothing yet: agents are shown all tools as they are",
            Label(first, "left out"),
        )
    for step in _steps(policy):
        name = step.name.text
        if policy.is_tier(name) and name not in policy.tiers:
            yield Diagnostic(
                codes.NOT_YET_SUPPORTED,
                f"tier `{name}` cannot be run yet",
                Label(step.span, "left out"),
                help="the steps before and after it run",
            )


def _steps(policy: Policy) -> Iterator[syntax.Step]:
    for chains in policy.chain_items.values():
        for _, chain in chains:
            yield from chain.steps
    for view in policy.rules:
        for use in all_of(view.node.lines, syntax.Use):
            yield from use.steps
