"""Tools whose results no step makes smaller: looking at them takes time and saves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

from terse.guarantee import Guarantee
from terse.language import syntax
from terse.plan.model import Keep
from terse.tuning.draft import Draft, with_line_after, with_line_instead
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.runs import Runs
from terse.tuning.saying import found_rule, is_about, is_sayable, pattern, with_rule
from terse.tuning.state import Change, State

LEAST_TOKENS = 400
"""Of a result, in the median: chains leave smaller ones alone as it is, and that takes no time."""


def _find(state: State) -> Iterator[Alternatives]:
    rules = {rule.name: rule for rule in state.draft.plan.rules}
    for tool in state.material.tools:
        ran = state.of_tool(tool)
        names = {name for each in ran for name in each.rules}
        if len(names) != 1 or not state.is_enough(tool) or not is_sayable(tool):
            continue
        name = names.pop()
        rule = rules[name]
        noted = state.ledgered.of(tool)
        if (
            rule.chain
            and all(isinstance(line, Keep) for line in rule.fields)
            and all(each.guarantee is Guarantee.EXACT for each in ran)
            and median(each.tokens_in for each in ran) >= LEAST_TOKENS
            and noted.tokens_in == noted.tokens_out
        ):
            yield partial(_changes, name, tool, median(noted.milliseconds) if noted.milliseconds else None)


def _changes(name: str, tool: tuple[str, str], milliseconds: float | None, state: State) -> Iterator[Change]:
    time = "" if milliseconds is None else f"; in the ledger each waited {milliseconds:.1f} ms for it"
    why = f"no step makes a result of {pattern(tool)} smaller{time}"
    rule = state.draft.rule(name)
    excepted = _excepted(state.draft, rule, tool) if rule is not None and not is_about(rule, tool) else None
    if excepted is not None:
        yield Change(KIND.name, why, excepted, Guarantee.EXACT, name, must_save=False)
    # Where another rule would take the tool then, one of its own that does nothing does.
    made = state.draft.free_name(f"{tool[0]}-{tool[1]}")
    draft = with_rule(state.draft, tool[0], made, [f"on {pattern(tool)}"], found_rule(state.draft, name))
    if draft is not None:
        yield Change(KIND.name, why, draft, Guarantee.EXACT, made, must_save=False)


def _excepted(draft: Draft, rule: syntax.Rule, tool: tuple[str, str]) -> Draft | None:
    path = rule.span.source.path
    if not draft.is_editable(path):
        return None
    text = draft.text(path)
    excepts = [line for line in rule.lines if isinstance(line, syntax.Except)]
    if excepts and "#" not in excepts[-1].span.text:
        line = f"{excepts[-1].span.text}, {pattern(tool)}"
        return draft.changed({path: with_line_instead(text, excepts[-1], line)})
    ons = [line for line in rule.lines if isinstance(line, syntax.On)]
    return draft.changed({path: with_line_after(text, ons[-1], f"except {pattern(tool)}")}) if ons else None


def _is_free(state: State, change: Change, runs: Runs) -> bool:
    """Whether nothing of what is sent changes, and no rule with steps takes the results then."""
    if state.figures(runs).changed:
        return False
    working = {rule.name for rule in change.draft.plan.rules if rule.chain or rule.fields}
    moved = [ran for order, ran in runs.items() if ran.rules != state.runs[order].rules]
    return bool(moved) and not any(name in working for ran in moved for name in ran.rules)


KIND = Kind("leave alone", _find, accepts=_is_free)
