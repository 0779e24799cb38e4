"""What the `when` lines of a rule say together: implied by, disjoint from, contradictory.

Conditions are sets: kinds, values, intervals, presence. `facts` puts the lines of a rule together;
the questions below are asked of the result. They are sound: "implied" and "disjoint" are true of every
payload and call. Where they cannot know, the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from terse.fields.selector import CodeBlocks, Every, Everything, LinesMatching, Path, Target, TerminalCodes
from terse.language import globs
from terse.payload.kind import Kind
from terse.plan import model

INFINITE = 10**18


@dataclass(slots=True)
class Interval:
    """Sizes that are over `low` and under `high`."""

    low: int = -1
    high: int = INFINITE

    def narrow(self, comparison: model.Comparison, amount: int) -> None:
        if comparison == "over":
            self.low = max(self.low, amount)
        else:
            self.high = min(self.high, amount)

    @property
    def empty(self) -> bool:
        return self.high - self.low < 2

    def inside(self, comparison: model.Comparison, amount: int) -> bool:
        """Whether every size of the interval compares so."""
        return self.low >= amount if comparison == "over" else self.high <= amount


@dataclass(slots=True)
class FieldFacts:
    kinds: frozenset[Kind]
    sizes: dict[str, Interval] = field(default_factory=dict)


@dataclass(slots=True)
class ArgumentFacts:
    """`values` is None while any value will do; `matched` are the globs it must match as a string."""

    present: bool | None = None
    values: frozenset[str] | None = None
    matched: tuple[str, ...] = ()
    torn: bool = False
    """It would have to be there and not there at once."""

    @property
    def empty(self) -> bool:
        if self.torn or (self.values is not None and not self._possible):
            return True
        first, *others = self.matched or ("*",)
        return any(globs.meet(first, other) is None for other in others) or any(
            globs.meet(a, b) is None for a in others for b in others
        )

    @property
    def _possible(self) -> frozenset[str]:
        values = self.values or frozenset()
        return frozenset(v for v in values if all(globs.matches(glob, v) for glob in self.matched))

    def is_one_of(self, values: Iterable[str]) -> bool:
        return self.values is not None and self._possible <= frozenset(values)

    def surely_matches(self, glob: str) -> bool:
        if any(globs.covers(glob, own) for own in self.matched):
            return True
        # `is 5` also holds for the number 5, and a glob matches texts only.
        certain = self.values is not None and (bool(self.matched) or not any(map(may_be_json, self.values)))
        return certain and all(globs.matches(glob, value) for value in self._possible)


@dataclass(slots=True)
class Facts:
    """Everything that holds where all `when` lines of a rule hold."""

    kinds: frozenset[Kind] = frozenset(Kind)
    found: tuple[Target, ...] = ()
    sizes: dict[str, Interval] = field(default_factory=dict)
    fields: dict[tuple[str, ...], FieldFacts] = field(default_factory=dict)
    arguments: dict[str, ArgumentFacts] = field(default_factory=dict)
    repeats_within: int | None = None
    """INFINITE: repeats at all. None: may be the first call."""
    session: Interval = field(default_factory=Interval)

    @property
    def contradictory(self) -> bool:
        """Whether no payload and no call can make all of it true."""
        return (
            not self.kinds
            or any(interval.empty for interval in self.sizes.values())
            or self.session.empty
            or any(argument.empty for argument in self.arguments.values())
            or any(
                not one.kinds or any(interval.empty for interval in one.sizes.values())
                for one in self.fields.values()
            )
        )


JSON = frozenset(kind for kind in Kind if kind.is_a(Kind.JSON))
TEXT = frozenset(kind for kind in Kind if kind.is_a(Kind.TEXT))

_SCALAR = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null")


def may_be_json(value: str) -> bool:
    """Whether the text may also be how JSON writes something that is no text."""
    return value[:1] in ("[", "{") or _SCALAR.fullmatch(value) is not None


def facts(conditions: Iterable[model.Condition]) -> Facts:
    """Put the conditions of a rule together."""
    known = Facts()
    for condition in conditions:
        _add(known, condition)
    # A text of n bytes has at most n tokens, n characters and n line ends.
    at_least = max(
        (i.low - (unit == "lines") for unit, i in known.sizes.items() if unit != "bytes"), default=-1
    )
    if at_least >= 0:
        known.sizes.setdefault("bytes", Interval()).narrow("over", at_least)
    return known


def _add(known: Facts, condition: model.Condition) -> None:
    match condition:
        case model.PayloadIs(kinds=kinds):
            known.kinds &= kinds_of(kinds)
        case model.PayloadHas(targets=targets):
            for target in targets:
                known.found += (target,)
                known.kinds &= kinds_with(target)
        case model.PayloadSize(comparison=comparison, quantity=size):
            known.sizes.setdefault(size.unit, Interval()).narrow(comparison, size.amount)
        case model.FieldIs(path=path, kinds=kinds):
            _field(known, path).kinds &= kinds_of(kinds)
        case model.FieldSize(path=path, comparison=comparison, quantity=size):
            sizes = _field(known, path).sizes
            sizes.setdefault(size.unit, Interval()).narrow(comparison, size.amount)
        case model.ArgumentIs(name=name, values=values):
            argument = _argument(known, name, True)
            wanted = frozenset(values)
            argument.values = wanted if argument.values is None else argument.values & wanted
        case model.ArgumentMatches(name=name, glob=glob):
            _argument(known, name, True).matched += (glob,)
        case model.ArgumentPresence(name=name, present=present):
            _argument(known, name, present)
        case model.CallRepeats(within=within):
            before = INFINITE if known.repeats_within is None else known.repeats_within
            known.repeats_within = min(before, INFINITE if within is None else within)
        case model.SessionSize(comparison=comparison, tokens=tokens):
            known.session.narrow(comparison, tokens)


def _field(known: Facts, path: tuple[str, ...]) -> FieldFacts:
    # A condition on a field holds only where the field is found.
    known.found += (Path(path),)
    known.kinds &= JSON
    return known.fields.setdefault(path, FieldFacts(frozenset(Kind)))


def _argument(known: Facts, name: str, present: bool) -> ArgumentFacts:
    argument = known.arguments.setdefault(name, ArgumentFacts())
    argument.torn = argument.torn or argument.present not in (None, present)
    argument.present = present
    return argument


def kinds_of(words: Iterable[str]) -> frozenset[Kind]:
    """The kinds that a payload can be of when it is one of these."""
    named = [Kind(word) for word in words]
    return frozenset(kind for kind in Kind if any(kind.is_a(one) for one in named))


def kinds_with(target: Target) -> frozenset[Kind]:
    """The kinds of payload in which the target can be found."""
    match target:
        case Path() | Every():
            return JSON
        case LinesMatching() | CodeBlocks() | TerminalCodes():
            return TEXT
        case Everything():
            return frozenset(Kind)


# ---- the questions ---------------------------------------------------------------------------------


def implies(known: Facts, condition: model.Condition) -> bool:
    """Whether the condition holds wherever the facts do."""
    match condition:
        case model.PayloadIs(kinds=kinds):
            return known.kinds <= kinds_of(kinds)
        case model.PayloadHas(targets=targets):
            return all(any(found_with(own, target) for own in known.found) for target in targets)
        case model.PayloadSize(comparison=comparison, quantity=size):
            return _sized(known.sizes, comparison, size)
        case model.FieldIs(path=path, kinds=kinds):
            return path in known.fields and known.fields[path].kinds <= kinds_of(kinds)
        case model.FieldSize(path=path, comparison=comparison, quantity=size):
            return path in known.fields and _sized(known.fields[path].sizes, comparison, size)
        case model.ArgumentIs(name=name, values=values):
            return name in known.arguments and known.arguments[name].is_one_of(values)
        case model.ArgumentMatches(name=name, glob=glob):
            return name in known.arguments and known.arguments[name].surely_matches(glob)
        case model.ArgumentPresence(name=name, present=present):
            return name in known.arguments and known.arguments[name].present is present
        case model.CallRepeats(within=within):
            return known.repeats_within is not None and known.repeats_within <= (
                INFINITE if within is None else within
            )
        case model.SessionSize(comparison=comparison, tokens=tokens):
            return known.session.inside(comparison, tokens)


def _sized(sizes: dict[str, Interval], comparison: model.Comparison, size: model.Quantity) -> bool:
    own = sizes.get(size.unit)
    return own is not None and own.inside(comparison, size.amount)


def implies_all(known: Facts, conditions: Iterable[model.Condition]) -> bool:
    """Whether a rule with these conditions holds wherever the facts do."""
    return all(implies(known, condition) for condition in conditions)


def disjoint(a: Sequence[model.Condition], b: Sequence[model.Condition]) -> bool:
    """Whether no payload and no call can make both sets of conditions true."""
    return facts((*a, *b)).contradictory


def found_with(found: Target, target: Target) -> bool:
    """Whether `target` finds something wherever `found` does."""
    if found == target or isinstance(target, Everything):
        return True
    match found, target:
        case Path(keys=own), Path(keys=keys):
            return len(keys) <= len(own) and _keys_cover(keys, own)
        case ((Path(keys=own) | Every(keys=own)), Every(keys=keys)):
            return any(_keys_cover(keys, own[start:]) for start in range(len(own) - len(keys) + 1))
    return False


def _keys_cover(keys: Sequence[str], own: Sequence[str]) -> bool:
    return all(globs.covers(a, b) for a, b in zip(keys, own, strict=False))
