"""Overrides that match more than the rule they replace."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import house as codes
from terse.language.globs import Zone, outside
from terse.language.policy import Policy
from terse.language.views import RuleView


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        if view.node.override is None:
            continue
        replaced = [
            RuleView(rule, path)
            for path, rule in policy.rule_items[view.name]
            if rule.override is None and path in policy.loaded.reach(view.path)
        ]
        if replaced:
            yield from _widens(view, replaced[0])


def _widens(view: RuleView, old: RuleView) -> Iterator[Diagnostic]:
    zones = [Zone(names, old.without) for names in old.names]
    excepted = [Zone(names) for names in view.without]
    for pattern, names in zip(view.on, view.names, strict=True):
        call = outside((names,), [*zones, *excepted])
        if call is not None:
            yield Diagnostic(
                codes.OVERRIDE_WIDENS,
                f"this override matches calls that the replaced rule `{view.name}` did not",
                Label(pattern.span, f"for example `{call}`"),
                tuple(Label(own.span, "the replaced rule") for own in old.on[:1]),
                help="write a rule of another name for the calls that are new",
            )
            return
