"""Which lines of a text share a pattern, and what the pattern is.

Lines are grouped by words at the same place (as in the log parser Drain: same number of words, at least two
fifths of them equal), groups are split where a place has few values, and each group's patterns are worked out
from what its lines share. A pattern is kept when a counted sample of its lines gets shorter by it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from operator import contains, itemgetter

from terse.folds.frame import VERBATIM, Form
from terse.folds.patterns import NAMED, SLOT, UNNAMED, Pattern, Row, Slot, dittoed, fits, letters, write
from terse.folds.shape import Found, Split, pattern_of, split, words_of
from terse.folds.weight import weight

_DIGITS = re.compile(r"[0-9]+")
_DIGIT = re.compile("[0-9]")
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_NAMES = re.compile(r"[A-Za-z0-9]+")
_ERROR = re.compile(
    r"\b(?:ERROR|FATAL|CRITICAL|[Ee]rror|[Pp]anic|[Ff]atal|FAILED|Traceback|[A-Za-z]+(?:Error|Exception))\b"
)

_ERROR_SIGNS = ("rror", "ERROR", "FATAL", "CRITICAL", "anic", "atal", "FAILED", "Traceback", "xception")
"""One of these stands in every line of an error."""

LONGEST_LINE = 8000
MOST_WORDS = 150
"""Lines of more words are grouped only with lines that differ from them in digits alone."""

SAMPLE = 12
MOST_COMPARED = 4000
"""Lines that a pattern is worked out from; the others of its group are then read by it."""

MOST_LEFT = 20_000

MOST_KEPT = 4_000
"""Lines that are kept as words once they were split."""

_LEAF = 40


@dataclass(frozen=True, slots=True)
class Standard:
    """What a pattern must bring. A reader has to look it up: it should say much, and say it often.

    Attributes:
        row: tokens saved by each of its lines.
        whole: tokens saved by all of them, the legend paid.
        said: the share of its lines, by weight, that the pattern itself says.
        most: how many patterns there may be.
    """

    row: float
    whole: float
    said: float
    most: int


LINES = Standard(row=2.5, whole=12, said=0.4, most=60)
"""For logs, findings and test runs: programs wrote them from patterns."""

PROSE = Standard(row=5, whole=40, said=0.6, most=30)
"""For text in which equal lines are a choice of its author."""


@dataclass(slots=True)
class _Group:
    words: list[str | None]
    members: list[int] = field(default_factory=list)


def fold(
    lines: Sequence[str], count: Callable[[str], int], standard: Standard = LINES
) -> tuple[Form, list[str]] | None:
    """The form chosen and the lines written in it, or `None` when no pattern pays."""
    found = _found(lines, count, standard)
    if not found:
        return None
    found.sort(key=lambda entry: (-len(entry[1]), entry[1][0][0]))
    found = found[: standard.most]
    nonempty = sum(1 for line in lines if line)
    unnamed = len(found[0][1]) * 2 > nonempty
    head, rest = found[:1] if unnamed else [], found[1:] if unnamed else found
    rest.sort(key=lambda entry: entry[1][0][0])
    found = head + rest
    names = frozenset(letters(index) for index in range(len(found)))
    body: list[str | Row] = list(lines)
    for index, (_, rows) in enumerate(found):
        for position, values in rows:
            row = Row(index, values)
            if fits(row, names, unnamed):
                body[position] = row
    return (UNNAMED if unnamed else NAMED), write([pattern for pattern, _ in found], body, unnamed)


def alike(lines: Sequence[str]) -> bool:
    """Whether some of the first lines begin like others, digits aside: cheap, and no when in doubt."""
    joined = "\n".join([line[:24] for line in lines if len(line) > 12])
    starts = Counter(joined.translate(_NO_DIGITS).split("\n"))
    alike = sum([often for often in starts.values() if often > 2])
    return alike >= 6 and alike * 8 >= len(lines)


def _found(lines: Sequence[str], count: Callable[[str], int], standard: Standard) -> list[Found]:
    splits = _Splits(lines)
    groups = _groups(lines)
    found: list[Found] = []
    left: list[int] = []
    for group in groups:
        for members in _parted(group.members, splits):
            entry = _worked_out(members, lines, splits, count, standard)
            if entry:
                found.append(entry)
            else:
                left.extend(members)
    found.extend(_by_beginning(sorted(left)[:MOST_LEFT], lines, splits, count, standard))
    return found


class _Splits(Mapping[int, Split]):
    """The lines as words, by number: split when asked for, since all at once would fill the memory."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._known: dict[int, Split] = {}

    def __getitem__(self, index: int) -> Split:
        found = self._known.get(index)
        if found is None:
            found = split(self._lines[index])
            if len(self._known) < MOST_KEPT:
                self._known[index] = found
        return found

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._lines)))

    def __len__(self) -> int:
        return len(self._lines)


