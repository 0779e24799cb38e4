"""The policy that the loaded files make together: names looked up, overrides and chains worked in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from terse.language import syntax
from terse.language.load import Loaded
from terse.language.match import Entries
from terse.language.tiers import Known, TierSpec
from terse.language.views import Act, GuardView, RuleView, RunStep, all_of
from terse.language.workspace import Workspace


@dataclass
class Policy:
    """All of it. `named` has every definition of each kind by name, duplicates and overrides included."""

    loaded: Loaded
    tiers: Mapping[str, TierSpec]
    built_in_chains: Mapping[str, Sequence[str]]
    workspace: Workspace
    rules: tuple[RuleView, ...] = ()
    guards: tuple[GuardView, ...] = ()
    too_large: tuple[RuleView | GuardView, ...] = ()
    """Left out of `rules` and `guards`: an error tells of them, and comparing them would take for ever."""
    rule_items: dict[str, list[tuple[str, syntax.Rule]]] = field(default_factory=dict)
    guard_items: dict[str, list[tuple[str, syntax.Guard]]] = field(default_factory=dict)
    chain_items: dict[str, list[tuple[str, syntax.Chain]]] = field(default_factory=dict)
    profile_items: dict[str, list[tuple[str, syntax.Profile]]] = field(default_factory=dict)
    tools: list[tuple[str, syntax.Tools]] = field(default_factory=list)
    tests: list[tuple[str, syntax.Test]] = field(default_factory=list)

    def chain(self, name: str) -> syntax.Chain | None:
        """The policy's chain of that name; a tier's name is never a chain's."""
        found = self.chain_items.get(name)
        return found[0][1] if found and not self.is_taken(name) else None

    def is_chain(self, name: str) -> bool:
        """Whether it is a chain of the policy or a built-in one."""
        return name in self.built_in_chains or self.chain(name) is not None

    def is_taken(self, name: str) -> bool:
        """Whether the language has the name for a tier or a chain of its own."""
        return self.is_tier(name) or name in self.built_in_chains

    def profile(self, name: str) -> syntax.Profile | None:
        found = self.profile_items.get(name)
        return found[0][1] if found else None

    def is_tier(self, name: str) -> bool:
        """Whether the language has a tier of that name."""
        return name in self.tiers

    @property
    def tier_names(self) -> tuple[str, ...]:
        return tuple(self.tiers)

    @cached_property
    def entries(self) -> Entries:
        """The `on` patterns of all rules in force."""
        return Entries(self.rules)

    @property
    def _rule_nodes(self) -> Iterator[syntax.Rule]:
        """All rules, those that are overridden or too large, too."""
        for items in self.rule_items.values():
            yield from (rule for _, rule in items)

    @cached_property
    def chains_in_use(self) -> set[str]:
        """Names of chains that a rule, or a chain in use, names."""
        reached: set[str] = set()
        uses = (line for rule in self._rule_nodes for line in all_of(rule.lines, syntax.Use))
        waiting = [step.name.text for use in uses for step in use.steps]
        while waiting:
            name = waiting.pop()
            chain = self.chain(name)
            if chain is not None and name not in reached:
                reached.add(name)
                waiting.extend(step.name.text for step in chain.steps)
        return reached

    @cached_property
    def profiles_in_use(self) -> set[str]:
        """Names of profiles that a rule applies."""
        return {
            word.text
            for rule in self._rule_nodes
            for line in all_of(rule.lines, syntax.Apply)
            for word in line.profiles
        }


