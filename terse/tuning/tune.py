"""Changes found, tried one after another, and kept where they hold on results that they were not found on."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from terse.guarantee import Guarantee
from terse.report.tuned import Edit, Measured, Proposal, Tuned
from terse.review.run_tests import Read
from terse.tuning.draft import Draft
from terse.tuning.kinds import KINDS
from terse.tuning.kinds.kind import Allowed, Kind
from terse.tuning.material import Side
from terse.tuning.patch import edits, patch, patch_folder
from terse.tuning.runs import Runs
from terse.tuning.saying import pattern
from terse.tuning.state import Change, Figures, State

MOST_PROPOSALS = 40
"""More of them nobody reviews; those that are left out come when these are in."""

LEAST_HELD_OUT = 4
"""What takes something away needs so large a part (one in four) of the results that are enough held out."""

_Tool = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Tried:
    """A change that is worth it, and where tuning stands with it."""

    change: Change
    after: State


def tune(
    state: State,
    rules: str,
    allowed: Collection[Allowed],
    read: Read,
    notes: list[str],
    told: Callable[[str], None],
) -> Tuned:
    """What is worth changing. The same facts give the same proposals.

    Args:
        rules: the rules in words.
        allowed: what may take something away.
        read: how samples of tests are read.
        notes: gets a sentence for what was found and is not proposed.
        told: is told what is being looked for.
    """
    start = state
    failing = state.draft.failing(read, state.vocabulary)
    proposals: list[Proposal] = []
    for kind in KINDS:
        if kind.needs is not None and kind.needs not in allowed:
            continue
        told(kind.name)
        notes += kind.remarks(state)
        for alternatives in list(kind.find(state)):
            if len(proposals) == MOST_PROPOSALS:
                notes.append(f"{MOST_PROPOSALS} proposals are the most at a time: there may be more")
                return _tuned(start, state, proposals, rules, notes)
            tried = _best(state, kind, list(alternatives(state)), notes)
            if tried is None:
                continue
            if not tried.after.draft.failing(read, state.vocabulary) <= failing:
                notes.append(f"not proposed, as a test would fail: {tried.change.why}")
                continue
            proposals.append(_proposal(state, kind, tried))
            state = tried.after
    return _tuned(start, state, proposals, rules, notes)


def _best(state: State, kind: Kind, changes: list[Change], notes: list[str]) -> _Tried | None:
    """The change that saves most on the learned half, if it holds on the other."""
    best: tuple[Change, Figures, Runs] | None = None
    for change in changes:
        if change.listed is not None:
            before, after = change.listed
            if before - after >= max(state.least.of(before), 1):
                return _Tried(change, state.after(change, {}))
            continue
        runs = state.runner.run(change.draft.plan, state.concerned(change.draft.plan), "learned")
        figures = state.figures(runs)
        if not state.is_safe(runs, change.floor) or not _is_worth(state, kind, change, runs):
            continue
        if best is None or figures.net > best[1].net:
            best = change, figures, runs
        if not change.must_save:
            break
    if best is None:
        return None
    change, _, runs = best
    held = state.runner.run(change.draft.plan, state.concerned(change.draft.plan), "held out")
    if not state.is_safe(held, change.floor) or not _holds(state, kind, change, held):
        notes.append(f"not proposed, as it did not hold on the held-out results: {change.why}")
        return None
    return _Tried(change, state.after(change, {**runs, **held}))


def _is_worth(state: State, kind: Kind, change: Change, runs: Runs) -> bool:
    concerned = {ran.tool for ran in runs.values()}
    if not runs or sum(len(state.of_tool(tool)) for tool in concerned) < state.least_results:
        return False
    if not kind.accepts(state, change, runs):
        return False
    figures = state.figures(runs)
    return not change.must_save or figures.net >= max(state.least.of(figures.before), 1)


def _holds(state: State, kind: Kind, change: Change, runs: Runs) -> bool:
    """Whether it is as good on results that it was not found on: half of what is asked for at least."""
    if not runs:
        # All is learned from where a tool was called once: only what loses nothing is proposed then.
        return change.floor >= Guarantee.LOSSLESS
    if kind.needs is not None and len(runs) * LEAST_HELD_OUT < state.least_results:
        return False
    if not change.must_save or kind.needs is not None:
        if not kind.accepts(state, change, runs):
            return False
        if not change.must_save:
            return True
    figures = state.figures(runs)
    return figures.net > 0 and figures.net * 2 >= state.least.of(figures.before)


# ---- facts for reports ----------------------------------------------------------------------------------


def _proposal(state: State, kind: Kind, tried: _Tried) -> Proposal:
    change = tried.change
    changed = _changed_tools(state, tried.after)
    # Results of other tools that the rule is for are as they were, and would only blur the figures.
    learned, held = both = tuple(state.figures(_of(tried.after, changed, side)) for side in _SIDES)
    aside = sum(each.aside for each in both)
    aside_tokens = sum(each.aside_tokens for each in both)
    gross = sum(each.gross for each in both)
    about_list = change.listed is not None
    return Proposal(
        kind.name,
        change.why,
        change.rule,
        tuple(pattern(tool) for tool in changed),
        _edits(state.draft, change.draft),
        None if about_list else _measured(learned),
        None if about_list or not held.results else _measured(held),
        change.listed,
        kind.loses,
        min(each.guarantee_before for each in both).word,
        min(each.guarantee_after for each in both).word,
        sum(each.lost for each in both),
        aside,
        _fetched(state, changed, both) if aside else "",
        min(100 * gross // aside_tokens, 100) if aside > 0 and aside_tokens > 0 else None,
    )


def _changed_tools(before: State, after: State) -> list[_Tool]:
    """The tools whose results are other ones; where none are, those that other rules are for."""
    pairs = [(before.runs[order], ran) for order, ran in after.runs.items()]
    found = {
        new.tool for old, new in pairs if (old.tokens_out, old.guarantee) != (new.tokens_out, new.guarantee)
    }
    return sorted(found or {new.tool for old, new in pairs if old.rules != new.rules})


def _of(state: State, tools: Collection[_Tool], side: Side) -> Runs:
    return {order: ran for order, ran in state.runs.items() if ran.tool in tools and ran.side == side}


_SIDES: tuple[Side, Side] = ("learned", "held out")


def _edits(before: Draft, after: Draft) -> tuple[Edit, ...]:
    found = []
    for path, text in sorted(after.texts.items()):
        old = before.texts.get(path, before.original.get(path))
        if old != text:
            found.append(Edit(path, *edits(old, text)))
    return tuple(found)


def _fetched(state: State, tools: list[_Tool], both: Sequence[Figures]) -> str:
    """How often the values in question were fetched, and who says so."""
    asked = abs(sum(each.asked for each in both))
    aside = sum(each.aside for each in both)
    is_given_back, aside = aside < 0, abs(aside)
    if state.material.fetched and (asked or is_given_back):
        return f"{asked:,} of {aside:,} values were fetched in the captured sessions"
    noted = [state.ledgered.of(tool) for tool in tools]
    values, times = sum(each.aside for each in noted), sum(each.fetched for each in noted)
    if values:
        return f"{times:,} of {values:,} values of these tools were fetched, by the ledger"
    return "never set aside so far: whether it is fetched is not known"


def _measured(figures: Figures) -> Measured:
    return Measured(figures.results, figures.changed, figures.before, figures.after, figures.net)


def _tuned(start: State, state: State, proposals: list[Proposal], rules: str, notes: list[str]) -> Tuned:
    held = {order: ran for order, ran in state.runs.items() if ran.side == "held out"}
    material = start.material
    files = state.draft.differs
    where = patch_folder(files)
    if where:
        notes.append(f"the patch is for {where}: run `git apply` or `patch -p1` there")
    return Tuned(
        rules,
        sum(material.read.values()),
        len(material.read),
        material.sessions,
        len(material.calls),
        start.ledgered.results,
        tuple(proposals),
        _measured(start.figures(held)),
        sum(ran.tokens_in for ran in held.values()),
        files,
        patch({os.path.relpath(path, where or os.curdir): texts for path, texts in files.items()}),
        (*material.notes, *notes),
    )
