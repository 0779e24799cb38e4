"""What a change of rules does: both versions over every case, and what is lost only now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.payload import Payload
from terse.plan import describe
from terse.plan.model import FieldLine, FitIn, Plan, Remove, Rule, Shorten, ToolsBlock
from terse.plan.run import sent
from terse.plan.trace import Outcome, StepStatus
from terse.report.differed import Names, NewLoss, SampleDiff, Side
from terse.review.cases import Case
from terse.review.once import outcome_of
from terse.tokens import Vocabulary


def differences(
    before: Plan, after: Plan, cases: Iterable[Case], vocabulary: Vocabulary
) -> Iterator[SampleDiff]:
    """Each case under both plans, after the session before it; like calls of a sample as one."""
    found: dict[SampleDiff, list[str]] = {}
    for case in cases:
        payload = Payload.of(case.text)
        old, new = (
            outcome_of(plan, payload, case.call, _session(plan, case, vocabulary), vocabulary, case.part)
            for plan in (before, after)
        )
        was, now = side_of(old), side_of(new)
        changed = old.text != new.text or (was.rule, was.guarantee) != (now.rule, now.guarantee)
        losses = tuple(new_losses_of(after, was, now, new))
        found.setdefault(SampleDiff(case.name, (), was, now, changed, losses), []).append(case.words)
    for sample, calls in found.items():
        yield replace(sample, calls=tuple(calls))


def _session(plan: Plan, case: Case, vocabulary: Vocabulary) -> Session:
    """The session in which the call of a case is made."""
    session = Session()
    for step in case.earlier:
        outcomes = [outcome_of(plan, Payload.of(text), step.call, session, vocabulary) for text in step.texts]
        sent(plan, outcomes, step.call, session, vocabulary)
    return session


def side_of(outcome: Outcome) -> Side:
    """What one version of the rules makes of a text."""
    trace = outcome.trace
    lost = round(trace.lost_percent * trace.tokens_in / 100)
    rule = trace.rule.name if trace.rule is not None else None
    return Side(rule, trace.tokens_out, outcome.guarantee.word, trace.lost, lost)


def new_losses_of(plan: Plan, was: Side, now: Side, outcome: Outcome) -> Iterator[NewLoss]:
    """What is lost now and was not before.

    Args:
        plan: the rules as they are now, and `outcome` what they made.
    """
    because = outcome.trace.rule.because if outcome.trace.rule is not None else ()
    places = dict(_places(plan, outcome))
    fresh = [name for name in now.lost if name not in was.lost]
    for name in fresh:
        yield NewLoss(name, places.get(name, ""), because)
    if not fresh and now.lost_tokens > was.lost_tokens:
        for name in now.lost:
            yield NewLoss(f"more of {name}", places.get(name, ""), because)


def _places(plan: Plan, outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The line that takes each thing that is lost."""
    chosen = outcome.trace.rule
    rule = next((rule for rule in plan.rules if chosen is not None and rule.name == chosen.name), None)
    if rule is None:
        return
    acted = {
        step.at
        for step in outcome.trace.steps
        if step.status is StepStatus.APPLIED and step.guarantee is Guarantee.LOSSY
    }
    for line in _lines(rule):
        if line.at in acted and isinstance(line, (Remove, Shorten)):
            for target in line.targets:
                yield describe.target(target), line.at


def _lines(rule: Rule) -> Iterator[FieldLine]:
    for line in rule.fields:
        yield line
        if isinstance(line, FitIn):
            yield from line.lines


# ---- rules and guards by name ----------------------------------------------------------------------------


def rule_names(before: Plan, after: Plan) -> Names:
    """Rules that were added, removed and changed; where a rule stands in its file is no change."""
    return _names({rule.name: rule for rule in before.rules}, {rule.name: rule for rule in after.rules})


def guard_names(before: Plan, after: Plan) -> Names:
    """The same of guards."""
    return _names({each.name: each for each in before.guards}, {each.name: each for each in after.guards})


def tools_names(before: Plan, after: Plan) -> Names:
    """The same of `tools` blocks, which are called by their patterns."""
    return _names(_by_patterns(before.tools), _by_patterns(after.tools))


def _by_patterns(blocks: Iterable[ToolsBlock]) -> dict[str, list[ToolsBlock]]:
    found: dict[str, list[ToolsBlock]] = {}
    for block in blocks:
        found.setdefault(describe.patterns(block.on), []).append(block)
    return found


def _names(before: dict[str, Any], after: dict[str, Any]) -> Names:
    return Names(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(
            sorted(
                name
                for name in after.keys() & before.keys()
                if without_places(before[name]) != without_places(after[name])
            )
        ),
    )


def without_places(struct: Any) -> Any:
    """A part of a plan as plain data, but for where it stands in its file."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bare(member) for key, member in value.items() if key != "at"}
        return [bare(item) for item in value] if isinstance(value, (list, tuple)) else value

    return bare(msgspec.to_builtins(struct))
