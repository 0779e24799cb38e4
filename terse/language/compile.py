"""From a policy without errors to its Plan: data that the engine runs without grammar and rule files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from terse.fields.selector import Target
from terse.guarantee import Guarantee
from terse.language import match, syntax, units
from terse.language.globs import Names
from terse.language.parse import EDITION
from terse.language.policy import Policy
from terse.language.views import Act, GuardView, RuleView, RunStep, all_of, names_of, narrowed
from terse.plan import model
from terse.plan.stored import hashed

# Field lines are always done in this order, whatever their order in the file.
_ORDER: tuple[type[syntax.Node], ...] = (syntax.Keep, syntax.Remove, syntax.SetAside, syntax.Shorten)


def compile_policy(policy: Policy) -> model.Plan:
    """The plan of a policy in which no check has found an error."""
    places = {id(view): index for index, view in enumerate(policy.rules)}
    plan = model.Plan(
        edition=EDITION,
        rules=tuple(map(_rule, policy.rules)),
        guards=tuple(map(_guard, policy.guards)),
        order=tuple(model.Entry(places[id(entry.rule)], entry.index) for entry in match.order(policy.rules)),
        tools=tuple(_tools(block) for _, block in policy.tools),
    )
    return hashed(plan)


def _rule(view: RuleView) -> model.Rule:
    lose = next(all_of(view.node.lines, syntax.Lose), None)
    spend = next(all_of(view.node.lines, syntax.Spend), None)
    return model.Rule(
        name=view.name,
        at=view.node.span.place,
        on=_patterns(view.names),
        except_=_patterns(view.without),
        when=view.conditions,
        fields=tuple(_fields(view)),
        chain=tuple(map(_step, view.steps)),
        require=_class(view.require),
        lose_percent=float(units.amount(lose.share)) if lose is not None else None,
        spend_ms=int(units.amount(spend.time)) if spend is not None else None,
        because=tuple(line.reason.text for line in view.because),
        guarantee=_WORDS[view.guarantee],
    )


def _guard(view: GuardView) -> model.Guard:
    return model.Guard(
        name=view.name,
        at=view.node.span.place,
        on=_patterns(view.names),
        except_=_patterns(view.without),
        require=_class(view.require),
        keep=tuple(model.Keep(_targets(line), line.span.place) for line in view.keeps),
        never_store=view.never_store is not None,
        never_use=tuple(word.text for word in view.never_use),
        because=tuple(line.reason.text for line in view.because),
    )


def _tools(block: syntax.Tools) -> model.ToolsBlock:
    on = _patterns(map(names_of, block.patterns))

    def named(words: Iterable[syntax.Word]) -> tuple[model.Pattern, ...]:
        return _patterns(names for word in words for names in narrowed(block, word))

    return model.ToolsBlock(
        on=on,
        at=block.span.place,
        compress=tuple(
            model.Compress(named(line.tools) or on, _LEVELS[line.level.text], line.span.place)
            for line in all_of(block.lines, syntax.Compress)
        ),
        present=tuple(
            model.Present(on, "wrapped" if line.how.text == "wrapped" else "in place", line.span.place)
            for line in all_of(block.lines, syntax.Present)
        ),
        show=tuple(
            model.Show(on, named(line.tools), line.span.place) for line in all_of(block.lines, syntax.Show)
        ),
        hide=tuple(
            model.Hide(named(line.tools), line.span.place) for line in all_of(block.lines, syntax.Hide)
        ),
        rename=tuple(
            model.Rename(named((line.tool,)), line.to.text, line.span.place)
            for line in all_of(block.lines, syntax.Rename)
        ),
        because=tuple(line.reason.text for line in all_of(block.lines, syntax.Because)),
    )


_LEVELS: dict[str, model.Level] = {"low": "low", "medium": "medium", "high": "high", "max": "max"}

_WORDS: dict[Guarantee, model.ClassWord] = {
    Guarantee.EXACT: "exact",
    Guarantee.LOSSLESS: "lossless",
    Guarantee.RECOVERABLE: "recoverable",
    Guarantee.LOSSY: "lossy",
}


def _class(line: syntax.Require | None) -> model.ClassWord | None:
    return _WORDS[Guarantee.from_word(line.guarantee.text)] if line is not None else None


def _patterns(names: Iterable[Names]) -> tuple[model.Pattern, ...]:
    return tuple(model.Pattern(server, tool) for server, tool in names)


def _step(step: RunStep) -> model.Step:
    given = {option.name.text: option.value for option in step.node.options}
    options: dict[str, model.OptionValue] = {}
    for spec in step.spec.options:
        value = given.get(spec.name)
        options[spec.name] = int(units.amount(value)) if isinstance(value, syntax.Quantity) else spec.default
    return model.Step(step.tier, options, step.node.span.place)


def _fields(view: RuleView) -> Iterator[model.FieldLine]:
    for kind in _ORDER:
        for act in view.acts:
            if isinstance(act.node, kind):
                yield _line(act)
    for fit, acts in view.fits:
        lines = tuple(line for line in map(_line, acts) if not isinstance(line, (model.Keep, model.FitIn)))
        yield model.FitIn(int(units.amount(fit.size)), lines, fit.span.place)


def _line(act: Act) -> model.FieldLine:
    node, at = act.node, act.span.place
    targets = _targets(node)
    match node:
        case syntax.Keep():
            return model.Keep(targets, at)
        case syntax.Remove(over=over):
            return model.Remove(targets, units.compiled(over, units.FIELD_SIZE) if over else None, at)
        case syntax.SetAside(over=over):
            return model.SetAside(targets, units.compiled(over, units.FIELD_SIZE) if over else None, at)
        case syntax.Shorten():
            size = units.compiled(node.to, units.SHORTEN_TO)
            assert size is not None, "INVARIANT: checks.quantities has found every size in order"
            return model.Shorten(targets, size, _end(node), node.remove_rest is not None, at)


def _end(node: syntax.Shorten) -> Literal["first", "last", "both"]:
    if node.both_ends is not None:
        return "both"
    return "last" if node.end is not None and node.end.text == "last" else "first"


def _targets(line: syntax.Keep | syntax.Loss) -> tuple[Target, ...]:
    return tuple(part.target for part in line.parts)
