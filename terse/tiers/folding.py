"""What all text folds have in common: reading the lines, trying the fold, proving it, and counting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from terse.folds.forms import FORMS
from terse.folds.frame import Folded, Form, Lines, NotFolded, Room
from terse.payload.kind import Kind
from terse.payload.sniff import sniff
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

Step = tuple[Form, list[str]]
"""A form, and the lines written in it."""

Fold = Callable[[list[str], Context], list[Step] | str]
"""The steps of a fold, one after another, or why it does not fit, in a few words."""

NAMES = {form.phrase: form.name for form in FORMS}

SAMPLE_CHARACTERS = 16_384
SAMPLE_LINES = 160
LEAST_GAIN = 0.03
"""A fold that takes away less is not worth a reader's effort."""

UNTOUCHED = frozenset({Kind.CODE, Kind.DIFF, Kind.BINARY})
"""Kinds in which an agent needs the very text: what it reads there it quotes in its next edit."""


def text_tier(
    name: str,
    sentence: str,
    reads: str,
    fits: Callable[[Sequence[str]], bool],
    fold: Fold,
    example: Example,
    quoted: bool = True,
    after: frozenset[str] = frozenset({"counts"}),
    also: frozenset[Kind] = frozenset(),
) -> Tier:
    """A tier that folds text.

    fits: whether the first lines of the text look like what the fold is for. Cheap: it decides for most.
    quoted: whether the text could be source that an agent quotes: then `UNTOUCHED` is left alone.
    after: the forms that may have been written before this one.
    also: kinds that this fold leaves alone beside those.
    """
    untouched = also | UNTOUCHED if quoted else also

    def run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
        start = 0
        if draft.state is State.FOLDED:
            start = draft.text.index("\n") + 1
            if not after >= {NAMES[phrase] for phrase in Folded.of(draft.text[:start]).phrases}:
                return Skip("folded already")
        sample = draft.text[start : start + SAMPLE_CHARACTERS]
        if untouched and _kind(sample) in untouched:
            return Skip("source text is left as it is")
        first = sample.split("\n", SAMPLE_LINES)
        if len(first) > 2:
            first.pop()  # it may be cut
        if not fits(first):
            return Skip("not such a text")
        if draft.state is State.FOLDED:
            folded = Folded.of(draft.text)
        else:
            whole = Lines.of(draft.text)
            folded = Folded(len(whole.lines), whole.crlf, whole.ended, (), whole.lines)
        tried = _tried(folded.lines)
        if tried is not folded.lines:
            steps = fold(tried, context)
            if isinstance(steps, str):
                return Skip(steps)
            if _tokens(steps, context) > context.count("\n".join(tried)) * (1 - LEAST_GAIN):
                return Skip("hardly shorter so")
            if context.expired():
                return Skip("no time left")
        steps = fold(folded.lines, context)
        if isinstance(steps, str):
            return Skip(steps)
        phrases = folded.phrases
        lines = folded.lines
        for form, written in steps:
            if form.phrase in phrases or not _proved(form, written, lines):
                return Skip("cannot be written exactly")
            phrases = (*phrases, form.phrase)
            lines = written
        text = Folded(folded.count, folded.crlf, folded.ended, phrases, lines).text
        if tried is folded.lines and context.count(text) > context.count(draft.text) * (1 - LEAST_GAIN):
            return Skip("hardly shorter so")
        if len(text) >= len(draft.text):
            return Skip("no shorter so")
        return Applied(Draft(State.FOLDED, text), f"{folded.count} lines")

    return Tier(
        name=name,
        sentence=sentence,
        reads=reads,
        takes=frozenset({State.TEXT, State.FOLDED}),
        leaves=State.FOLDED,
        run=run,
        examples=(example,),
    )


TRIED_CHARACTERS = 200_000
"""A longer text is tried on two pieces of it: counting all of it at every step would cost too much."""

_PIECE = 800


def _tried(lines: list[str]) -> list[str]:
    if len(lines) <= 3 * _PIECE or sum(map(len, lines)) <= TRIED_CHARACTERS:
        return lines
    middle = len(lines) // 2
    return lines[:_PIECE] + lines[middle : middle + _PIECE]


def _tokens(steps: Sequence[Step], context: Context) -> int:
    phrases = sum(context.count(form.phrase) for form, _ in steps)
    return phrases + context.count("\n".join(steps[-1][1]))


def _proved(form: Form, written: Sequence[str], lines: list[str]) -> bool:
    # INVARIANT: a fold is kept only if what it wrote reads back as what it was given.
    try:
        return form.unfold(written, Room()) == lines and not any("\n" in line for line in written)
    except NotFolded:
        return False


@lru_cache(maxsize=4)
def _kind(sample: str) -> Kind:
    # One chain asks for the same text again and again.
    return sniff(sample)


def share(lines: Sequence[str], holds: Callable[[str], object]) -> float:
    """How many of the lines that are not empty satisfy `holds`, judged by some spread over them."""
    some = [line for line in lines if line]
    some = some[:: 1 + len(some) // 80]
    return sum(1 for line in some if holds(line)) / len(some) if some else 0.0


Path = Sequence[Callable[[list[str]], Step | None]]
"""Folds to do one after another; one that does not apply is left out."""

TRIED_LINES = 800


def shortest(lines: list[str], context: Context, paths: Sequence[Path]) -> list[Step]:
    """The steps of the path that makes the first lines shortest, done on all lines."""
    tried = lines[:TRIED_LINES]
    best: Path = ()
    least = context.count("\n".join(tried))
    for path in paths:
        steps = _walked(tried, path)
        if steps:
            size = _tokens(steps, context)
            if size < least:
                best, least = path, size
    return _walked(lines, best)


def _walked(lines: list[str], path: Path) -> list[Step]:
    steps: list[Step] = []
    for fold in path:
        step = fold(lines)
        if step is not None:
            steps.append(step)
            lines = step[1]
    return steps