def _groups(lines: Sequence[str]) -> list[_Group]:
    """The lines grouped by their words. A word with a digit says nothing of a pattern: it is not compared."""
    errors = _errors(lines)
    if len(errors) * 20 >= len(lines):
        errors = frozenset()
    leaves: dict[tuple[int, str], list[_Group]] = defaultdict(list)
    by_mask: dict[str, _Group] = {}
    groups: list[_Group] = []
    for index, line in enumerate(lines):
        if not line or len(line) > LONGEST_LINE or line.endswith(VERBATIM) or SLOT.search(line):
            continue  # a line that ends in … may be a heading: it stays in sight
        if index in errors:
            continue
        mask = _DIGITS.sub("0", line)
        group = by_mask.get(mask)
        if group is None:
            words = words_of(line)
            group = _nearest(leaves, words) if len(words) <= MOST_WORDS else _Group([None] * len(words))
            by_mask[mask] = group
            if not group.members:
                groups.append(group)
        group.members.append(index)
    return groups


def _errors(lines: Sequence[str]) -> frozenset[int]:
    """The lines that say what failed: few of them stay in sight, word for word."""
    # Signs are looked for first, without a step of the interpreter for each line.
    some: set[int] = set()
    for sign in _ERROR_SIGNS:
        some.update(compress(range(len(lines)), map(contains, lines, repeat(sign))))
    return frozenset(index for index in some if _ERROR.search(lines[index]))


def _nearest(leaves: dict[tuple[int, str], list[_Group]], words: list[str]) -> _Group:
    """The group with most words like these, of those with the same first or last word; or a new one."""
    fixed = [None if _DIGIT.search(word) else word for word in words]
    told = [word for word in fixed if word]
    first, last = (told[0], told[-1]) if told else ("", "")
    size = len(words)
    weights = [0 if not word else 2 if word.isalpha() else 1 for word in fixed]
    need = max(1, sum(weights) * 2 / 5)
    best: _Group | None = None
    most = 0
    ends = ((size, first), (-size, last))
    for end in ends:
        for group in leaves[end]:
            same = sum(map(_same, group.words, fixed, weights))
            if same > most:
                best, most = group, same
    if best is not None and most >= need:
        best.words = [a if a == b else None for a, b in zip(best.words, fixed, strict=True)]
        return best
    group = _Group(fixed)
    for end in ends:
        if len(leaves[end]) < _LEAF:
            leaves[end].append(group)
    return group


def _same(known: str | None, word: str | None, weighs: int) -> int:
    # A plain word says more of the program's pattern than a name with signs in it.
    return weighs if known is not None and known == word else 0


def _parted(members: list[int], splits: Mapping[int, Split]) -> list[list[int]]:
    """The group parted where a place has few values, each often: what they say then stands in the pattern."""
    parts = [members]
    done: list[list[int]] = []
    while parts:
        part = parts.pop()
        place = _dividing_place(part, splits) if len(part) >= 6 and len(done) + len(parts) < 60 else None
        if place is None:
            done.append(part)
            continue
        by_value: dict[str, list[int]] = defaultdict(list)
        for index in part:
            by_value[_feature(splits[index].words[place])].append(index)
        parts.extend(by_value.values())
    done.sort(key=itemgetter(0))
    return done


def _feature(word: str) -> str:
    """What lines of one pattern share at a place: the word itself, or its signs if it holds a number."""
    return _NAMES.sub("0", word) if _DIGIT.search(word) else word


