"""What all text folds have in common: looking at a text, trying the fold, proving it, and counting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, inf
from operator import attrgetter
from typing import NamedTuple

from terse.folds.forms import FORMS
from terse.folds.frame import Folded, Form, Lines, NotFolded, Room
from terse.payload.kind import Kind
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier
from terse.tiers.survey import Survey, survey

Step = tuple[Form, list[str]]
"""A form, and the lines written in it."""

Fold = Callable[[list[str]], Step | None]

Path = Sequence[Fold]
"""Folds to do one after another. One that does not apply is left out; the last must apply."""

NAMES = {form.phrase: form.name for form in FORMS}

_SOURCE = Skip("source text is left as it is")
_NOT_SUCH = Skip("not such a text")

PIECE_LINES = 150
"""A long text is tried on two pieces of so many lines, from its beginning and its middle."""

COUNTED_CHARACTERS = 200_000
"""A longer result is not counted here: the trial has shown that it is shorter, and the chain counts it."""

PATIENCE_CHARACTERS = 5_000_000
"""With the time used up, a fold that has shown its worth is still done on a text of this length: that takes
less time than reading what it takes away."""

FEW_LINES = 24
"""Of so few lines, every path is tried: what says how to read a form weighs as much as what they share."""

AS_PROMISED = 1.2
"""What pieces of a text promised of the whole may be missed by so much."""

LEAST_GAIN = 0.03
"""A fold that takes away less is not worth a reader's effort."""

UNTOUCHED = frozenset({Kind.CODE, Kind.DIFF, Kind.BINARY})
"""Kinds in which an agent needs the very text: what it reads there it quotes in its next edit."""


def text_tier(
    name: str,
    sentence: str,
    reads: str,
    fits: Callable[[Survey], bool],
    paths: Callable[[Context], Sequence[Path]],
    example: Example,
    missing: str,
    quoted: bool = True,
    whole: bool = False,
    enough: float = 0.0,
    after: frozenset[str] = frozenset({"counts"}),
    also: frozenset[Kind] = frozenset(),
) -> Tier:
    """A tier that folds text.

    fits: whether the beginning of the text looks like what the fold is for. Cheap: it decides for most.
    paths: the ways to fold; the one is taken that makes the text shortest.
    missing: what the text lacks when no way applies, in a few words.
    quoted: whether the text could be source that an agent quotes: then `UNTOUCHED` is left alone.
    whole: what the fold looks for may stand anywhere, so that pieces of the text say nothing of it.
    enough: of several paths, the first that leaves no more than this share of the characters is taken: for
        folds whose first path is nearly always the best, and whose paths are dear.
    after: the forms that may have been written before this one.
    also: kinds that this fold leaves alone beside `UNTOUCHED`.
    """
    untouched = also | UNTOUCHED if quoted else also

    def run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
        start = 0
        if draft.state is State.FOLDED:
            start = draft.text.index("\n") + 1
            if not after >= {NAMES[phrase] for phrase in Folded.of(draft.text[:start]).phrases}:
                return Skip("folded already")
        seen = survey(draft.text, start)
        if untouched and seen.kind in untouched:
            return _SOURCE
        if not fits(seen):
            return _NOT_SUCH
        folded = _read(draft, seen)
        steps = _shortest(folded.lines, context, paths(context), whole, enough)
        if isinstance(steps, str):
            return Skip(steps or missing)
        phrases = folded.phrases
        lines = folded.lines
        for form, written in steps:
            if form.phrase in phrases or not _proved(form, written, lines):
                return Skip("cannot be written exactly")
            phrases = (*phrases, form.phrase)
            lines = written
        text = Folded(folded.count, folded.crlf, folded.ended, phrases, lines).text
        if len(draft.text) <= COUNTED_CHARACTERS:
            shorter = context.has(draft.text, ceil(context.count(text) / (1 - LEAST_GAIN)))
        else:
            shorter = len(text) <= len(draft.text) * (1 - LEAST_GAIN)
        if not shorter:
            return Skip("hardly shorter so")
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


def _read(draft: Draft, seen: Survey) -> Folded:
    if draft.state is State.FOLDED:
        return Folded.of(draft.text)
    whole = seen.whole or Lines.of(draft.text)
    return Folded(len(whole.lines), whole.crlf, whole.ended, (), whole.lines)


