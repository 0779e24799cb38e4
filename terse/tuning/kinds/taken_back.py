"""Values that are set aside and then mostly fetched: each was paid twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from terse.guarantee import Guarantee
from terse.language import syntax
from terse.report.stats import ENOUGH, OFTEN_PERCENT
from terse.tuning.draft import Draft, with_line_instead, without_line
from terse.tuning.kinds.kind import Alternatives, Kind
from terse.tuning.runs import Runs
from terse.tuning.state import Change, State

_Aside = (syntax.SetAside, syntax.Shorten)


def _find(state: State) -> Iterator[Alternatives]:
    for rule in state.draft.plan.rules:
        node = state.draft.rule(rule.name)
        tools = state.tools_under(rule.name)
        known = state.rate(tools)
        if node is None or known is None:
            continue
        lines = _lines(node)
        targets = [(line, part) for line in lines for part in line.parts]
        rate, source = known
        # The ledger knows the rule and not the line: where there are several, it cannot tell which.
        if source == "ledger" and len(targets) > 1:
            continue
        if 100 * rate > OFTEN_PERCENT or source == "captures":
            yield from (partial(_changes, rule.name, part.span.text) for _, part in targets)


def _remarks(state: State) -> Iterator[str]:
    """Rules of which too much is fetched, and of which nobody knows which line it was."""
    for rule in state.draft.plan.rules:
        known = state.rate(state.tools_under(rule.name))
        node = state.draft.rule(rule.name)
        targets = [part for line in _lines(node) for part in line.parts] if node is not None else []
        if (
            known is not None
            and 100 * known[0] > OFTEN_PERCENT
            and len(targets) != 1
            and known[1] == "ledger"
        ):
            yield (
                f"{100 * known[0]:.0f}% of what rule {rule.name} sets aside is fetched, by the ledger, which "
                "does not tell its lines apart: look at them, and take back what agents need"
            )


def _lines(rule: syntax.Rule) -> list[syntax.SetAside | syntax.Shorten]:
    """The lines of the rule itself that set something aside."""
    return [
        line
        for line in rule.lines
        if isinstance(line, _Aside) and not (isinstance(line, syntax.Shorten) and line.remove_rest)
    ]


def _changes(name: str, target: str, state: State) -> Iterator[Change]:
    rule = state.draft.rule(name)
    if rule is None:
        return
    for line in _lines(rule):
        if any(part.span.text == target for part in line.parts):
            draft = _without(state.draft, line, target)
            if draft is not None:
                why = f"what rule {name} sets aside of {target} is mostly fetched, and then paid twice"
                yield Change(KIND.name, why, draft, Guarantee.EXACT, name)


def _without(draft: Draft, line: syntax.SetAside | syntax.Shorten, target: str) -> Draft | None:
    """The rules without one target of a line, or without the line if it has no other."""
    path = line.span.source.path
    if not draft.is_editable(path) or "#" in line.span.text:
        return None
    text, source = draft.text(path), line.span.source
    kept = [part.span.text for part in line.parts if part.span.text != target]
    if not kept:
        return draft.changed({path: without_line(text, line)})
    head = source.text[line.span.start : line.parts[0].span.start]
    tail = source.text[line.parts[-1].span.end : line.span.end]
    return draft.changed({path: with_line_instead(text, line, head + ", ".join(kept) + tail)})


def _is_mostly_fetched(state: State, change: Change, runs: Runs) -> bool:
    """Whether enough of enough values were fetched. Half of the results are learned from."""
    figures = state.figures(runs)
    return -figures.aside * 2 >= ENOUGH and 100 * figures.asked <= OFTEN_PERCENT * figures.aside


KIND = Kind("taken back", _find, remarks=_remarks, accepts=_is_mostly_fetched)
