"""Names: every definition is the only one of its name, every name used is defined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import files as codes
from terse.language.policy import Policy
from terse.language.suggest import did_you_mean
from terse.language.views import all_of


def check(policy: Policy) -> Iterator[Diagnostic]:
    yield from _duplicates(policy, "guard", policy.guard_items)
    yield from _duplicates(policy, "chain", policy.chain_items)
    yield from _duplicates(policy, "profile", policy.profile_items)
    plain = {
        name: [(path, rule) for path, rule in items if rule.override is None]
        for name, items in policy.rule_items.items()
    }
    yield from _duplicates(policy, "rule", plain)
    for name, items in policy.rule_items.items():
        overrides = [(path, rule) for path, rule in items if rule.override is not None]
        yield from _overrides(policy, name, overrides, plain[name])
    yield from _chains_called_like_tiers(policy)
    yield from _unknown_profiles(policy)


def _duplicates(
    policy: Policy,
    kind: str,
    named: Mapping[str, Sequence[tuple[str, syntax.Rule | syntax.Guard | syntax.Chain | syntax.Profile]]],
) -> Iterator[Diagnostic]:
    reach = policy.loaded.reach
    for name, items in named.items():
        if len(items) < 2:
            continue
        # The imported one was there first, whatever its path.
        basic = next(
            (found for found in items if any(found[0] in reach(path) for path, _ in items)), items[0]
        )
        where, first = basic
        for path, item in items:
            if item is first:
                continue
            replaces = kind == "rule" and where in reach(path)
            help = (
                f"to replace the imported rule, write `override rule {name}`"
                if replaces
                else "give one of them another name"
            )
            yield Diagnostic(
                codes.DUPLICATE_NAME,
                f"there are two {kind}s called `{name}`",
                Label(item.name.span, "the second one"),
                (Label(first.name.span, "the first one"),),
                help=help,
            )


def _overrides(
    policy: Policy,
    name: str,
    overrides: Sequence[tuple[str, syntax.Rule]],
    plain: Sequence[tuple[str, syntax.Rule]],
) -> Iterator[Diagnostic]:
    if len(overrides) > 1:
        (_, first), *others = overrides
        for _, rule in others:
            yield Diagnostic(
                codes.OVERRIDDEN_TWICE,
                f"rule `{name}` is overridden twice",
                Label(rule.name.span, "the second override"),
                (Label(first.name.span, "the first override"),),
                help="keep one of them",
            )
        return
    for path, rule in overrides:
        reach = policy.loaded.reach(path)
        if any(where in reach for where, _ in plain):
            continue
        imported = {
            other
            for other, items in policy.rule_items.items()
            if any(where in reach and item.override is None for where, item in items)
        }
        if plain:
            message = f"rule `{name}` is not imported by this file, so it cannot be overridden here"
            help = "import the file that has the rule, or change the rule where it is"
        else:
            message = f"there is no rule `{name}` to override in the files that this one imports"
            help = did_you_mean(name, imported) or (
                f"imported rules are {', '.join(f'`{r}`' for r in sorted(imported)[:8])}"
                if imported
                else "this file imports no rules"
            )
        yield Diagnostic(
            codes.OVERRIDE_OF_NOTHING,
            message,
            Label(rule.name.span, "overrides nothing"),
            tuple(Label(item.name.span, "this rule") for _, item in plain[:1]),
            help=help,
        )


def _chains_called_like_tiers(policy: Policy) -> Iterator[Diagnostic]:
    for name, items in policy.chain_items.items():
        if policy.is_taken(name):
            kind = "tier" if policy.is_tier(name) else "built-in chain"
            yield Diagnostic(
                codes.NAME_TAKEN_BY_TIER,
                f"`{name}` is the name of a {kind}",
                Label(items[0][1].name.span, "a chain cannot have it"),
                help="give the chain another name",
            )


def _unknown_profiles(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        for line in all_of(view.node.lines, syntax.Apply):
            for word in line.profiles:
                if policy.profile(word.text) is None:
                    yield Diagnostic(
                        codes.UNKNOWN_PROFILE,
                        f"there is no profile `{word.text}`",
                        Label(word.span, "not defined in this policy"),
                        help=did_you_mean(word.text, policy.profile_items)
                        or f"define it: `profile {word.text} {{ … }}`",
                    )