def resolve(
    loaded: Loaded,
    known: Known,
    workspace: Workspace,
) -> Policy:
    """Put the files together. Their order does not matter: everything is listed by path and place."""
    policy = Policy(loaded, known.by_name, known.chains, workspace)
    for path in sorted(loaded.files):
        for item in loaded.files[path].tree.items:
            match item:
                case syntax.Rule():
                    policy.rule_items.setdefault(item.name.text, []).append((path, item))
                case syntax.Guard():
                    policy.guard_items.setdefault(item.name.text, []).append((path, item))
                case syntax.Chain():
                    policy.chain_items.setdefault(item.name.text, []).append((path, item))
                case syntax.Profile():
                    policy.profile_items.setdefault(item.name.text, []).append((path, item))
                case syntax.Tools():
                    policy.tools.append((path, item))
                case syntax.Test():
                    policy.tests.append((path, item))
    rules = [_in_force(items) for items in policy.rule_items.values()]
    rules.sort(key=lambda found: (found[0], found[1].span.start))
    views = [_rule_view(policy, path, node) for path, node in rules]
    guards = [items[0] for items in policy.guard_items.values()]
    guards.sort(key=lambda found: (found[0], found[1].span.start))
    guard_views = [GuardView(node, path) for path, node in guards]
    policy.rules = tuple(view for view in views if not view.too_large)
    policy.guards = tuple(view for view in guard_views if not view.too_large)
    everything: tuple[RuleView | GuardView, ...] = (*views, *guard_views)
    policy.too_large = tuple(view for view in everything if view.too_large)
    return policy


def _in_force(items: list[tuple[str, syntax.Rule]]) -> tuple[str, syntax.Rule]:
    """Of the rules of one name, the one that overrides the others."""
    return next((found for found in items if found[1].override is not None), items[0])


def _rule_view(policy: Policy, path: str, node: syntax.Rule) -> RuleView:
    profiles = [
        (word, profile)
        for line in all_of(node.lines, syntax.Apply)
        for word in line.profiles
        if (profile := policy.profile(word.text)) is not None
    ]
    acts = [Act(line) for line in node.lines if isinstance(line, (syntax.Keep, *_LOSSES))]
    acts += [
        Act(line, word)
        for word, profile in profiles
        for line in profile.lines
        if isinstance(line, (syntax.Keep, *_LOSSES))
    ]
    fits = [(fit, tuple(map(Act, fit.lines))) for fit in all_of(node.lines, syntax.Fit)]
    steps = [step for use in all_of(node.lines, syntax.Use) for step in run_steps(policy, use.steps)]
    stray = node.override is not None and all(
        rule.override is not None for _, rule in policy.rule_items[node.name.text]
    )
    return RuleView(node, path, tuple(steps), tuple(acts), tuple(fits), tuple(profiles), stray)


_LOSSES = (syntax.Remove, syntax.SetAside, syntax.Shorten)


def run_steps(policy: Policy, steps: Iterable[syntax.Step]) -> list[RunStep]:
    """The tiers that the steps run, chains worked in, `MAX_STEPS` at most. Unknown names and chains in
    themselves are left out.
    """
    return list(islice(_run_steps(policy, steps, None, (), [MAX_CHAINS]), MAX_STEPS))


def _run_steps(
    policy: Policy,
    steps: Iterable[syntax.Step],
    chain: syntax.Chain | None,
    inside: tuple[str, ...],
    left: list[int],
) -> Iterator[RunStep]:
    for step in steps:
        name = step.name.text
        if policy.is_tier(name):
            yield RunStep(step, name, policy.tiers[name], chain)
            continue
        if name in policy.built_in_chains:
            tiers = policy.built_in_chains[name]
            yield from (RunStep(step, tier, policy.tiers[tier], chain) for tier in tiers)
            continue
        named = policy.chain(name)
        if named is not None and name not in inside and len(inside) < MAX_CHAIN_DEPTH and left[0]:
            left[0] -= 1
            yield from _run_steps(policy, named.steps, named, (*inside, name), left)


MAX_STEPS = 200
"""Steps of one `use`; more run none of the time that a result has."""

MAX_CHAINS = 200
"""Chains looked into for one `use`: two in each of sixteen would be 65,536."""

MAX_CHAIN_DEPTH = 16
"""Chains of chains go so deep at most; T309 tells of deeper ones."""
