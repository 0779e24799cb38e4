"""Recorded sessions under a policy, or two: facts for `terse replay`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from terse.guarantee import Guarantee

LONG = 300
"""Characters from which on a repeat that changed is counted: of less there is little to leave out."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of one call.

    Attributes:
        before, after: tokens of what the client would have shown, and of what it shows.
        lost: tokens that are gone for good.
        repeat: the same call came before in the session and gave the same (True) or something else (False);
            None for a first call and for errors.
    """

    server: str
    tool: str
    before: int
    after: int
    guarantee: Guarantee
    lost: int
    repeat: bool | None
    characters: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Calls together, under the rules and, where there are others to compare with, under those."""

    name: str
    calls: Sequence[Replayed]
    against: Sequence[Replayed] | None

    @property
    def before(self) -> int:
        return sum(call.before for call in self.calls)

    @property
    def after(self) -> int:
        return sum(call.after for call in self.calls)

    @property
    def lost(self) -> int:
        return sum(call.lost for call in self.calls)

    @property
    def after_against(self) -> int | None:
        return None if self.against is None else sum(call.after for call in self.against)

    @property
    def classes(self) -> dict[Guarantee, int]:
        """How many calls ended in which class, the strongest first."""
        found = Counter(call.guarantee for call in self.calls)
        return {each: found[each] for each in sorted(found, reverse=True)}


@dataclass(frozen=True)
class Replay:
    """All of it.

    Attributes:
        policy, against: the rules in words, and those to compare with.
        client: what the client shows, `text` or `structured`.
        sessions: how many were run.
        rows: each call under the rules, and under those to compare with.
        notes: what was left out; one sentence each.
    """

    policy: str
    against: str | None
    client: str
    vocabulary: str
    sessions: int
    rows: Sequence[tuple[Replayed, ...]]
    notes: Sequence[str] = ()

    @cached_property
    def tools(self) -> tuple[Group, ...]:
        """A group per tool, those with the most tokens first."""
        names = dict.fromkeys(f"{row[0].server}/{row[0].tool}" for row in self.rows)
        groups = [
            self._group(name, [row for row in self.rows if f"{row[0].server}/{row[0].tool}" == name])
            for name in names
        ]
        return tuple(sorted(groups, key=lambda group: (-group.before, group.name)))

    @cached_property
    def all(self) -> Group:
        return self._group("all", self.rows)

    def _group(self, name: str, rows: Sequence[tuple[Replayed, ...]]) -> Group:
        others = None if self.against is None else [row[1] for row in rows]
        return Group(name, [row[0] for row in rows], others)

    @property
    def same(self) -> list[int]:
        """Tokens of each call that gave again what it had given."""
        return [row[0].after for row in self.rows if row[0].repeat]

    @property
    def changed(self) -> list[float]:
        """Of each repeat that changed, the share of its tokens that was sent, in percent."""
        return [
            100 * row[0].after / row[0].before
            for row in self.rows
            if row[0].repeat is False and row[0].characters >= LONG and row[0].before
        ]

    @property
    def changed_median(self) -> float | None:
        return median(self.changed) if self.changed else None

    @property
    def problems(self) -> list[str]:
        return [
            f"{row[0].server}/{row[0].tool}: {problem}" for row in self.rows for problem in row[0].problems
        ]
