"""Which rule applies to a call, and which guards."""

from __future__ import annotations

from dataclasses import dataclass

from terse.payload.call import Call
from terse.plan import describe
from terse.plan.conditions import Facts, cost
from terse.plan.glob import matches
from terse.plan.model import Guard, Pattern, Plan, Rule
from terse.plan.trace import ConditionTrace, GuardTrace, RuleTrace

MAX_NEAREST = 5
"""Rules that did not apply and are named as near misses; more would bury the one that did."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What applies to a call.

    Attributes:
        rule: the rule, None when there is none.
        guards: every guard that applies.
        trace, why, nearest, guard_traces: the same for a reader; the last two only when asked for.
    """

    rule: Rule | None
    guards: tuple[Guard, ...]
    trace: RuleTrace | None
    why: str
    nearest: tuple[RuleTrace, ...] = ()
    guard_traces: tuple[GuardTrace, ...] = ()


def choose(plan: Plan, call: Call, facts: Facts, *, detail: bool = False) -> Choice:
    """The rule of the first entry of `plan.order` whose pattern, exceptions and conditions hold.

    Args:
        detail: find out, for a reader, why this rule, which others came near, and why not.

    Raises:
        TokenizerError: a condition asks for tokens, and the tokenizer gave up.
    """
    chosen = _first(plan, call, facts)
    guards = tuple(guard for guard in plan.guards if applies(guard, call))
    rule = None if chosen is None else plan.rules[chosen[0]]
    if not detail:
        trace = None if rule is None else RuleTrace(rule.name, rule.at, True, (), rule.because)
        return Choice(rule, guards, trace, "")
    nearest = tuple(_nearest(plan, call, facts, rule))
    return Choice(
        rule,
        guards,
        None if rule is None else _explained(rule, call, facts, chosen=True),
        _why(plan, call, chosen),
        nearest,
        tuple(_guard_trace(guard, call) for guard in plan.guards),
    )


def applies(item: Rule | Guard, call: Call) -> bool:
    """Whether the rule or guard speaks of the call: one of its patterns does, and no exception."""
    for pattern in item.on:
        if names(pattern, call):
            return not any(names(exception, call) for exception in item.except_)
    return False


def names(pattern: Pattern, call: Call) -> bool:
    """Whether the pattern matches the pair of the call's server and tool, half by half."""
    return matches(pattern.server, call.server) and matches(pattern.tool, call.tool)


def _first(plan: Plan, call: Call, facts: Facts) -> tuple[int, Pattern] | None:
    """The rule that applies, by its index, and the pattern that chose it."""
    tried: dict[int, bool] = {}
    rules, server = plan.rules, call.server
    for entry in plan.order:
        rule = rules[entry.rule]
        pattern = rule.on[entry.pattern]
        # Most patterns of a large policy name another server: that is one comparison, made here.
        if pattern.server != server and "*" not in pattern.server:
            continue
        if not names(pattern, call):
            continue
        if entry.rule not in tried:
            tried[entry.rule] = not any(names(each, call) for each in rule.except_) and all(
                facts.holds(condition) for condition in sorted(rule.when, key=cost)
            )
        if tried[entry.rule]:
            return entry.rule, pattern
    return None


def _why(plan: Plan, call: Call, chosen: tuple[int, Pattern] | None) -> str:
    if chosen is None:
        return "no rule applies"
    index, pattern = chosen
    named = describe.pattern(pattern)
    for entry in plan.order:
        if entry.rule == index:
            continue
        other = plan.rules[entry.rule]
        broader = other.on[entry.pattern]
        if not applies(other, call) or not names(broader, call) or _before(plan, entry.rule, chosen, call):
            continue
        if broader == pattern:
            return f"{named} with these conditions is narrower than {named} (rule {other.name})"
        return f"{named} is narrower than {describe.pattern(broader)} (rule {other.name})"
    return "the only rule that matches"


def _before(plan: Plan, rule: int, chosen: tuple[int, Pattern], call: Call) -> bool:
    """Whether the order has the rule for this call before the chosen one: its conditions did not hold."""
    for entry in plan.order:
        pattern = plan.rules[entry.rule].on[entry.pattern]
        if not names(pattern, call):
            continue
        if entry.rule in (rule, chosen[0]):
            return entry.rule == rule
    return False


def _nearest(plan: Plan, call: Call, facts: Facts, chosen: Rule | None) -> list[RuleTrace]:
    """Rules that speak of the call and do not hold; where none applies, also those for its server."""
    order: list[Rule] = []
    for entry in plan.order:
        rule = plan.rules[entry.rule]
        if rule is not chosen and rule not in order:
            order.append(rule)
    near = [
        _explained(rule, call, facts, chosen=False)
        for rule in order
        if any(names(pattern, call) for pattern in rule.on)
    ]
    near = [trace for trace in near if not all(each.held for each in trace.conditions)]
    if chosen is None:
        near += [
            _explained(rule, call, facts, chosen=False)
            for rule in order
            if not any(names(pattern, call) for pattern in rule.on)
            and any(matches(pattern.server, call.server) for pattern in rule.on)
        ]
    return near[:MAX_NEAREST]


def _explained(rule: Rule, call: Call, facts: Facts, chosen: bool) -> RuleTrace:
    matching = [pattern for pattern in rule.on if names(pattern, call)]
    lines = [
        ConditionTrace(
            f"on {describe.patterns(matching or rule.on)}",
            rule.at,
            bool(matching),
            "" if matching else f"the call is {call.name}",
        )
    ]
    excepted = [pattern for pattern in rule.except_ if names(pattern, call)]
    if excepted:
        text = f"except {describe.patterns(excepted)}"
        lines.append(ConditionTrace(text, rule.at, False, f"the call is {call.name}"))
    for condition in rule.when:
        held = facts.holds(condition)
        lines.append(
            ConditionTrace(describe.condition(condition), condition.at, held, facts.reason(condition))
        )
    return RuleTrace(rule.name, rule.at, chosen, tuple(lines), rule.because)


def _guard_trace(guard: Guard, call: Call) -> GuardTrace:
    if not any(names(pattern, call) for pattern in guard.on):
        text = f"it speaks of {describe.patterns(guard.on)}"
        return GuardTrace(guard.name, guard.at, False, text, guard.because, elsewhere=True)
    excepted = [pattern for pattern in guard.except_ if names(pattern, call)]
    if excepted:
        text = f"it excepts {describe.patterns(excepted)}"
        return GuardTrace(guard.name, guard.at, False, text, guard.because)
    return GuardTrace(guard.name, guard.at, True, describe.guard(guard), guard.because)
