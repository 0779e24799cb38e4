"""Which rule a call gets: narrowness between rules, collisions, and the order of the plan.

One entry is one `on` pattern of one rule. Of two entries the narrower wins: the one with the strictly
narrower pattern; of equal patterns, the one with the strictly stronger `when` lines. Two entries that
are neither and can meet on one call make that call ambiguous. `except` takes calls away from a rule;
it makes no rule narrower.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

from terse.language.conditions import Facts, disjoint, facts, implies_all
from terse.language.globs import Names, Zone, covers_pattern, meet_pattern, outside
from terse.language.views import GuardView, RuleView


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One `on` pattern of one rule; `index` is the pattern's place in the rule."""

    rule: RuleView
    index: int
    names: Names

    @property
    def zone(self) -> Zone:
        return Zone(self.names, self.rule.without)


@dataclass(frozen=True, slots=True)
class Collision:
    """Two entries, neither narrower, and a call that both would take."""

    a: Entry
    b: Entry
    call: Names
    same: bool
    """They match exactly the same calls."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A rule whose calls are all excepted or taken by narrower rules (`takers`, none twice)."""

    rule: RuleView
    takers: tuple[RuleView, ...]
    excepted: bool


class Entries:
    """The entries of a policy's rules, found by the calls they can meet."""

    def __init__(self, rules: Sequence[RuleView]) -> None:
        self.all = tuple(
            Entry(rule, index, names)
            for rule in rules
            if not rule.facts.contradictory and not rule.stray
            for index, names in enumerate(rule.names)
        )
        # Exact names meet only equal names and globs: a policy of 1,000 rules for as many tools
        # compares few of them.
        self._exact: dict[Names, list[Entry]] = defaultdict(list)
        self._by_server: dict[str, list[Entry]] = defaultdict(list)
        self._globs_by_server: dict[str, list[Entry]] = defaultdict(list)
        self._any_server: list[Entry] = []
        for entry in self.all:
            if "*" in entry.names.server:
                self._any_server.append(entry)
                continue
            self._by_server[entry.names.server].append(entry)
            if "*" in entry.names.tool:
                self._globs_by_server[entry.names.server].append(entry)
            else:
                self._exact[entry.names].append(entry)

    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """Every pair of entries of two rules whose patterns may meet, once."""
        for same in self._exact.values():
            yield from combinations(same, 2)
        for server, globs in self._globs_by_server.items():
            yield from combinations(globs, 2)
            for entry in self._by_server.get(server, ()):
                if "*" not in entry.names.tool:
                    yield from ((glob, entry) for glob in globs)
        yield from combinations(self._any_server, 2)
        for entry in self._any_server:
            for others in self._by_server.values():
                yield from ((entry, other) for other in others)

    def near(self, names: Names) -> Iterator[Entry]:
        """Entries whose pattern may be narrower than, or equal to, this one."""
        if "*" in names.server:
            yield from self.all
        elif "*" in names.tool:
            yield from self._by_server.get(names.server, ())
        else:
            yield from self._exact.get(names, ())


def narrower_pattern(a: Names, b: Names) -> bool:
    return a != b and covers_pattern(b, a)


def narrower(a: Entry, b: Entry) -> bool:
    """Whether `a` wins over `b` on every call that both match."""
    if a.names != b.names:
        return covers_pattern(b.names, a.names)
    return implies_all(a.rule.facts, b.rule.conditions) and not implies_all(b.rule.facts, a.rule.conditions)


def collisions(entries: Entries) -> list[Collision]:
    """Pairs of rules that collide, each once, at most `MAX_COLLISIONS`. The order of rules means nothing."""
    possible: dict[tuple[str, str], list[tuple[bool, Names, Names, Entry, Entry]]] = defaultdict(list)
    for a, b in entries.pairs():
        if a.rule is b.rule or not _may_meet(a, b) or _apart(a.rule.facts, b.rule.facts):
            continue
        same = a.names == b.names
        if not same:
            if covers_pattern(a.names, b.names) or covers_pattern(b.names, a.names):
                continue
        else:
            stronger = implies_all(a.rule.facts, b.rule.conditions)
            if stronger != implies_all(b.rule.facts, a.rule.conditions):
                continue
            same = stronger
        if a.rule.name > b.rule.name:
            a, b = b, a
        possible[a.rule.name, b.rule.name].append((not same, a.names, b.names, a, b))
    found: list[Collision] = []
    for key in sorted(possible):
        for different, _, _, a, b in sorted(possible[key], key=itemgetter(0, 1, 2)):
            call = _collides(entries, a, b, not different)
            if call is not None:
                first, second = sorted((a, b), key=lambda entry: (entry.rule.path, entry.rule.label.start))
                found.append(Collision(first, second, call, not different))
                break
        if len(found) == MAX_COLLISIONS:
            break
    return found


MAX_COLLISIONS = 100
"""Pairs of rules told of; whoever has more has one cause for them, and finds it in these."""


