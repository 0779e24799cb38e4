"""Rules and guards as checks read them and the compiler writes them: profiles, chains and units worked in.

A statement that cannot be resolved (an unknown chain, a wrong unit) is left out of its view; a check
tells why, and there is no plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from terse.guarantee import Guarantee, lowest
from terse.language import syntax, units
from terse.language.conditions import Facts, facts
from terse.language.globs import Names, covers
from terse.language.tiers import TierSpec
from terse.plan import model
from terse.source import Span

N = TypeVar("N", bound=syntax.Node)


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a rule with its chains worked in. `spec` is None for a tier that is only planned."""

    node: syntax.Step
    tier: str
    spec: TierSpec
    chain: syntax.Chain | None
    """The chain it stands in; None when it stands in the rule itself."""


@dataclass(frozen=True, slots=True)
class Act:
    """A field line of a rule: its own, or one of a profile it applies, or one of a `fit`."""

    node: syntax.Keep | syntax.Loss
    profile: syntax.Word | None = None
    """Where the rule says `apply`."""

    @property
    def parts(self) -> tuple[syntax.Part, ...]:
        return self.node.parts

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def guarantee(self) -> Guarantee:
        """The class of what the line does."""
        match self.node:
            case syntax.Keep():
                return Guarantee.EXACT
            case syntax.Remove():
                return Guarantee.LOSSY
            case syntax.Shorten(remove_rest=rest) if rest is not None:
                return Guarantee.LOSSY
        return Guarantee.RECOVERABLE


@dataclass(eq=False)
class _Matching:
    """What rules and guards have in common: a name, and the calls they match."""

    node: syntax.Rule | syntax.Guard
    path: str

    @property
    def name(self) -> str:
        return self.node.name.text

    @property
    def label(self) -> Span:
        """Where findings about the whole rule or guard point: its name."""
        return self.node.name.span

    @cached_property
    def on(self) -> tuple[syntax.Pattern, ...]:
        return tuple(p for line in all_of(self.node.lines, syntax.On) for p in line.patterns)

    @cached_property
    def names(self) -> tuple[Names, ...]:
        return tuple(map(names_of, self.on))

    @cached_property
    def except_(self) -> tuple[syntax.Pattern, ...]:
        return tuple(p for line in all_of(self.node.lines, syntax.Except) for p in line.patterns)

    @cached_property
    def without(self) -> tuple[Names, ...]:
        return tuple(map(names_of, self.except_))

    @cached_property
    def require(self) -> syntax.Require | None:
        return next(all_of(self.node.lines, syntax.Require), None)


@dataclass(eq=False)
class RuleView(_Matching):
    """A rule in force."""

    node: syntax.Rule
    path: str
    steps: tuple[RunStep, ...] = ()
    acts: tuple[Act, ...] = ()
    fits: tuple[tuple[syntax.Fit, tuple[Act, ...]], ...] = ()
    profiles: tuple[tuple[syntax.Word, syntax.Profile], ...] = ()
    stray: bool = False
    """It overrides a rule that does not exist: what it would collide with tells nothing."""

    @cached_property
    def whens(self) -> tuple[tuple[syntax.When, model.Condition], ...]:
        """The `when` lines, each with its compiled form; one with a wrong unit is left out."""
        lines = ((line, condition_of(line)) for line in all_of(self.node.lines, syntax.When))
        return tuple((line, condition) for line, condition in lines if condition is not None)

    @cached_property
    def conditions(self) -> tuple[model.Condition, ...]:
        return tuple(condition for _, condition in self.whens)

    @cached_property
    def facts(self) -> Facts:
        return facts(self.conditions)

    @cached_property
    def part_count(self) -> int:
        return sum(len(act.parts) for act in self.all_acts)

    @cached_property
    def too_large(self) -> bool:
        """A finding tells of it (T212); checks that compare everything with everything leave it out."""
        return _is_too_large(self.on, self.except_, self.part_count)

    @property
    def all_acts(self) -> Iterator[Act]:
        """The field lines that could act, those of `fit` included."""
        yield from self.acts
        for _, acts in self.fits:
            yield from acts

    @cached_property
    def because(self) -> tuple[syntax.Because, ...]:
        """The rule's reasons, then those of the profiles it applies."""
        own = tuple(all_of(self.node.lines, syntax.Because))
        theirs = (b for _, profile in self.profiles for b in all_of(profile.lines, syntax.Because))
        return own + tuple(theirs)

    @property
    def guarantee(self) -> Guarantee:
        """The static class: the lowest of all steps that could run."""
        steps = (step.spec.class_ for step in self.steps)
        return lowest((*steps, *(act.guarantee for act in self.all_acts)))