def _shortest(
    lines: list[str], context: Context, paths: Sequence[Path], whole: bool, enough: float
) -> list[Step] | str:
    """The steps of the path that makes the text shortest, or why there are none: empty if no path applies.

    With one path and a text of bearable length nothing has to be tried: the result itself is counted.
    """
    short = len(lines) <= 2 * PIECE_LINES
    if len(paths) == 1 and (whole or short or sum(map(len, lines)) <= COUNTED_CHARACTERS):
        return _Walks(lines).walked(paths[0]) or ""
    if len(lines) <= FEW_LINES:
        enough = 0.0
    middle = len(lines) // 2
    tried = lines if short else lines[:PIECE_LINES] + lines[middle : middle + PIECE_LINES]
    # Of a short text the result itself is counted, in the end.
    least = inf if short else context.count("\n".join(tried)) * (1 - LEAST_GAIN)
    found: list[_Tried] = []
    why = ""
    walks = _Walks(tried)
    for path in paths:
        if any(path == longer.path[: len(path)] for longer in found):
            # What a further fold takes away pays for it: the same path without that fold is no shorter.
            continue
        steps = walks.walked(path)
        if steps:
            why = "hardly shorter so"
            left = _shrunk(steps, tried)
            size = _tokens(steps, context) if found or left > enough else 0
            if size < least:
                found.append(_Tried(size, path, steps, left))
            if left <= enough:
                break
        if context.expired():
            break
    found.sort(key=attrgetter("size"))
    if not found:
        return why
    if short:
        return found[0].steps
    if context.expired() and sum(map(len, lines)) > PATIENCE_CHARACTERS:
        return "no time left"
    return _on_all(lines, found, context)


class _Tried(NamedTuple):
    """What a path made of the pieces: tokens, its steps, and the share of the characters that it left."""

    size: int
    path: Path
    steps: list[Step]
    left: float


def _shrunk(steps: Sequence[Step], lines: Sequence[str]) -> float:
    return sum(map(len, steps[-1][1])) / max(1, sum(map(len, lines)))


def _on_all(lines: list[str], found: Sequence[_Tried], context: Context) -> list[Step] | str:
    """The steps on the whole text, of the path that was best on the pieces.

    Where the pieces promised far more than comes of it, the next path may be better after all.
    """
    walks = _Walks(lines)
    best: list[Step] | None = None
    left = inf
    for place, each in enumerate(found):
        steps = walks.walked(each.path)
        if steps and (now := _shrunk(steps, lines)) < left:
            best, left = steps, now
        others = found[place + 1 :]
        as_promised = left <= each.left * AS_PROMISED
        if as_promised or context.expired() or not any(other.left < left for other in others):
            break
    return best or ""


class _Walks:
    """Walks on the same lines. Paths that begin with the same folds share what these wrote."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._done: dict[tuple[Fold, ...], Step | None] = {}

    def walked(self, path: Path) -> list[Step] | None:
        """The steps of the path, or `None` where it does not apply."""
        steps: list[Step] = []
        lines = self._lines
        applied: tuple[Fold, ...] = ()
        for number, fold in enumerate(path):
            way = (*applied, fold)
            if way not in self._done:
                self._done[way] = fold(lines)
            step = self._done[way]
            if step is not None:
                steps.append(step)
                lines = step[1]
                applied = way
            elif number == len(path) - 1:
                return None
        return steps


def _tokens(steps: Sequence[Step], context: Context) -> int:
    phrases = sum(context.count(form.phrase) for form, _ in steps)
    return phrases + context.count("\n".join(steps[-1][1]))


def _proved(form: Form, written: Sequence[str], lines: list[str]) -> bool:
    # INVARIANT: a fold is kept only if what it wrote reads back as what it was given.
    try:
        return form.unfold(written, Room()) == lines and not any("\n" in line for line in written)
    except NotFolded:
        return False


def written_in(form: Form, written: list[str] | None) -> Step | None:
    """The step of a fold that has one form: what it wrote, if it wrote anything."""
    return (form, written) if written else None
