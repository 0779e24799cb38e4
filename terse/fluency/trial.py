"""The run: each question on the original and on the emitted form, with two controls, in shuffled order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from random import Random

from terse.fluency.endpoint import NoAnswer
from terse.fluency.questions import Question
from terse.report.fluent import Answer, Arm, Asked

SYSTEM = (
    "You are given the result of a tool call and a question on it. Answer from the result alone, with the "
    "bare value as it stands in the data: no sentence, no explanation, no quotes. Separate several values "
    "with a comma and a space. If the result does not say, answer: unknown."
)
WITHHELD = "(the result is not shown)"
FIRST_FAILURES = 4
"""So many requests without an answer from the first on, and the endpoint is not worth more."""


class NothingAnswers(Exception):  # noqa: N818 — says what the endpoint does
    """The first requests all failed. One line."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question on a result.

    Attributes:
        name: of the saved result.
        raw, emitted: the two texts.
        answer: worked out from the original.
    """

    name: str
    raw: str
    emitted: str
    question: Question
    answer: str


@dataclass(slots=True)
class Trial:
    """Asks all items in all arms.

    Attributes:
        ask: the model: system text and user text to an answer, or `NoAnswer`.
    """

    ask: Callable[[str, str], str]
    seed: int = 0
    failures: list[str] = field(default_factory=list)

    def run(self, items: Sequence[Item]) -> Iterator[None]:
        """Ask; one step of the iterator is one question answered or given up. Then `asked` has the answers.

        Raises:
            NothingAnswers: the first requests all failed.
            Refused: the endpoint refuses every request.
        """
        order = [(item, arm) for item in range(len(items)) for arm in Arm]
        # In order of arms, a model or a day that drifts would look like a difference between them.
        Random(self.seed).shuffle(order)
        found: dict[tuple[int, Arm], Answer] = {}
        for number, (at, arm) in enumerate(order):
            item = items[at]
            try:
                given = self.ask(SYSTEM, prompt(item, arm))
            except NoAnswer as why:
                self.failures.append(str(why))
                if len(self.failures) == number + 1 == FIRST_FAILURES:
                    raise NothingAnswers(f"the first {FIRST_FAILURES} requests failed: {why}") from None
            else:
                found[at, arm] = Answer(given, is_right(item.answer, given))
            yield
        self.asked = [
            Asked(
                item.name,
                item.question.kind.value,
                item.question.words,
                item.answer,
                {arm: found[at, arm] for arm in Arm if (at, arm) in found},
            )
            for at, item in enumerate(items)
        ]

    asked: list[Asked] = field(default_factory=list)


def prompt(item: Item, arm: Arm) -> str:
    """What is sent for a question in an arm."""
    shown = {Arm.EMITTED: item.emitted, Arm.WITHHELD: WITHHELD}.get(arm, item.raw)
    return f"Tool result:\n\n{shown}\n\nQuestion: {item.question.words}"


def is_right(answer: str, given: str) -> bool:
    """Whether a model's words are the answer; quotes, a last full stop and the spelling of numbers aside."""
    wanted, got = _parts(answer), _parts(given)
    if _plain(answer) == _plain(given):
        return True
    return len(wanted) == len(got) and all(_same(*pair) for pair in zip(wanted, got, strict=True))


def _parts(text: str) -> list[str]:
    return [_plain(part) for part in text.split(",")]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().strip("`'\"*").removesuffix(".").strip("`'\"* ")


def _same(one: str, other: str) -> bool:
    if one.casefold() == other.casefold():
        return True
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return False
