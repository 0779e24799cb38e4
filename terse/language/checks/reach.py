"""Rules that no call reaches, and calls that reach no rule."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import matching as codes
from terse.language.globs import Names
from terse.language.match import unreachable
from terse.language.policy import Policy

_EVERY_CALL = Names("*", "*")


def check(policy: Policy) -> Iterator[Diagnostic]:
    for found in unreachable(policy.entries):
        rule = found.rule
        if found.takers and found.excepted:
            why = "its calls are excepted or taken by narrower rules"
        elif found.takers:
            why = "narrower rules take all its calls"
        else:
            why = "its `except` takes out all its calls"
        yield Diagnostic(
            codes.UNREACHABLE_RULE,
            f"rule `{rule.name}` never applies: {why}",
            Label(rule.label, "never applies"),
            (
                *(Label(taker.label, "takes its calls") for taker in found.takers[:4]),
                *(Label(pattern.span, "takes calls out") for pattern in rule.except_[:4] if found.excepted),
            ),
            notes=(f"for example `{str(rule.names[0]).replace('*', 'x')}` is not one of its calls",),
        )
    if policy.rules and not any(_EVERY_CALL in view.names for view in policy.rules):
        entries = [file for file in policy.loaded.files.values() if file.entry]
        first = min(entries, key=lambda file: file.path)
        span = first.tree.edition.span if first.tree.edition else policy.rules[0].label
        yield Diagnostic(
            codes.NO_CATCH_ALL,
            "calls that no rule matches pass untouched",
            Label(span, "no rule of this policy is `on */*`"),
        )
