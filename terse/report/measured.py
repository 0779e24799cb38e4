"""Captured calls under a policy, summed up: facts for `terse measure`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from terse.guarantee import Guarantee
from terse.report.replayed import Replayed

MOST = 10
"""Calls of each list of outstanding ones."""
MOST_OF_ONE = 3
"""Of them, those of one tool."""
MOST_PROBLEMS = 20


class Why(StrEnum):
    """Why a result was sent as it came."""

    NO_TEXT = "no text"
    NO_RULE = "no rule matches"
    SMALL = "too small"
    TOO_LARGE = "too large"
    GUARD = "a guard forbids it"
    FAILED = "a step or the check failed"
    NOTHING = "nothing smaller was found"


@dataclass(frozen=True, slots=True)
class Measured:
    """One call.

    Attributes:
        replayed: what became of it, with the memory of its session.
        alone: tokens that are sent without the memory of what came before.
        against: tokens under the rules to compare with; None where there are none.
        kind: of its longest text, as `Payload` knows it.
        aside: tokens of the values that were set aside.
        milliseconds: of the processor.
        why: why it was sent as it came; None where it was not.
        has_rule: a rule matches the call.
        place: the file and the line.
    """

    replayed: Replayed
    alone: int
    against: int | None
    kind: str
    aside: int
    milliseconds: float
    why: Why | None
    has_rule: bool
    place: str


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A call that stands out: which, and by how much."""

    size: float
    name: str
    place: str


