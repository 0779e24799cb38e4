"""The rules of a plan in the order in which they are asked, and why each stands where it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from terse.guarantee import Guarantee, lowest
from terse.language.conditions import disjoint, facts, implies_all
from terse.language.globs import Names, meet_pattern
from terse.language.match import narrower_pattern
from terse.listing.choice import treatment
from terse.payload.call import Call
from terse.plan import describe
from terse.plan.choose import applies, names
from terse.plan.field_lines import class_of
from terse.plan.limits import Limits
from terse.plan.model import FitIn, Guard, Keep, Pattern, Plan, Remove, Rule, SetAside, Shorten, Step
from terse.report.shown import Shown, ShownGuard, ShownLine, ShownRule, ShownTools
from terse.tiers import BY_NAME, CHAINS

MOST_NAMED = 3
"""Of the rules and patterns that one is narrower than, so many are named; more would bury the nearest."""


class _Place(NamedTuple):
    """A rule and the pattern by which it stands where it does."""

    rule: Rule
    pattern: Pattern


def shown(plan: Plan, policy: str, call: Call | None) -> Shown:
    """All rules in effective order, for the tool of `call` or for all."""
    places = list(_places(plan, call))
    guards = tuple(guard for guard in plan.guards if call is not None and applies(guard, call))
    limits = None if call is None else Limits.of(guards, call, can_retrieve=True)
    rules = tuple(
        _rule(place, _why(places, number, call), call, limits) for number, place in enumerate(places)
    )
    return Shown(
        policy,
        None if call is None else call.name,
        rules,
        tuple(_guard(guard, call) for guard in plan.guards),
        _rest(places, call),
        tuple(
            ShownTools(
                block.at, describe.patterns(block.on), tuple(describe.tools_lines(block)), block.because
            )
            for block in plan.tools
            if call is None or any(names(each, call) for each in block.on)
        ),
        "" if call is None else _listed(plan, call),
    )


def _listed(plan: Plan, call: Call) -> str:
    found = treatment(plan.tools, call.server, call.tool)
    if found is None:
        return ""
    if found.hidden_by is not None:
        return f"The tool is hidden, and cannot be called: {found.hidden_by}"
    renamed = f", as {found.name}" if found.name != call.tool else ""
    return f"The tool is shown {found.presentation} at level {found.level}{renamed}."


def _places(plan: Plan, call: Call | None) -> Iterator[_Place]:
    seen: set[int] = set()
    for entry in plan.order:
        place = _Place(plan.rules[entry.rule], plan.rules[entry.rule].on[entry.pattern])
        if call is None:
            yield place
        elif entry.rule not in seen and names(place.pattern, call):
            # A rule with two patterns for one tool is asked once, by the narrower.
            seen.add(entry.rule)
            yield place


def _rule(place: _Place, why: str, call: Call | None, limits: Limits | None) -> ShownRule:
    rule = place.rule
    matching = (place.pattern,) if call is None else [each for each in rule.on if names(each, call)]
    excepted = [] if call is None else [each for each in rule.except_ if names(each, call)]
    lines = list(_lines(rule, limits))
    allowed = (guarantee for line, guarantee in lines if not line.forbidden)
    return ShownRule(
        rule.name,
        rule.at,
        describe.patterns(matching),
        describe.patterns(excepted),
        tuple(map(describe.condition, rule.when)),
        tuple(line for line, _ in lines),
        lowest(allowed).word,
        rule.guarantee,
        "it never applies: the tool is excepted" if excepted else why,
        rule.because,
    )


def _lines(rule: Rule, limits: Limits | None) -> Iterator[tuple[ShownLine, Guarantee]]:
    for line in rule.fields:
        if isinstance(line, FitIn):
            yield ShownLine(describe.field_line(line), line.at), Guarantee.EXACT
            for inner in line.lines:
                yield _field(inner, limits, "  ")
        elif isinstance(line, Keep):
            yield ShownLine(describe.field_line(line), line.at), Guarantee.EXACT
        else:
            yield _field(line, limits)
    yield from _chain(rule, limits)


def _chain(rule: Rule, limits: Limits | None) -> Iterator[tuple[ShownLine, Guarantee]]:
    """The steps as `use` lines: one for each run of steps that are allowed, or forbidden for one reason."""

    def forbidden(step: Step) -> str:
        return "" if limits is None else limits.on_tier(BY_NAME[step.tier])

    for reason, run in groupby(rule.chain, forbidden):
        steps = list(run)
        texts = [describe.step(step, BY_NAME[step.tier].options) for step in steps]
        line = ShownLine(f"use {' then '.join(_named(texts))}", steps[0].at, reason)
        yield line, lowest(BY_NAME[step.tier].guarantee for step in steps)


def _named(texts: Sequence[str]) -> Iterator[str]:
    """The steps with those of a built-in chain, as it stands, under its name."""
    place = 0
    while place < len(texts):
        for name, tiers in CHAINS.items():
            if [tier.name for tier in tiers] == list(texts[place : place + len(tiers)]):
                yield name
                place += len(tiers)
                break
        else:
            yield texts[place]
            place += 1


def _field(
    line: Remove | SetAside | Shorten, limits: Limits | None, indent: str = ""
) -> tuple[ShownLine, Guarantee]:
    guarantee = class_of(line)
    forbidden = "" if limits is None else limits.on_class(guarantee)
    return ShownLine(indent + describe.field_line(line), line.at, forbidden), guarantee


def _guard(guard: Guard, call: Call | None) -> ShownGuard:
    on = describe.patterns(guard.on)
    if guard.except_:
        on += f" except {describe.patterns(guard.except_)}"
    applying = None if call is None else applies(guard, call)
    return ShownGuard(guard.name, guard.at, applying, on, describe.guard(guard), guard.because)


# ---- why a rule stands where it does ---------------------------------------------------------------------


def _why(places: Sequence[_Place], number: int, call: Call | None) -> str:
    """What the rule has before those that come after it and could take the same calls."""
    place, after = places[number], places[number + 1 :]
    if call is not None:
        for other in places[:number]:
            if not other.rule.when and not _excepts(other.rule, call):
                return f"never asked: rule {other.rule.name} takes every call of this tool"
    own = _names(place.pattern)
    rivals = [other for other in after if other.rule is not place.rule and _meet(own, other, call)]
    if not rivals:
        return "no rule after it could take its calls" if after else "it is the last"
    broader: dict[str, list[str]] = {}
    said: list[str] = []
    for other in rivals:
        if narrower_pattern(own, _names(other.pattern)):
            broader.setdefault(describe.pattern(other.pattern), []).append(other.rule.name)
        else:
            said.append(_beside(place, other))
    if broader:
        listed = [f"{pattern} ({_rules(each)})" for pattern, each in broader.items()]
        said.append(f"{describe.pattern(place.pattern)} is narrower than {_some(listed, ', ')}")
    return _some(said, "; ")


def _rules(named: Sequence[str]) -> str:
    return f"rule{'' if len(named) == 1 else 's'} {_some(named, ', ')}"


def _some(texts: Sequence[str], between: str) -> str:
    more = len(texts) - MOST_NAMED
    return between.join(texts[:MOST_NAMED]) + (f"{between}and {more} more" if more > 0 else "")


def _beside(place: _Place, other: _Place) -> str:
    """Why it is before a rule whose pattern is not broader."""
    rival = other.rule.name
    if disjoint(place.rule.when, other.rule.when):
        return f"its `when` lines and those of rule {rival} never hold together"
    same = _names(place.pattern) == _names(other.pattern)
    if same and implies_all(facts(place.rule.when), other.rule.when):
        return f"its `when` lines are narrower than those of rule {rival}"
    return f"narrower rules take what it shares with rule {rival}"


def _excepts(rule: Rule, call: Call) -> bool:
    return any(names(each, call) for each in rule.except_)


def _meet(own: Names, other: _Place, call: Call | None) -> bool:
    if call is not None:
        return not _excepts(other.rule, call)
    return meet_pattern(own, _names(other.pattern)) is not None


def _rest(places: Sequence[_Place], call: Call | None) -> str:
    """What becomes of calls that no rule takes."""
    nothing = "no rule applies: the result passes as it came"
    if not places:
        return nothing
    for rule, pattern in places:
        if rule.when or (call is None and (rule.except_ or _names(pattern) != Names("*", "*"))):
            continue
        if call is None or not _excepts(rule, call):
            return ""
    return f"where none of them holds, {nothing}"


def _names(pattern: Pattern) -> Names:
    return Names(pattern.server, pattern.tool)