def _dividing_place(part: list[int], splits: Mapping[int, Split]) -> int | None:
    sample = part[:: 1 + len(part) // 200]
    words = [splits[index].words for index in sample]
    whole = weight(" ".join(words[0])) + 4
    scale = len(part) / len(sample)
    best, most = None, 0.0
    for place in range(len(words[0])):
        column = Counter([line[place] for line in words])
        if len(column) == 1:
            continue
        values: Counter[str] = Counter()
        for word, often in column.items():
            values[_feature(word)] += often
            if len(values) > 8:
                break
        if not 1 < len(values) <= 8 or (len(values) > 2 and min(values.values()) * 12 < len(sample)):
            continue
        gain = sum(weight(value) * often * scale for value, often in values.items() if len(value) > 3)
        gain -= whole * len(values)
        if gain > most:
            best, most = place, gain
    return best


def _worked_out(
    members: list[int],
    lines: Sequence[str],
    splits: Mapping[int, Split],
    count: Callable[[str], int],
    standard: Standard,
) -> Found | None:
    if len(members) < 2:
        return None
    if len(members) > MOST_COMPARED:
        half = MOST_COMPARED // 2
        middle = len(members) // 2
        some = members[:half] + members[middle : middle + half]
        entry = _worked_out(some, lines, splits, count, standard)
        if entry is None:
            return None
        pattern = entry[0]
        values = ((index, pattern.values(lines[index])) for index in members)
        return pattern, [(index, held) for index, held in values if held is not None]
    gaps = Counter(tuple(splits[index].gaps) for index in members)
    entry = None
    if len(gaps) == 1:
        entry = pattern_of(members, splits, aligned=False)
    else:
        entry = pattern_of(members, splits, aligned=True)
    if entry is None:
        common = gaps.most_common(1)[0]
        if common[1] < 3 or common[1] == len(members):
            return None
        entry = pattern_of(
            [index for index in members if tuple(splits[index].gaps) == common[0]], splits, aligned=False
        )
    if entry is None:
        return None
    pattern, rows = entry
    return entry if _pays(pattern, rows, lines, count, standard) else None


def _pays(
    pattern: Pattern,
    rows: list[tuple[int, tuple[str, ...]]],
    lines: Sequence[str],
    count: Callable[[str], int],
    standard: Standard,
) -> bool:
    start = len(rows) // 3 if len(rows) > 3 * SAMPLE else 0
    sample = rows[start : start + SAMPLE]
    shown = [" ".join(("A", *values)) for values in dittoed([values for _, values in sample])]
    said = sum(map(weight, pattern.literals))
    lengths = weight(" ".join(shown)) / len(sample) - 1
    if said < standard.said * (said + lengths):
        return False
    # A line gets shorter by what the pattern says, about. Where that is twice what is asked for, it pays.
    likely = (said - 1) / 2
    if likely >= standard.row and likely * len(rows) - 2 * (said + 6) >= standard.whole:
        return True
    gain = (count("\n".join([lines[index] for index, _ in sample])) - count("\n".join(shown))) / len(sample)
    return gain >= standard.row and gain * len(rows) - count(f"A: {pattern}\n") >= standard.whole


def _by_beginning(
    left: list[int],
    lines: Sequence[str],
    splits: Mapping[int, Split],
    count: Callable[[str], int],
    standard: Standard,
) -> list[Found]:
    """Patterns of lines that share only their first words: the rest of the line is the one value."""
    # Lines that begin with six characters as few others do have no longer beginning in common either.
    alike = Counter([lines[index][:6] for index in left])
    often: Counter[str] = Counter()
    starts: dict[int, list[str]] = {}
    for index in left:
        if alike[lines[index][:6]] <= 3:
            continue
        words = splits[index]
        text = ""
        mine: list[str] = []
        for word, gap in zip(words.words[:8], words.gaps[:8], strict=False):
            text += word + gap
            if len(text) >= 6:
                mine.append(text)
        if mine:
            starts[index] = mine
            often.update(mine)
    chosen: dict[str, list[int]] = defaultdict(list)
    for index, mine in starts.items():
        best = max(mine, key=lambda start: (often[start] - 1) * len(start) if often[start] > 3 else 0)
        if often[best] > 3:
            chosen[best].append(index)
    found: list[Found] = []
    for start, members in chosen.items():
        if len(members) < 4 or SLOT.search(start):
            continue
        rows: list[tuple[int, tuple[str, ...]]] = [
            (index, (lines[index][len(start) :],)) for index in members
        ]
        pattern = Pattern((start, ""), (Slot(),))
        if _pays(pattern, rows, lines, count, standard):
            found.append((pattern, rows))
    return found