@dataclass(eq=False)
class GuardView(_Matching):
    """A guard."""

    node: syntax.Guard
    path: str

    @cached_property
    def keeps(self) -> tuple[syntax.Keep, ...]:
        return tuple(all_of(self.node.lines, syntax.Keep))

    @cached_property
    def part_count(self) -> int:
        return sum(len(keep.parts) for keep in self.keeps)

    @cached_property
    def too_large(self) -> bool:
        return _is_too_large(self.on, self.except_, self.part_count)

    @cached_property
    def never_store(self) -> syntax.NeverStore | None:
        return next(all_of(self.node.lines, syntax.NeverStore), None)

    @cached_property
    def never_use(self) -> tuple[syntax.Word, ...]:
        return tuple(word for line in all_of(self.node.lines, syntax.NeverUse) for word in line.tiers)

    @cached_property
    def because(self) -> tuple[syntax.Because, ...]:
        return tuple(all_of(self.node.lines, syntax.Because))


MAX_PARTS = 500
"""Patterns, and fields, of a rule or guard."""

MAX_HALF = 128
"""Characters of a half of a pattern: no tool has a longer name."""


def _is_too_large(on: Sequence[syntax.Pattern], except_: Sequence[syntax.Pattern], parts: int) -> bool:
    return (
        len(on) + len(except_) > MAX_PARTS
        or parts > MAX_PARTS
        or any(len(p.server) > MAX_HALF or len(p.tool) > MAX_HALF for p in (*on, *except_))
    )


# ---- from nodes to values ------------------------------------------------------------------------------


def all_of(lines: Iterable[syntax.Node], kind: type[N]) -> Iterator[N]:
    """The lines of one kind."""
    for line in lines:
        if isinstance(line, kind):
            yield line


def names_of(pattern: syntax.Pattern) -> Names:
    """The pattern for the algebra: a run of stars is one star."""
    return Names(_one_star(pattern.server), _one_star(pattern.tool))


def narrowed(block: syntax.Tools, word: syntax.Word) -> tuple[Names, ...]:
    """What a name in a line of a `tools` block stands for: it, with each pattern of the block that it is
    part of.
    """
    tool = _one_star(word.text)
    patterns = map(names_of, block.patterns)
    return tuple(Names(names.server, tool) for names in patterns if covers(names.tool, tool))


def words_of(line: syntax.ToolsLine) -> tuple[syntax.Word, ...]:
    """The names of tools in a line of a `tools` block."""
    match line:
        case syntax.Compress() | syntax.Show() | syntax.Hide():
            return line.tools
        case syntax.Rename():
            return (line.tool,)
    return ()


def _one_star(glob: str) -> str:
    while "**" in glob:
        glob = glob.replace("**", "*")
    return glob


def condition_of(line: syntax.When) -> model.Condition | None:
    """A `when` line as the plan has it; None when its quantity does not fit its place."""
    at = line.span.place
    match line.condition:
        case syntax.PayloadIs(kinds=kinds):
            return model.PayloadIs(texts(kinds), at)
        case syntax.PayloadHas(parts=parts):
            return model.PayloadHas(tuple(part.target for part in parts), at)
        case syntax.PayloadSize(comparison=comparison, quantity=quantity):
            size = units.compiled(quantity, units.PAYLOAD_SIZE)
            return model.PayloadSize(comparison_of(comparison), size, at) if size else None
        case syntax.FieldIs(field=part, kinds=kinds):
            return model.FieldIs(_keys(part), texts(kinds), at)
        case syntax.FieldSize(field=part, comparison=comparison, quantity=quantity):
            size = units.compiled(quantity, units.FIELD_SIZE)
            return model.FieldSize(_keys(part), comparison_of(comparison), size, at) if size else None
        case syntax.ArgumentIs(name=name, values=values):
            return model.ArgumentIs(name.text, texts(values), at)
        case syntax.ArgumentMatches(name=name, glob=glob):
            return model.ArgumentMatches(name.text, glob.text, at)
        case syntax.ArgumentPresence(name=name, present=present):
            return model.ArgumentPresence(name.text, present, at)
        case syntax.CallRepeats(within=None):
            return model.CallRepeats(None, at)
        case syntax.CallRepeats(within=syntax.Quantity() as quantity):
            within = units.compiled(quantity, units.WITHIN)
            return model.CallRepeats(within.amount, at) if within else None
        case syntax.SessionSize(comparison=comparison, quantity=quantity):
            size = units.compiled(quantity, units.SESSION)
            return model.SessionSize(comparison_of(comparison), size.amount, at) if size else None
    return None


def texts(words: Iterable[syntax.Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def comparison_of(word: syntax.Word) -> model.Comparison:
    return "over" if word.text == "over" else "under"


def _keys(part: syntax.Part) -> tuple[str, ...]:
    # The grammar allows nothing but a path after `field`.
    return getattr(part.target, "keys", ())
