"""Where tuning stands: the rules so far, what they make of the sample, and what a change of them would."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from terse.guarantee import Guarantee, lowest
from terse.listing.definition import Definition
from terse.payload.call import Call
from terse.plan.choose import names
from terse.plan.model import Guard, Plan, Rule
from terse.review.difference import without_places
from terse.tokens import Vocabulary
from terse.tuning.draft import Draft
from terse.tuning.fetches import Ledgered
from terse.tuning.material import Material, Side
from terse.tuning.runs import Ran, Runner, Runs

_Tool = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Least:
    """What a change has to save to be worth a reviewer's time: tokens, or a share of what is sent now."""

    tokens: int = 0
    percent: float = 0.0

    def of(self, before: int) -> float:
        """In tokens, of so many that are sent now."""
        return max(self.tokens, before * self.percent / 100)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a change makes of the results that it could concern.

    Attributes:
        results: how many these are; `changed` of them are sent otherwise than before.
        before, after: tokens of what is sent.
        fetched_before, fetched_after: tokens of what the client fetches later, as far as that is known.
        aside: values that the change sets aside (below zero: that it no longer does), and their tokens;
            `asked` of them were fetched, as far as that is known.
        lost: tokens that are gone only now.
        guarantee_before, guarantee_after: the lowest class of a result.
    """

    results: int
    changed: int
    before: int
    after: int
    fetched_before: int = 0
    fetched_after: int = 0
    aside: int = 0
    aside_tokens: int = 0
    asked: int = 0
    lost: int = 0
    guarantee_before: Guarantee = Guarantee.EXACT
    guarantee_after: Guarantee = Guarantee.EXACT

    @property
    def gross(self) -> int:
        """Tokens that are no longer sent."""
        return self.before - self.after

    @property
    def net(self) -> int:
        """The same, less what is fetched because of it."""
        return self.gross - (self.fetched_after - self.fetched_before)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of rule files that may be worth it.

    Attributes:
        kind: the name of what found it.
        why: what it is good for, in one sentence.
        draft: the rules with it.
        floor: the class that no result may fall below because of it.
        rule: the rule that it changes or adds; empty of a `tools` block.
        listed: tokens of a list of tools before and after, where it is about that.
        must_save: it is worth it only if it saves; else if nothing of what is sent changes.
    """

    kind: str
    why: str
    draft: Draft
    floor: Guarantee
    rule: str = ""
    listed: tuple[int, int] | None = None
    must_save: bool = True


