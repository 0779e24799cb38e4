"""Which rules, `when` lines and field lines the tests make act, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator

from terse.fields.find import first
from terse.fields.page import Page
from terse.fields.selector import Target
from terse.payload.payload import Payload
from terse.plan import describe
from terse.plan.choose import applies
from terse.plan.conditions import Facts
from terse.plan.model import FitIn, Keep, Plan, Remove, Rule, SetAside, Shorten
from terse.plan.trace import Outcome, StepStatus, StepTrace
from terse.report.tested import Covered


class _Seen:
    """What the tests have shown of one rule so far."""

    def __init__(self) -> None:
        self.called = False
        self.applied = False
        self.held: set[int] = set()
        """Places of the `when` lines that held once."""
        self.reasons: dict[int, str] = {}
        self.lost_to: list[str] = []
        self.acted: set[str] = set()
        self.steps: dict[str, StepTrace] = {}


class Coverage:
    """Collects what each call of the tests makes of the rules of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._seen = {rule.name: _Seen() for rule in plan.rules}

    def note(self, facts: Facts, outcome: Outcome) -> None:
        """Take in one run: `facts` as they were before it, and what came of it.

        Raises:
            TokenizerError: a condition asks for tokens, and the tokenizer gave up.
        """
        chosen = outcome.trace.rule.name if outcome.trace.rule else None
        for rule in self._plan.rules:
            if not applies(rule, facts.call):
                continue
            seen = self._seen[rule.name]
            seen.called = True
            holds = [facts.holds(condition) for condition in rule.when]
            for place, (condition, held) in enumerate(zip(rule.when, holds, strict=True)):
                if held:
                    seen.held.add(place)
                else:
                    seen.reasons[place] = facts.reason(condition)
            if rule.name == chosen:
                seen.applied = True
                self._note_lines(rule, seen, facts.payload, outcome)
            elif all(holds) and chosen is not None and chosen not in seen.lost_to:
                seen.lost_to.append(chosen)

    def _note_lines(self, rule: Rule, seen: _Seen, payload: Payload, outcome: Outcome) -> None:
        for step in outcome.trace.steps:
            if step.status is StepStatus.APPLIED:
                seen.acted.add(step.at)
            seen.steps[step.at] = step
        for line in rule.fields:
            if isinstance(line, Keep) and any(_found(payload, target) for target in line.targets):
                seen.acted.add(line.at)

    def lines(self) -> Iterator[Covered]:
        """Every rule with its lines, in the order of the files."""
        for rule in self._plan.rules:
            seen = self._seen[rule.name]
            gap = "" if seen.applied else self._never_applied(rule, seen)
            yield Covered("rule", rule.name, rule.at, f"rule {rule.name}", gap)
            for place, condition in enumerate(rule.when):
                text = describe.condition(condition)
                if place in seen.held:
                    yield Covered("when", rule.name, condition.at, text)
                elif not seen.called:
                    yield Covered("when", rule.name, condition.at, text, gap, follows=True)
                else:
                    reason = seen.reasons.get(place, "")
                    why = f"never true: {reason}" if reason else "never true"
                    yield Covered("when", rule.name, condition.at, text, why)
            for line in _field_lines(rule):
                text = describe.field_line(line)
                if line.at in seen.acted:
                    yield Covered("field", rule.name, line.at, text)
                elif not seen.applied:
                    why = "its rule never applied"
                    yield Covered("field", rule.name, line.at, text, why, follows=True)
                else:
                    why = _never_acted(line, seen.steps.get(line.at))
                    yield Covered("field", rule.name, line.at, text, why)

    def _never_applied(self, rule: Rule, seen: _Seen) -> str:
        if not seen.called:
            return f"never matched: no test calls {describe.patterns(rule.on)}"
        if seen.lost_to:
            return f"matched, but lost to {', '.join(seen.lost_to)}"
        never = [describe.condition(line) for place, line in enumerate(rule.when) if place not in seen.held]
        if never:
            return f"never true: {never[0].removeprefix('when ')}"
        return "its `when` lines never held together"


def _field_lines(rule: Rule) -> Iterator[Keep | Remove | SetAside | Shorten | FitIn]:
    for line in rule.fields:
        yield line
        if isinstance(line, FitIn):
            yield from line.lines


def _never_acted(line: Keep | Remove | SetAside | Shorten | FitIn, step: StepTrace | None) -> str:
    if isinstance(line, FitIn):
        return "the result always fitted before"
    if isinstance(line, Keep):
        return "found nothing"
    if step is None:
        return "the result fitted before it"
    match step.status:
        case StepStatus.FORBIDDEN:
            return f"forbidden: {step.note}"
        case StepStatus.SKIPPED if step.note.startswith("nothing found"):
            return "found nothing"
    return f"changed nothing: {step.note}" if step.note else "changed nothing"


def _found(payload: Payload, target: Target) -> bool:
    if payload.json is not None:
        return first(payload.json, target) is not None
    return Page(payload.text).has(target)
