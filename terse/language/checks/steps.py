"""Steps of chains: known tiers with known options, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax, units
from terse.language.codes import chains as codes
from terse.language.policy import MAX_CHAIN_DEPTH, Policy, run_steps
from terse.language.suggest import did_you_mean
from terse.language.tiers import OptionSpec, TierSpec
from terse.language.views import all_of


def check(policy: Policy) -> Iterator[Diagnostic]:
    known = (*policy.tier_names, *policy.built_in_chains, *policy.chain_items)
    lists: list[tuple[Sequence[syntax.Step], syntax.Chain | None]] = []
    for items in policy.chain_items.values():
        lists += [(chain.steps, chain) for _, chain in items]
    for items_ in policy.rule_items.values():
        for _, rule in items_:
            lists += [(use.steps, None) for use in all_of(rule.lines, syntax.Use)]
    for steps, chain in lists:
        for step in steps:
            yield from _step(policy, step, known)
        yield from _twice(policy, steps)
        if chain is not None:
            yield from _in_itself(policy, chain)
    for view in policy.guards:
        for word in view.never_use:
            if not policy.is_tier(word.text):
                yield Diagnostic(
                    codes.UNKNOWN_TIER,
                    f"there is no tier `{word.text}` to forbid",
                    Label(word.span, "not a tier"),
                    help=did_you_mean(word.text, policy.tier_names)
                    or _listed("tiers are", policy.tier_names),
                )


def _listed(what: str, names: Sequence[str]) -> str:
    return f"{what} " + ", ".join(f"`{name}`" for name in names)


def _step(policy: Policy, step: syntax.Step, known: Sequence[str]) -> Iterator[Diagnostic]:
    name = step.name.text
    if name not in known:
        yield Diagnostic(
            codes.UNKNOWN_TIER,
            f"there is no tier or chain `{name}`",
            Label(step.name.span, "neither a tier nor a chain of this policy"),
            help=did_you_mean(name, known) or _listed("there are", known),
        )
        return
    tier = policy.tiers.get(name)
    if tier is not None:
        for option in step.options:
            yield from _option(tier, option)
        yield from _same_option(step)
    elif step.options and not policy.is_tier(name):
        yield Diagnostic(
            codes.UNKNOWN_OPTION,
            f"`{name}` is a chain, and a chain has no options",
            Label(step.options[0].span, "not known here"),
            help="give the option to the tier inside the chain",
        )


def _same_option(step: syntax.Step) -> Iterator[Diagnostic]:
    seen: dict[str, syntax.Option] = {}
    for option in step.options:
        first = seen.setdefault(option.name.text, option)
        if first is not option:
            yield Diagnostic(
                codes.UNKNOWN_OPTION,
                f"option `{option.name.text}` is given twice",
                Label(option.span, "the second one"),
                (Label(first.span, "the first one"),),
            )


def _option(tier: TierSpec, option: syntax.Option) -> Iterator[Diagnostic]:
    name = option.name.text
    spec = next((known for known in tier.options if known.name == name), None)
    if spec is None:
        names = [known.name for known in tier.options]
        yield Diagnostic(
            codes.UNKNOWN_OPTION,
            f"`{tier.name}` has no option `{name}`",
            Label(option.name.span, "not known here"),
            help=did_you_mean(name, names)
            or (_listed("its options are", names) if names else f"`{tier.name}` has no options"),
        )
        return
    example = f"for example `{tier.name}({name} {spec.default}{' ' + spec.unit if spec.unit else ''})`"
    value = option.value
    if isinstance(value, syntax.Word) or units.base_unit(value) != spec.unit:
        given = "a text" if isinstance(value, syntax.Word) else f"`{value.unit}`" if value.unit else "no unit"
        wanted = f"`{spec.unit}`" if spec.unit else "a number without a unit"
        yield Diagnostic(
            codes.OPTION_UNIT,
            f"option `{name}` of `{tier.name}` takes {wanted}, and gets {given}",
            Label(value.span, f"takes {wanted}"),
            help=example,
        )
        return
    if not option_in_range(value, spec):
        yield Diagnostic(
            codes.OPTION_OUT_OF_RANGE,
            f"option `{name}` of `{tier.name}` is a whole number from {spec.minimum:,} to {spec.maximum:,}",
            Label(value.span, "out of range"),
            help=example,
        )


def option_in_range(value: syntax.Quantity, spec: OptionSpec) -> bool:
    amount = units.amount(value)
    return spec.minimum <= amount <= spec.maximum and amount == amount.to_integral_value()


def _twice(policy: Policy, steps: Sequence[syntax.Step]) -> Iterator[Diagnostic]:
    """Tell of a tier that these steps run twice, unless one chain among them has it twice itself."""
    named = [policy.chain(step.name.text) for step in steps]
    if any(chain is not None and _way_back(policy, chain) is not None for chain in named):
        return
    first: dict[str, syntax.Step] = {}
    for step in steps:
        ran = {run.tier for run in run_steps(policy, (step,))}
        again = sorted(ran & first.keys())
        if again:
            yield Diagnostic(
                codes.STEP_TWICE,
                f"step `{again[0]}` runs twice",
                Label(step.span, "here again" if step.name.text == again[0] else f"runs `{again[0]}` again"),
                (Label(first[again[0]].span, "here first"),),
                help="leave one of them out",
            )
        for tier in ran:
            first.setdefault(tier, step)


def _in_itself(policy: Policy, chain: syntax.Chain) -> Iterator[Diagnostic]:
    way = _way_back(policy, chain)
    if way is not None and min(way) == chain.name.text:
        yield Diagnostic(
            codes.CHAIN_IN_ITSELF,
            f"chain `{chain.name.text}` contains itself",
            Label(chain.name.span, "contains itself"),
            notes=(" uses ".join(f"`{name}`" for name in (*way, chain.name.text)),),
        )
    elif way is None and _depth(policy, chain.name.text, 0, {}) > MAX_CHAIN_DEPTH:
        yield Diagnostic(
            codes.CHAIN_IN_ITSELF,
            f"chains nest more than {MAX_CHAIN_DEPTH} deep here",
            Label(chain.name.span, "write its steps out"),
        )


def _way_back(policy: Policy, chain: syntax.Chain) -> list[str] | None:
    """The names of chains on a way from this one back to it."""
    start = chain.name.text
    ways = {start: [start]}
    waiting = [start]
    while waiting:
        name = waiting.pop(0)
        inner = policy.chain(name)
        for step in inner.steps if inner is not None else ():
            if step.name.text == start:
                return ways[name]
            if policy.chain(step.name.text) is not None and step.name.text not in ways:
                ways[step.name.text] = [*ways[name], step.name.text]
                waiting.append(step.name.text)
    return None


def _depth(policy: Policy, name: str, depth: int, known: dict[tuple[str, int], int]) -> int:
    chain = policy.chain(name)
    if chain is None or depth > MAX_CHAIN_DEPTH:
        return depth
    if (name, depth) not in known:
        inner = (_depth(policy, step.name.text, depth + 1, known) for step in chain.steps)
        known[name, depth] = max(inner, default=depth)
    return known[name, depth]