@dataclass(frozen=True)
class State:
    """The rules so far and what they come to.

    Attributes:
        lists: the tools of servers whose lists are known, as these send them.
        runs: what the rules make of each result of the sample, by its order.
        least_results: results of a tool below which nothing is said of it.
    """

    draft: Draft
    material: Material
    ledgered: Ledgered
    lists: Mapping[str, Sequence[Definition]]
    runner: Runner
    runs: Runs
    least: Least
    least_results: int

    @classmethod
    def of(
        cls,
        draft: Draft,
        material: Material,
        ledgered: Ledgered,
        lists: Mapping[str, Sequence[Definition]],
        runner: Runner,
        least: Least,
        least_results: int,
    ) -> State:
        """The rules as they are."""
        return cls(draft, material, ledgered, lists, runner, runner.run(draft.plan), least, least_results)

    @property
    def vocabulary(self) -> Vocabulary:
        """What tokens are counted with."""
        return self.runner.vocabulary

    def after(self, change: Change, runs: Runs) -> State:
        """The state with the change made; `runs` has what became of the results it concerns."""
        return replace(self, draft=change.draft, runs={**self.runs, **runs})

    def of_tool(self, tool: _Tool, side: Side | None = None) -> list[Ran]:
        """What became of the results of a tool."""
        return [ran for ran in self.runs.values() if ran.tool == tool and side in (None, ran.side)]

    def tools_under(self, rule: str, side: Side | None = None) -> list[_Tool]:
        """The tools of which the rule applies to some result."""
        found = {ran.tool for ran in self.runs.values() if rule in ran.rules and side in (None, ran.side)}
        return sorted(found)

    def is_enough(self, tool: _Tool) -> bool:
        """Whether there are results enough to speak of the tool."""
        return len(self.of_tool(tool)) >= self.least_results

    def concerned(self, plan: Plan) -> frozenset[_Tool]:
        """The tools of the sample of which that plan could make something else."""
        found: set[_Tool] = set()
        for before, after in _differing(self.draft.plan, plan):
            if isinstance(before, Rule) and isinstance(after, Rule) and _chooses_alike(before, after):
                # It takes the same results as before.
                found.update(self.tools_under(before.name))
                continue
            patterns = [pattern for each in (before, after) if each is not None for pattern in each.on]
            found.update(
                tool
                for tool in self.material.tools
                if any(names(pattern, Call(*tool)) for pattern in patterns)
            )
        return frozenset(found)

    def figures(self, runs: Runs) -> Figures:
        """What the results of `runs` come to, against what they come to now."""
        pairs = [(self.runs[order], ran) for order, ran in sorted(runs.items())]
        before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return Figures(
            len(pairs),
            sum(old.tokens_out != new.tokens_out or old.guarantee != new.guarantee for old, new in pairs),
            sum(ran.tokens_out for ran in before),
            sum(ran.tokens_out for ran in after),
            round(sum(map(self.fetch_cost, before))),
            round(sum(map(self.fetch_cost, after))),
            sum(ran.aside for ran in after) - sum(ran.aside for ran in before),
            sum(ran.aside_tokens for ran in after) - sum(ran.aside_tokens for ran in before),
            round(sum(map(self._asked, after)) - sum(map(self._asked, before))),
            sum(max(new.lost - old.lost, 0) for old, new in pairs),
            lowest(ran.guarantee for ran in before),
            lowest(ran.guarantee for ran in after),
        )

    def is_safe(self, runs: Runs, floor: Guarantee) -> bool:
        """Whether nothing fails, and no result falls below the floor, or loses more above `LOSSY`.

        INVARIANT: a change that was not allowed to lose anything is never proposed if a result does.
        """
        for order, ran in runs.items():
            old = self.runs[order]
            if ran.failed and not old.failed:
                return False
            if ran.guarantee < min(old.guarantee, floor):
                return False
            if floor > Guarantee.LOSSY and ran.lost > old.lost:
                return False
        return True

    def fetch_cost(self, ran: Ran) -> float:
        """Tokens that the client fetches of what a result sets aside, as far as that is known."""
        if self.material.fetched:
            return ran.fetched_tokens
        rate = self.ledgered.of(ran.tool).rate if ran.aside else None
        return 0.0 if rate is None else rate * ran.aside_tokens

    def _asked(self, ran: Ran) -> float:
        if self.material.fetched:
            return ran.fetched
        rate = self.ledgered.of(ran.tool).rate if ran.aside else None
        return 0.0 if rate is None else rate * ran.aside

    def rate(self, tools: Iterable[_Tool]) -> tuple[float, str] | None:
        """The share of values set aside of these tools that was fetched, and who says so; None: nobody."""
        tools = list(tools)
        if self.material.fetched:
            ran = [each for tool in tools for each in self.of_tool(tool)]
            aside = sum(each.aside for each in ran)
            if aside:
                return sum(each.fetched for each in ran) / aside, "captures"
        noted = [self.ledgered.of(tool) for tool in tools]
        aside = sum(each.aside for each in noted)
        if any(each.rate is not None for each in noted) and aside:
            return min(sum(each.fetched for each in noted) / aside, 1.0), "ledger"
        return None


_Item = Rule | Guard


def _differing(before: Plan, after: Plan) -> Iterator[tuple[_Item | None, _Item | None]]:
    """The rules and guards that are not the same in both, as they are in each."""
    for old, new in (
        (_by_name(before.rules), _by_name(after.rules)),
        (_by_name(before.guards), _by_name(after.guards)),
    ):
        for name in sorted({*old, *new}):
            a, b = old.get(name), new.get(name)
            if a is None or b is None or without_places(a) != without_places(b):
                yield a, b


def _chooses_alike(a: Rule, b: Rule) -> bool:
    parts = ((rule.on, rule.except_, [without_places(line) for line in rule.when]) for rule in (a, b))
    one, other = parts
    return one == other


def _by_name(items: Collection[Rule] | Collection[Guard]) -> Mapping[str, _Item]:
    return {item.name: item for item in items}