def _may_meet(a: Entry, b: Entry) -> bool:
    """Whether what stands before the first star, and behind the last, lets the two patterns meet."""
    for x, y in zip(a.names, b.names, strict=True):
        if x == y:
            continue
        head, other_head = x.partition("*")[0], y.partition("*")[0]
        if not (head.startswith(other_head) or other_head.startswith(head)):
            return False
        tail, other_tail = x.rpartition("*")[2], y.rpartition("*")[2]
        if not (tail.endswith(other_tail) or other_tail.endswith(tail)):
            return False
    return True


def _apart(a: Facts, b: Facts) -> bool:
    """Whether kinds or the values of an argument exclude each other: a quick look before the whole."""
    if not a.kinds & b.kinds:
        return True
    for name in a.arguments.keys() & b.arguments.keys():
        x, y = a.arguments[name].values, b.arguments[name].values
        if x is not None and y is not None and not x & y:
            return True
    return False


def _collides(entries: Entries, a: Entry, b: Entry, same: bool) -> Names | None:
    """A call that both take, and no narrower entry; None where there is none."""
    if meet_pattern(a.names, b.names) is None:
        return None
    if not same and disjoint(a.rule.conditions, b.rule.conditions):
        return None
    return _contested(entries, a, b)


def _contested(entries: Entries, a: Entry, b: Entry) -> Names | None:
    """A call that both take and no narrower entry surely takes from one of them."""
    both = facts((*a.rule.conditions, *b.rule.conditions))
    taken = [Zone(names) for names in (*a.rule.without, *b.rule.without)]
    for other in {id(e): e for names in (a.names, b.names) for e in entries.near(names)}.values():
        if other is a or other is b:
            continue
        if (narrower(other, a) or narrower(other, b)) and implies_all(both, other.rule.conditions):
            taken.append(other.zone)
    # Sorted, so that the call told does not depend on which file comes first.
    return outside(sorted((a.names, b.names)), sorted(taken))


def unreachable(entries: Entries) -> Iterator[Unreachable]:
    """Rules that never apply, each with the rules that take its calls, no more of them than it needs."""
    by_rule: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries.all:
        by_rule[id(entry.rule)].append(entry)
    for own in by_rule.values():
        rule = own[0].rule
        excepted = [Zone(names) for names in rule.without]
        takers: dict[str, Entry] = {}
        for entry in own:
            taking = _takers(entries, entry)
            if not (taking or excepted) or not _all_taken([entry], taking, excepted):
                break
            takers |= {f"{other.rule.name} {other.index}": other for other in taking}
        else:
            needed = [takers[key] for key in sorted(takers)]
            for other in list(needed):
                fewer = [one for one in needed if one is not other]
                if _all_taken(own, fewer, excepted):
                    needed = fewer
            rules = {other.rule.name: other.rule for other in needed}
            yield Unreachable(rule, tuple(rules.values()), not _all_taken(own, needed, []))


def _takers(entries: Entries, entry: Entry) -> list[Entry]:
    """Narrower entries of other rules that hold wherever this one does."""
    return [
        other
        for other in entries.near(entry.names)
        if other.rule is not entry.rule
        and narrower_pattern(other.names, entry.names)
        and implies_all(entry.rule.facts, other.rule.conditions)
    ]


def _all_taken(own: Iterable[Entry], takers: Iterable[Entry], excepted: Sequence[Zone]) -> bool:
    zones = [*excepted, *(other.zone for other in takers)]
    return all(outside((entry.names,), zones) is None for entry in own)


def order(rules: Sequence[RuleView]) -> list[Entry]:
    """All entries, narrower before broader; which of two that never meet comes first means nothing."""
    entries = [Entry(rule, i, names) for rule in rules for i, names in enumerate(rule.names)]
    groups: dict[Names, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.names].append(entry)
    stronger_than = {
        id(entry): sum(narrower(entry, other) for other in group) if len(group) > 1 else 0
        for group in groups.values()
        for entry in group
    }

    # INVARIANT: a strictly narrower pattern has more letters than the broader one, or as many
    # and fewer stars; strictly stronger `when` lines are stronger than more of the others.
    def key(entry: Entry) -> tuple[int, int, str, str, int, str, int]:
        text = entry.names.server + entry.names.tool
        stars = text.count("*")
        return (
            stars - len(text),
            stars,
            *entry.names,
            -stronger_than[id(entry)],
            entry.rule.name,
            entry.index,
        )

    return sorted(entries, key=key)


# ---- guards ------------------------------------------------------------------------------------------


def guard_of_all(rule: RuleView, guards: Sequence[GuardView]) -> GuardView | None:
    """The guard that every call of the rule is one of, if there is one among these.

    Where it takes several guards together, the first that has a call of the rule.
    """
    if not _always_guarded(rule, guards):
        return None
    alone = (guard for guard in guards if _always_guarded(rule, (guard,)))
    return next(alone, guards[0])


def _always_guarded(rule: RuleView, guards: Iterable[GuardView]) -> bool:
    zones = [Zone(names, guard.without) for guard in guards for names in guard.names]
    if not zones or not rule.names:
        return False
    excepted = [Zone(names) for names in rule.without]
    return all(outside((names,), [*zones, *excepted]) is None for names in rule.names)
