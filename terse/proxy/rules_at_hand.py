"""What rules can do to the results of a server, asked before they run."""

from __future__ import annotations

from terse.plan.glob import matches
from terse.plan.model import FitIn, Guard, Plan, Remove, Rule, SetAside, Shorten
from terse.tiers import BY_NAME


def offers(plan: Plan, server: str, *, remembers: bool = True) -> bool:
    """Whether rules for the server can set something aside, or send a result as what changed.

    Args:
        remembers: see `ProxySession`.
    """
    return any(
        any(matches(pattern.server, server) for pattern in rule.on)
        and (sets_aside(rule) or (remembers and speaks_of_earlier(rule)))
        for rule in plan.rules
    )


def sets_aside(rule: Rule) -> bool:
    """Whether the rule can set anything aside: by its own lines, or in place of what it may not lose."""
    lines = [line for each in rule.fields for line in (each.lines if isinstance(each, FitIn) else (each,))]
    return any(
        isinstance(line, SetAside)
        or (isinstance(line, Shorten) and not line.remove_rest)
        or (rule.lose_percent is not None and isinstance(line, (Remove, Shorten)))
        for line in lines
    )


def speaks_of_earlier(rule: Rule) -> bool:
    """Whether results under the rule can be sent as what changed: their whole can then be fetched."""
    return any(BY_NAME[step.tier].needs_memory for step in rule.chain)


def named_server(plan: Plan) -> tuple[str, str] | None:
    """The first server that the plan calls by name (anything but `*`), and the statement's `path:line`."""
    items: tuple[Rule | Guard, ...] = (*plan.rules, *plan.guards)
    for item in items:
        for pattern in (*item.on, *item.except_):
            if pattern.server != "*":
                return pattern.server, item.at
    for block in plan.tools:
        for pattern in block.on:
            if pattern.server != "*":
                return pattern.server, block.at
    return None
