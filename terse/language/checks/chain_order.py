"""Steps that can never fit what they get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import chains as codes
from terse.language.conditions import JSON as JSON_KINDS
from terse.language.policy import Policy, run_steps
from terse.language.tiers import JSON, TEXT
from terse.language.views import RuleView, RunStep, all_of
from terse.payload.kind import Kind

_ANY = frozenset({JSON, TEXT})


def check(policy: Policy) -> Iterator[Diagnostic]:
    broken: set[str] = set()
    for items in policy.chain_items.values():
        for _, chain in items:
            steps = run_steps(policy, chain.steps)
            # A chain inside this one is checked where it is defined.
            own = [_never(policy, run, got) for run, got in _walk(steps, _ANY) if run.chain is None]
            found = [diagnostic for diagnostic in own if diagnostic is not None]
            if found:
                broken.add(chain.name.text)
                yield from found
    for view in policy.rules:
        yield from _rule(policy, view, broken)


def _rule(policy: Policy, view: RuleView, broken: set[str]) -> Iterator[Diagnostic]:
    states = start_states(view.facts.kinds)
    for use in all_of(view.node.lines, syntax.Use):
        for step in use.steps:
            runs = run_steps(policy, (step,))
            walked = list(_walk(runs, states))
            if not policy.is_chain(step.name.text):
                for run, got in walked:
                    never = _never(policy, run, got, view)
                    if never is not None:
                        yield never
            elif _none_fits(walked) and step.name.text not in broken | policy.built_in_chains.keys():
                takes = frozenset(state for run in runs for state in run.spec.takes)
                yield Diagnostic(
                    codes.CHAIN_ORDER,
                    f"no step of chain `{step.name.text}` can fit here",
                    Label(step.span, f"takes {_states(takes)}, and gets {_states(states)}"),
                    _why(view),
                )
            states = _after(walked, states)


def _none_fits(walked: Sequence[tuple[RunStep, frozenset[str]]]) -> bool:
    return bool(walked) and not any(_fits(run, got) for run, got in walked)


def start_states(kinds: frozenset[Kind]) -> frozenset[str]:
    """What a chain can begin with, for payloads of these kinds."""
    states: set[str] = set()
    if kinds & JSON_KINDS:
        states.add(JSON)
    if kinds - JSON_KINDS:
        states.add(TEXT)
    return frozenset(states) or _ANY


def _walk(steps: Sequence[RunStep], states: frozenset[str]) -> Iterator[tuple[RunStep, frozenset[str]]]:
    """Each step with what it can get from the steps before it."""
    for run in steps:
        yield run, states
        states = _left(run, states)


def _after(walked: Sequence[tuple[RunStep, frozenset[str]]], states: frozenset[str]) -> frozenset[str]:
    return _left(*walked[-1]) if walked else states


def _left(run: RunStep, states: frozenset[str]) -> frozenset[str]:
    """What a step can leave of what it gets. A step that does not find its shape, or no earlier result, is
    skipped, and so the form it took can go on.
    """
    spec = run.spec
    if not states & set(spec.takes) or spec.leaves is None:
        return states
    return states | {spec.leaves}


def _fits(run: RunStep, got: frozenset[str]) -> bool:
    return not got.isdisjoint(run.spec.takes)


def _never(
    policy: Policy, run: RunStep, got: frozenset[str], view: RuleView | None = None
) -> Diagnostic | None:
    if _fits(run, got):
        return None
    return Diagnostic(
        codes.CHAIN_ORDER,
        f"`{run.tier}` can never fit here",
        Label(run.node.span, f"takes {_states(frozenset(run.spec.takes))}, and gets {_states(got)}"),
        _why(view) if view is not None and got <= _ANY else (),
        help=_where(policy, run, got),
    )


def _where(policy: Policy, run: RunStep, got: frozenset[str]) -> str:
    takes = set(run.spec.takes)
    before = [
        f"`{tier.name}`"
        for tier in policy.tiers.values()
        if tier.leaves in takes and not got.isdisjoint(tier.takes)
    ]
    if not before:
        return "put it before the step that changes the form, or leave it out"
    return f"it can stand after {' or '.join(before[-3:])}; else leave it out"


def _why(view: RuleView) -> tuple[Label, ...]:
    return tuple(
        Label(line.span, "the rule is for these payloads")
        for line, _ in view.whens
        if isinstance(line.condition, (syntax.PayloadIs, syntax.PayloadHas))
    )


def _states(states: frozenset[str]) -> str:
    names = sorted(states)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
