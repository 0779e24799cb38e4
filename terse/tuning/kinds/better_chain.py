"""Rules whose chain leaves out steps that would have done something."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from terse.guarantee import Guarantee
from terse.language import syntax
from terse.language.tiers import known
from terse.tuning.draft import Draft
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.saying import remembering, with_use
from terse.tuning.state import Change, State

_COMPACT = "compact"


def _find(state: State) -> Iterator[Alternatives]:
    compact = known().chains[_COMPACT]
    for rule in state.draft.plan.rules:
        tiers = [step.tier for step in rule.chain if step.tier not in remembering()]
        # A rule that does nothing at all says that these results are to be left alone.
        if (rule.chain or rule.fields) and not set(compact) <= set(tiers) and state.tools_under(rule.name):
            yield partial(_changes, rule.name)


def _changes(name: str, state: State) -> Iterator[Change]:
    rule = state.draft.rule(name)
    if rule is None:
        return
    why = f"the chain of rule {name} leaves out steps that make these results smaller"
    behind = [
        " ".join(step.span.text.split())
        for line in rule.lines
        if isinstance(line, syntax.Use)
        for step in line.steps
        if step.name.text in remembering()
    ]
    draft = with_use(state.draft, rule, " then ".join([_COMPACT, *behind]))
    if draft is None:
        draft = _redefined(state, rule)
    if draft is not None:
        yield Change(KIND.name, why, draft, Guarantee.LOSSLESS, name)


def _redefined(state: State, rule: syntax.Rule) -> Draft | None:
    """The rules with another definition of the one chain that the rule uses: left unused, it is a finding."""
    steps = [step for line in rule.lines if isinstance(line, syntax.Use) for step in line.steps]
    chains = (item for file in state.draft.own for item in file.items if isinstance(item, syntax.Chain))
    chain = next((each for each in chains if steps and each.name.text == steps[0].name.text), None)
    if chain is None or "#" in chain.span.text:
        return None
    path, text = chain.span.source.path, chain.span.source.text
    if not state.draft.is_editable(path):
        return None
    start, end = chain.steps[0].span.start, chain.steps[-1].span.end
    behind = [step.span.text for step in chain.steps if step.name.text in remembering()]
    made = " then ".join([_COMPACT, *behind])
    return state.draft.changed({path: text[:start] + made + text[end:]})


KIND = Kind("chain", _find)
