"""What a policy does to its samples, and does not: steps without effect, budgets out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from terse.diagnostic import Diagnostic, Label
from terse.fields.find import find
from terse.fields.regex import compiled
from terse.fields.selector import LinesMatching, Target
from terse.language import Checked, Reader, syntax
from terse.language.codes import chains, fields
from terse.language.tiers import known
from terse.language.workspace import SavedText, Workspace
from terse.memory.session import Session
from terse.payload.call import Call
from terse.payload.exact import dump
from terse.payload.payload import Payload
from terse.plan import model
from terse.plan.run import run
from terse.plan.trace import StepStatus
from terse.source import Span
from terse.tokens import Vocabulary


@dataclass(slots=True)
class _Step:
    """A step of a rule's chain: on how many samples it was tried, and whether it ever did something."""

    rule: str
    tried: int = 0
    acted: bool = False
    reasons: list[str] = field(default_factory=list)


def effects(checked: Checked, reader: Reader, vocabulary: Vocabulary) -> list[Diagnostic]:
    """Run a policy that compiled on the samples in its folder. Samples have no arguments, so rules that
    ask for some are not tried.
    """
    plan = checked.plan
    if plan is None:
        return []
    workspace = Workspace(checked.root, reader)
    steps: dict[tuple[str, str], _Step] = {}
    budgets: dict[str, Diagnostic] = {}
    rules = {rule.name: rule for rule in plan.rules}
    for tool in workspace.sampled_tools:
        for saved in workspace.texts(tool):
            call = Call(tool.server, tool.tool)
            payload = Payload.of(saved.text)
            outcome = run(
                plan, payload, call, Session(), vocabulary, can_retrieve=True, clock=_standing_still
            )
            applied = outcome.trace.rule
            if applied is None:
                continue
            for step in outcome.trace.steps:
                seen = steps.setdefault((step.at, step.label.split("(")[0]), _Step(applied.name))
                seen.tried += 1
                seen.acted |= step.status is StepStatus.APPLIED
                if step.note and step.note not in seen.reasons:
                    seen.reasons.append(step.note)
            for at, diagnostic in _out_of_reach(checked, rules[applied.name], saved, vocabulary):
                budgets.setdefault(at, diagnostic)
    return [*_without_effect(checked, steps), *budgets.values()]


def _standing_still() -> float:
    """A clock for which no budget runs out: what a step does here must not depend on the machine."""
    return 0.0


def _without_effect(checked: Checked, steps: dict[tuple[str, str], _Step]) -> Iterator[Diagnostic]:
    remembering = {tier.name for tier in known().tiers if tier.needs_memory}
    for node in _steps(checked):
        name = node.name.text
        seen = steps.get((node.span.place, name))
        # A sample is a first call: what speaks of an earlier one has nothing to speak of.
        if seen is None or seen.acted or name in remembering:
            continue
        samples = "the one sample" if seen.tried == 1 else f"all {seen.tried} samples"
        yield Diagnostic(
            chains.STEP_HAS_NO_EFFECT,
            f"`{name}` does nothing to {samples} of rule `{seen.rule}`",
            Label(node.span, "no effect"),
            help="leave it out, or save a sample on which it works",
            notes=tuple(seen.reasons[:1]),
        )


def _steps(checked: Checked) -> Iterator[syntax.Step]:
    for file in checked.files:
        for item in file.items:
            if isinstance(item, syntax.Chain):
                yield from item.steps
            elif isinstance(item, syntax.Rule):
                for line in item.lines:
                    if isinstance(line, syntax.Use):
                        yield from line.steps


def _out_of_reach(
    checked: Checked, rule: model.Rule, saved: SavedText, vocabulary: Vocabulary
) -> Iterator[tuple[str, Diagnostic]]:
    targets = [target for line in rule.fields if isinstance(line, model.Keep) for target in line.targets]
    for line in rule.fields:
        if not isinstance(line, model.FitIn) or not targets:
            continue
        kept = sum(vocabulary.count(text) for text in _kept(saved, targets))
        span = _fit(checked, line.at)
        if kept > line.tokens and span is not None:
            yield (
                line.at,
                Diagnostic(
                    fields.BUDGET_OUT_OF_REACH,
                    f"what rule `{rule.name}` keeps of `{saved.path}` has {kept:,} tokens",
                    Label(span, f"{line.tokens:,} tokens cannot be reached"),
                    help="keep less, or raise the budget",
                ),
            )


def _kept(saved: SavedText, targets: list[Target]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, LinesMatching):
            if saved.value is None:
                regex = compiled(target.regex)
                yield from (line for line in saved.text.splitlines() if regex.found_in(line))
        elif saved.value is not None:
            yield from (dump(spot.value) for spot in find(saved.value, target))


def _fit(checked: Checked, at: str) -> Span | None:
    for file in checked.files:
        for item in file.items:
            if isinstance(item, syntax.Rule):
                for line in item.lines:
                    if isinstance(line, syntax.Fit) and line.span.place == at:
                        return line.size.span
    return None
