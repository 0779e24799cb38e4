"""Implied, disjoint and contradictory conditions are so on every payload and call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from terse.fields.selector import Every, Path
from terse.language.conditions import disjoint, facts, found_with, implies
from terse.payload.kind import Kind
from terse.plan import model
from terse.plan.model import Quantity


@dataclass
class Situation:
    """A payload and a call, as far as conditions ask for them."""

    kind: Kind
    keys: frozenset[tuple[str, ...]]
    """Ways to values, from the root."""
    tokens: int
    extra_bytes: int
    arguments: dict[str, object] = field(default_factory=dict)
    calls_since: int | None = None
    session: int = 0

    def holds(self, condition: model.Condition) -> bool:
        match condition:
            case model.PayloadIs(kinds=kinds):
                return any(self.kind.is_a(Kind(kind)) for kind in kinds)
            case model.PayloadHas(targets=targets):
                return all(self._has(target) for target in targets)
            case model.PayloadSize(comparison=comparison, quantity=quantity):
                # A text has at most as many tokens as bytes.
                size = self.tokens if quantity.unit == "tokens" else self.tokens + self.extra_bytes
                return _compares(size, comparison, quantity.amount)
            case model.ArgumentIs(name=name, values=values):
                return name in self.arguments and _text(self.arguments[name]) in values
            case model.ArgumentMatches(name=name, glob=glob):
                value = self.arguments.get(name)
                return isinstance(value, str) and re.fullmatch(glob.replace("*", ".*"), value) is not None
            case model.ArgumentPresence(name=name, present=present):
                return (name in self.arguments) is present
            case model.CallRepeats(within=within):
                return self.calls_since is not None and (within is None or self.calls_since <= within)
            case model.SessionSize(comparison=comparison, tokens=tokens):
                return _compares(self.session, comparison, tokens)
        raise AssertionError(condition)

    def _has(self, target: object) -> bool:
        if not self.kind.is_a(Kind.JSON):
            return False
        if isinstance(target, Path):
            return any(_prefix(target.keys, way) for way in self.keys)
        assert isinstance(target, Every)
        return any(_prefix(target.keys, way[start:]) for way in self.keys for start in range(len(way)))


def _prefix(keys: tuple[str, ...], way: tuple[str, ...]) -> bool:
    return len(keys) <= len(way) and all(
        re.fullmatch(key.replace("*", ".*"), name) for key, name in zip(keys, way, strict=False)
    )


def _compares(size: int, comparison: str, amount: int) -> bool:
    return size > amount if comparison == "over" else size < amount


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


KEYS = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(tuple)
PATTERNS = st.lists(st.sampled_from(["a", "b", "a*", "*", "*b"]), min_size=1, max_size=3).map(tuple)
SITUATIONS = st.builds(
    Situation,
    st.sampled_from(Kind),
    st.frozensets(KEYS, max_size=4),
    st.integers(0, 6),
    st.integers(0, 3),
    st.dictionaries(
        st.sampled_from(["p", "q"]), st.one_of(st.sampled_from(["", "a", "ab", "5"]), st.just(5)), max_size=2
    ),
    st.one_of(st.none(), st.integers(1, 4)),
    st.integers(0, 6),
)
COMPARISONS = st.sampled_from(["over", "under"])
NAMES = st.sampled_from(["p", "q"])
CONDITIONS = st.one_of(
    st.builds(model.PayloadIs, st.lists(st.sampled_from(Kind).map(str), min_size=1, max_size=3).map(tuple)),
    st.builds(
        model.PayloadHas,
        st.lists(
            st.one_of(PATTERNS.map(Path), PATTERNS.map(Every)),
            min_size=1,
            max_size=2,
        ).map(tuple),
    ),
    st.builds(
        model.PayloadSize,
        COMPARISONS,
        st.builds(Quantity, st.integers(1, 6), st.sampled_from(["tokens", "bytes"])),
    ),
    st.builds(model.ArgumentIs, NAMES, st.lists(st.sampled_from(["a", "ab", "5"]), min_size=1).map(tuple)),
    st.builds(model.ArgumentMatches, NAMES, st.sampled_from(["a*", "*b", "*", "a", "5*"])),
    st.builds(model.ArgumentPresence, NAMES, st.booleans()),
    st.builds(model.CallRepeats, st.one_of(st.none(), st.integers(1, 4))),
    st.builds(model.SessionSize, COMPARISONS, st.integers(1, 6)),
)
SETS = st.lists(CONDITIONS, max_size=3)


@given(SETS, CONDITIONS, st.lists(SITUATIONS, max_size=15))
def test_what_is_implied_holds(
    given_: list[model.Condition], asked: model.Condition, all_: list[Situation]
) -> None:
    """Where a condition is said to be implied, it holds in every situation in which the others do."""
    if implies(facts(given_), asked):
        assert all(s.holds(asked) for s in all_ if all(s.holds(one) for one in given_))


@given(SETS, SETS, st.lists(SITUATIONS, max_size=15))
def test_what_is_disjoint_never_meets(
    a: list[model.Condition], b: list[model.Condition], all_: list[Situation]
) -> None:
    """Where two sets are said to exclude each other, no situation makes both true."""
    if disjoint(a, b):
        assert not any(all(s.holds(one) for one in (*a, *b)) for s in all_)


@given(CONDITIONS)
def test_every_condition_implies_itself(condition: model.Condition) -> None:
    """Unless it can never hold."""
    known = facts([condition])

    assert known.contradictory or implies(known, condition)


@given(SETS, CONDITIONS)
def test_more_conditions_imply_more(given_: list[model.Condition], asked: model.Condition) -> None:
    """What is implied stays so when a condition is added: narrowness is an order."""
    if implies(facts(given_), asked):
        assert implies(facts([*given_, model.PayloadIs(("json",))]), asked)


@given(KEYS, PATTERNS, PATTERNS)
def test_found_with_is_about_every_document(
    way: tuple[str, ...], a: tuple[str, ...], b: tuple[str, ...]
) -> None:
    """Where one selector is said to find something with another, it does in every document."""
    situation = Situation(Kind.OBJECT, frozenset({way}), 0, 0)
    for found in (Path(a), Every(a)):
        for target in (Path(b), Every(b)):
            if found_with(found, target) and situation.holds(model.PayloadHas((found,))):
                assert situation.holds(model.PayloadHas((target,)))
