"""Which questions are asked: of results that the rules make smaller without loss, result and result about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from terse.capture.results import Result
from terse.fluency.questions import document, is_lines, questions
from terse.fluency.trial import Item
from terse.folds.forms import unfold
from terse.folds.frame import NotFolded
from terse.guarantee import Guarantee
from terse.memory.session import Session
from terse.payload.payload import Payload
from terse.plan.model import Plan
from terse.plan.run import run
from terse.tokens import Vocabulary


def items(
    found: Iterable[Result],
    plan: Plan,
    vocabulary: Vocabulary,
    wanted: int,
    most_tokens: int,
    seed: int = 0,
) -> Sequence[Item]:
    """So many questions (fewer where there are not as many), from all results in turn.

    Results that stay as they are have nothing to compare, those that lose something on purpose no fair
    question, and those over `most_tokens` cost more than they tell.
    """
    by_result: list[list[Item]] = []
    for result in found:
        if vocabulary.is_over(result.text, most_tokens):
            continue
        payload = Payload.of(result.text)
        outcome = run(plan, payload, result.call, Session(), vocabulary, clock=_still)
        if outcome.text == result.text or outcome.guarantee < Guarantee.LOSSLESS:
            continue
        original = document(result.text)
        if payload.json is None and is_lines(original) and not _is_folded(outcome.text):
            # Laid out as records: a question on lines would ask for a text that no reader sees.
            continue
        name = f"{result.file} {result.part}".rstrip()
        asked = questions(result.text, seed)
        # Each result begins with another kind: of few questions on many results, all kinds are asked.
        first = len(by_result) % max(1, len(asked))
        asked = [*asked[first:], *asked[:first]]
        by_result.append([Item(name, result.text, outcome.text, one, one.answer(original)) for one in asked])
    turns = (item for turn in zip_longest(*by_result) for item in turn if item is not None)
    return [item for _, item in zip(range(wanted), turns, strict=False)]


def _is_folded(text: str) -> bool:
    try:
        unfold(text)
    except NotFolded:
        return False
    return True


def _still() -> float:
    return 0.0
