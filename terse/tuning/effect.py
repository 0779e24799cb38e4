"""What a change of rules does to captured results, tool by tool, as `terse diff` tells it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from terse.guarantee import Guarantee, lowest
from terse.memory.session import Session
from terse.plan.model import Plan
from terse.plan.result import Answered
from terse.report.differed import NewLoss, SampleDiff, Side
from terse.review.difference import new_losses_of, side_of
from terse.tokens import Vocabulary
from terse.tuning.material import Material, Taken
from terse.tuning.runs import answer, guarantee_of, let_pass
from terse.tuning.saying import pattern


@dataclass(slots=True)
class _Sum:
    """What one version makes of all results of a tool."""

    rules: set[str] = field(default_factory=set)
    tokens: int = 0
    classes: list[Guarantee] = field(default_factory=list)
    lost: dict[str, None] = field(default_factory=dict)
    lost_tokens: int = 0

    def add(self, side: Side) -> None:
        self.rules.add(side.rule or "no rule")
        self.tokens += side.tokens
        self.classes.append(Guarantee.from_word(side.guarantee))
        self.lost.update(dict.fromkeys(side.lost))
        self.lost_tokens += side.lost_tokens

    @property
    def side(self) -> Side:
        return Side(
            ", ".join(sorted(self.rules)),
            self.tokens,
            lowest(self.classes).word,
            tuple(self.lost),
            self.lost_tokens,
        )


@dataclass(slots=True)
class _Tool:
    results: int = 0
    before: _Sum = field(default_factory=_Sum)
    after: _Sum = field(default_factory=_Sum)
    changed: bool = False
    losses: dict[NewLoss, None] = field(default_factory=dict)


def effect(before: Plan, after: Plan, material: Material, vocabulary: Vocabulary) -> tuple[SampleDiff, ...]:
    """Each tool's results under both plans, in their sessions; one entry for a tool.

    Raises:
        TokenizerError: the tokenizer gave up on a text.
    """
    tools: dict[tuple[str, str], _Tool] = {}
    name = None
    sessions = (Session(), Session())
    for taken in material.calls:
        if taken.session != name:
            sessions, name = (Session(), Session()), taken.session
        for session in sessions:
            let_pass(session, taken)
        old, new = (
            answer(plan, taken, session, vocabulary)
            for plan, session in zip((before, after), sessions, strict=True)
        )
        was, now = _side(old, taken, vocabulary), _side(new, taken, vocabulary)
        tool = tools.setdefault(taken.tool, _Tool())
        tool.results += 1
        tool.before.add(was)
        tool.after.add(now)
        tool.changed |= old.texts != new.texts or (was.rule, was.guarantee) != (now.rule, now.guarantee)
        for outcome in new.outcomes:
            tool.losses.update(dict.fromkeys(new_losses_of(after, was, side_of(outcome), outcome)))
    return tuple(
        SampleDiff(
            f"{pattern(name)}, {each.results:,} captured",
            (),
            each.before.side,
            each.after.side,
            each.changed,
            tuple(each.losses),
        )
        for name, each in sorted(tools.items())
    )


def _side(answered: Answered, taken: Taken, vocabulary: Vocabulary) -> Side:
    parts = [side_of(outcome) for outcome in answered.outcomes]
    return Side(
        ", ".join(_each_once(part.rule or "no rule" for part in parts)) or None,
        sum(map(vocabulary.count, answered.texts)),
        guarantee_of(answered, taken.texts).word,
        tuple(_each_once(name for part in parts for name in part.lost)),
        sum(part.lost_tokens for part in parts),
    )


def _each_once(names: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(names)
