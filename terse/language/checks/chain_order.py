"""Steps that can never fit what they get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import chains as codes
from terse.language.conditions import JSON
from terse.language.policy import Policy, run_steps
from terse.language.views import RuleView, RunStep, all_of
from terse.payload.kind import Kind
from terse.tiers.spec import State

_ANY = frozenset({State.JSON, State.TEXT})


def check(policy: Policy) -> Iterator[Diagnostic]:
    broken: set[str] = set()
    for items in policy.chain_items.values():
        for _, chain in items:
            steps = list(run_steps(policy, chain.steps))
            # A chain inside this one is checked where it is defined.
            own = [_never(run, got) for run, got in _walk(steps, _ANY) if run.chain is None]
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
            runs = list(run_steps(policy, (step,)))
            walked = list(_walk(runs, states))
            if not policy.is_chain(step.name.text):
                for run, got in walked:
                    never = _never(run, got, view)
                    if never is not None:
                        yield never
            elif _none_fits(walked) and step.name.text not in broken | policy.built_in_chains.keys():
                takes = frozenset(state for run in runs if run.spec for state in run.spec.takes)
                yield Diagnostic(
                    codes.CHAIN_ORDER,
                    f"no step of chain `{step.name.text}` can fit here",
                    Label(step.span, f"takes {_states(takes)}, and gets {_states(states)}"),
                    _why(view),
                )
            states = _after(walked, states)


def _none_fits(walked: Sequence[tuple[RunStep, frozenset[State]]]) -> bool:
    return bool(walked) and not any(_fits(run, got) for run, got in walked)


def start_states(kinds: frozenset[Kind]) -> frozenset[State]:
    """What a chain can begin with, for payloads of these kinds."""
    states = set()
    if kinds & JSON:
        states.add(State.JSON)
    if kinds - JSON:
        states.add(State.TEXT)
    return frozenset(states) or _ANY


def _walk(steps: Sequence[RunStep], states: frozenset[State]) -> Iterator[tuple[RunStep, frozenset[State]]]:
    """Each step with what it can get: every step before it has run where it fits."""
    for run in steps:
        yield run, states
        states = _left(run, states)


def _after(walked: Sequence[tuple[RunStep, frozenset[State]]], states: frozenset[State]) -> frozenset[State]:
    return _left(*walked[-1]) if walked else states


def _left(run: RunStep, states: frozenset[State]) -> frozenset[State]:
    spec = run.spec
    if spec is None or not states & spec.takes:
        return states
    return (states - spec.takes) | (frozenset({spec.leaves}) if spec.leaves else states & spec.takes)


def _fits(run: RunStep, got: frozenset[State]) -> bool:
    return run.spec is None or bool(run.spec.takes & got)


def _never(run: RunStep, got: frozenset[State], view: RuleView | None = None) -> Diagnostic | None:
    if run.spec is None or _fits(run, got):
        return None
    return Diagnostic(
        codes.CHAIN_ORDER,
        f"`{run.tier}` can never fit here",
        Label(run.node.span, f"takes {_states(run.spec.takes)}, and gets {_states(got)}"),
        _why(view) if view is not None and got <= _ANY else (),
        help="put it before the step that changes the form, or leave it out",
    )


def _why(view: RuleView) -> tuple[Label, ...]:
    return tuple(
        Label(line.span, "the rule is for these payloads")
        for line, _ in view.whens
        if isinstance(line.condition, (syntax.PayloadIs, syntax.PayloadHas))
    )


def _states(states: frozenset[State]) -> str:
    names = sorted(state.value for state in states)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