@dataclass
class Sums:
    """Calls together.

    Attributes:
        before, after: tokens received, and sent with the memory of each session.
        alone, against: see `Measured`.
        shares: of each call the percent that was saved, rounded, and how often; for the median.
    """

    calls: int = 0
    changed: int = 0
    before: int = 0
    after: int = 0
    alone: int = 0
    against: int = 0
    lost: int = 0
    aside: int = 0
    milliseconds: float = 0.0
    slowest: float = 0.0
    without_rule: int = 0
    unchanged: Counter[str] = field(default_factory=Counter)
    unchanged_tokens: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    repeats: Counter[str] = field(default_factory=Counter)
    shares: Counter[int] = field(default_factory=Counter)

    def add(self, call: Measured) -> None:
        """Take one more call in."""
        made = call.replayed
        self.calls += 1
        self.changed += call.why is None
        self.before += made.before
        self.after += made.after
        self.alone += call.alone
        self.against += call.against or 0
        self.lost += made.lost
        self.aside += call.aside
        self.milliseconds += call.milliseconds
        self.slowest = max(self.slowest, call.milliseconds)
        self.without_rule += not call.has_rule
        if call.why is not None:
            self.unchanged[call.why.value] += 1
            self.unchanged_tokens[call.why.value] += made.before
        self.classes[made.guarantee.word] += 1
        if made.repeat is not None:
            self.repeats["same" if made.repeat else "changed"] += 1
        if made.before:
            self.shares[round(100 * (made.before - made.after) / made.before)] += 1

    def merge(self, other: Sums) -> None:
        """Take others in."""
        self.slowest = max(self.slowest, other.slowest)
        for name in (
            *("calls", "changed", "before", "after", "alone", "against", "lost", "aside", "milliseconds"),
            "without_rule",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("unchanged", "unchanged_tokens", "classes", "repeats", "shares"):
            getattr(self, name).update(getattr(other, name))

    @property
    def saved(self) -> int:
        return self.before - self.after

    @property
    def saved_alone(self) -> int:
        return self.before - self.alone

    @property
    def median(self) -> int | None:
        """Of each call the percent that was saved: the one in the middle."""
        left = sum(self.shares.values()) / 2
        for share in sorted(self.shares):
            left -= self.shares[share]
            if left <= 0:
                return share
        return None

    @property
    def in_order(self) -> dict[str, int]:
        """How many calls ended in which class, the strongest first."""
        words = [each.word for each in sorted(Guarantee, reverse=True)]
        return {word: self.classes[word] for word in words if self.classes[word]}


Key = tuple[str, str, str]
"""Server, tool and kind."""


@dataclass
class Tally:
    """What was measured of some calls. INVARIANT: its size hangs on names, never on how many calls there are.

    Attributes:
        added: tokens that our own tools take in the lists of tools, once for each session with a server.
        sessions: how many there were.
        resumed: sessions that were too many at once, and went on as new ones.
    """

    sums: dict[Key, Sums] = field(default_factory=dict)
    added: int = 0
    sessions: int = 0
    resumed: int = 0
    slowest: list[Outstanding] = field(default_factory=list)
    losses: list[Outstanding] = field(default_factory=list)
    untouched: list[Outstanding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    more_problems: int = 0

    def add(self, call: Measured) -> None:
        """Take one more call in."""
        made = call.replayed
        name = f"{made.server}/{made.tool}"
        self.sums.setdefault((made.server, made.tool, call.kind), Sums()).add(call)
        self.slowest = most(self.slowest, Outstanding(call.milliseconds, name, call.place))
        if made.lost:
            self.losses = most(self.losses, Outstanding(made.lost, name, call.place))
        if call.why is not None:
            said = f"{name}: {call.why.value}"
            self.untouched = most(self.untouched, Outstanding(made.before, said, call.place))
        for problem in made.problems:
            self._add_problem(f"{call.place}: {name}: {problem}")

    def merge(self, other: Tally) -> None:
        """Take another one in."""
        for key, sums in other.sums.items():
            self.sums.setdefault(key, Sums()).merge(sums)
        self.added += other.added
        self.sessions += other.sessions
        self.resumed += other.resumed
        for name in ("slowest", "losses", "untouched"):
            setattr(self, name, most(getattr(self, name), *getattr(other, name)))
        for problem in other.problems:
            self._add_problem(problem)
        self.more_problems += other.more_problems

    def _add_problem(self, problem: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more_problems += 1


def most(known: list[Outstanding], *more: Outstanding) -> list[Outstanding]:
    """The `MOST` that stand out most, the first ones first, and of each tool `MOST_OF_ONE` at most."""
    if len(known) == MOST and all(each.size <= known[-1].size for each in more):
        return known
    found: list[Outstanding] = []
    names: Counter[str] = Counter()
    for each in sorted({*known, *more}, key=lambda each: (-each.size, each.name, each.place)):
        names[each.name] += 1
        if names[each.name] <= MOST_OF_ONE:
            found.append(each)
    return found[:MOST]


@dataclass(frozen=True)
class Group:
    """Calls of one name together."""

    name: str
    sums: Sums


@dataclass(frozen=True)
class Measure:
    """All of it.

    Attributes:
        policy, against: the rules in words, and those to compare with.
        client: what the client shows, `text` or `structured`.
        files: how many were read.
        fetched_percent: how much of what is set aside is taken to be fetched later.
        notes: what was left out; one sentence each.
    """

    policy: str
    against: str | None
    client: str
    vocabulary: str
    files: int
    tally: Tally
    fetched_percent: float = 0.0
    notes: Sequence[str] = ()

    @cached_property
    def all(self) -> Group:
        return Group("all", _merged(self.tally.sums.values()))

    @cached_property
    def tools(self) -> tuple[Group, ...]:
        """A group per tool, those with the most tokens first."""
        return self._by(lambda key: f"{key[0]}/{key[1]}")

    @cached_property
    def servers(self) -> tuple[Group, ...]:
        return self._by(lambda key: key[0])

    @cached_property
    def kinds(self) -> tuple[Group, ...]:
        return self._by(lambda key: key[2])

    @property
    def without_rule(self) -> tuple[Group, ...]:
        """Tools that no rule matches, in none of their calls."""
        return tuple(each for each in self.tools if each.sums.without_rule == each.sums.calls)

    @property
    def fetched(self) -> int:
        """Tokens of what is taken to be fetched later."""
        return round(self.all.sums.aside * self.fetched_percent / 100)

    @property
    def net(self) -> int:
        """Tokens saved, less what our own tools take in lists of tools, and what is fetched later."""
        return self.all.sums.saved - self.tally.added - self.fetched

    @property
    def net_alone(self) -> int:
        """The same without memory."""
        return self.all.sums.saved_alone - self.tally.added - self.fetched

    def _by(self, name: Callable[[Key], str]) -> tuple[Group, ...]:
        names: dict[str, list[Sums]] = {}
        for key, sums in self.tally.sums.items():
            names.setdefault(name(key), []).append(sums)
        groups = [Group(each, _merged(found)) for each, found in names.items()]
        return tuple(sorted(groups, key=lambda group: (-group.sums.before, group.name)))


def _merged(each: Iterable[Sums]) -> Sums:
    made = Sums()
    for sums in each:
        made.merge(sums)
    return made
