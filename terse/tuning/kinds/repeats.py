"""Tools that are called again with the same arguments, under rules that do not look at earlier results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from terse.guarantee import Guarantee
from terse.memory.session import call_key
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.saying import remembering, steps_of, with_use
from terse.tuning.state import Change, State

LEAST_REPEATS = 3
"""Calls that were made before: fewer may be chance."""


def _find(state: State) -> Iterator[Alternatives]:
    for rule in state.draft.plan.rules:
        if rule.chain and not any(step.tier in remembering() for step in rule.chain):
            repeats = sum(_repeats(state, tool) for tool in state.tools_under(rule.name))
            if repeats >= LEAST_REPEATS:
                yield partial(_changes, rule.name, repeats)


def _repeats(state: State, tool: tuple[str, str]) -> int:
    """Calls of the tool, in the learned half, that were made before in their session."""
    made = Counter((each.session, call_key(each.call)) for each in state.material.of(tool, "learned"))
    return sum(made.values()) - len(made)


def _changes(name: str, repeats: int, state: State) -> Iterator[Change]:
    rule = state.draft.rule(name)
    if rule is None:
        return
    steps = steps_of(rule)
    why = f"{repeats:,} of the calls under rule {name} were made before: only what changed has to be sent"
    for behind in ("dedup then diff", "dedup", "diff"):
        draft = with_use(state.draft, rule, f"{steps} then {behind}")
        if draft is not None:
            yield Change(KIND.name, why, draft, Guarantee.LOSSLESS, name)


KIND = Kind("repeats", _find)
