"""Blocks of lines that come again: written out the first time under a name, later by the name alone.

    <1: 3 lines>
      File "app.py", line 3, in run
        step()
      File "app.py", line 9, in step
    ValueError: 1
    <1>
    ValueError: 2

The count is of the lines as they stand, and a block may hold others. A line that looks like one of these
marks, or starts with `…`, has `…` before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.runs import repeat
from terse.folds.weight import weight

_MARK = re.compile(r"<([1-9][0-9]{0,5})(?:: ([1-9][0-9]{0,6}) lines)?>")

LEAST_WEIGHT = 12
"""A block lighter than this, in tokens about, is left where it is: a name for little is a riddle."""

LEAST_SHARE = 33
"""Where less than one of so many characters comes again, no block is looked for."""

MOST_LINES = 60_000
_REFERENCE = 3
_DEFINITION = 6
_DEEPEST = 40


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with named blocks, or `None` where no block pays."""
    if len(lines) > MOST_LINES or not repeat(lines):
        return None
    numbers: dict[str, int] = {}
    top = [numbers.setdefault(line, len(numbers)) for line in lines]
    texts = list(numbers)
    if len(lines) - len(numbers) < 4:
        return None
    # Every line of a block that comes again stands in two lines that do. No blocks could take away more.
    pairs = Counter(pairwise(top))
    again = sum(
        [
            (times - 1) * (len(texts[first]) + len(texts[second]))
            for (first, second), times in pairs.items()
            if times > 1
        ]
    )
    if again * LEAST_SHARE < sum(map(len, lines)):
        return None
    sequence, rules = _grammar(top, len(texts))
    if not rules:
        return None
    weights = [weight(text) + 1 for text in texts]
    kept = _worth_naming(sequence, rules, weights)
    if not kept:
        return None
    return _written(sequence, rules, kept, texts)


def _grammar(top: list[int], first_rule: int) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """`top` with its most frequent pairs replaced by rules, again and again (Re-Pair, Larsson and Moffat).

    The pair that is replaced is always the most frequent, the earliest on ties: same lines, same rules.
    """
    length = len(top)
    symbols = list(top)
    following = list(range(1, length + 1))
    preceding = list(range(-1, length - 1))
    places: dict[tuple[int, int], list[int]] = {}
    for at in range(length - 1):
        places.setdefault((symbols[at], symbols[at + 1]), []).append(at)
    counts = {pair: len(found) for pair, found in places.items() if len(found) > 1}
    heap = [(-count, places[pair][0], pair) for pair, count in counts.items()]
    heapify(heap)
    rules: dict[int, tuple[int, int]] = {}
    rule = first_rule
    while heap:
        negative, _, pair = heappop(heap)
        if counts.get(pair, 0) != -negative:
            if counts.get(pair, 0) > 1:
                heappush(heap, (-counts[pair], places[pair][0], pair))
            continue
        first, second = pair
        found: list[int] = []
        taken = -1
        for at in places.pop(pair):
            right = following[at]
            if at != taken and right < length and symbols[at] == first and symbols[right] == second:
                found.append(at)
                taken = right if first == second else -1
        counts.pop(pair, None)
        if len(found) < 2:
            continue
        touched: set[tuple[int, int]] = set()
        for at in found:
            right = following[at]
            after = following[right]
            before = preceding[at]
            if before >= 0:
                old = (symbols[before], first)
                if old in counts:
                    counts[old] -= 1
                new = (symbols[before], rule)
                places.setdefault(new, []).append(before)
                touched.add(new)
            if after < length:
                old = (second, symbols[after])
                if old in counts:
                    counts[old] -= 1
                new = (rule, symbols[after])
                places.setdefault(new, []).append(at)
                touched.add(new)
                preceding[after] = at
            symbols[at] = rule
            symbols[right] = -1
            following[at] = after
        for new in sorted(touched):
            found_now = len(places[new])
            if found_now > 1:
                counts[new] = found_now
                heappush(heap, (-found_now, places[new][0], new))
        rules[rule] = pair
        rule += 1
    sequence = []
    at = 0
    while at < length:
        sequence.append(symbols[at])
        at = following[at]
    return sequence, rules


def _worth_naming(
    sequence: Sequence[int], rules: dict[int, tuple[int, int]], weights: Sequence[int]
) -> frozenset[int]:
    """The rules that make the whole lighter when their lines are written once under a name."""
    uses = Counter(sequence)
    for pair in rules.values():
        uses.update(pair)
    written: dict[int, int] = {}  # what it costs to write the rule where it stands, by its name if it has one
    deep: dict[int, int] = {}
    kept: set[int] = set()

    def cost(symbol: int) -> int:
        return written[symbol] if symbol in rules else weights[symbol]

    for rule, (first, second) in rules.items():
        inside = cost(first) + cost(second)
        depth = max(deep.get(first, 0), deep.get(second, 0))
        gain = (uses[rule] - 1) * (inside - _REFERENCE) - _DEFINITION
        if inside >= LEAST_WEIGHT and gain > 0 and depth < _DEEPEST:
            kept.add(rule)
            written[rule] = _REFERENCE
            deep[rule] = depth + 1
        else:
            written[rule] = inside
            deep[rule] = depth
    return frozenset(kept)


def _written(
    sequence: Sequence[int], rules: dict[int, tuple[int, int]], kept: frozenset[int], texts: Sequence[str]
) -> list[str]:
    total = _occurrences(sequence, rules, kept)
    names: dict[int, str] = {}
    written: list[str] = []
    # Work list instead of recursion: a block nests as deep as its rules do. A tuple closes a definition.
    work: list[int | tuple[int, int]] = list(reversed(sequence))
    while work:
        symbol = work.pop()
        if isinstance(symbol, tuple):
            mark, rule = symbol
            written[mark] = f"<{names[rule]}: {len(written) - mark - 1} lines>"
            continue
        if symbol not in rules:
            text = texts[symbol]
            written.append(VERBATIM + text if text.startswith(VERBATIM) or _MARK.fullmatch(text) else text)
            continue
        if symbol in kept and total[symbol] > 1:
            if symbol in names:
                written.append(f"<{names[symbol]}>")
                continue
            names[symbol] = str(len(names) + 1)
            work.append((len(written), symbol))
            written.append("")
        first, second = rules[symbol]
        work.append(second)
        work.append(first)
    return written


def _occurrences(
    sequence: Sequence[int], rules: dict[int, tuple[int, int]], kept: frozenset[int]
) -> Counter[int]:
    """How often each rule is met when the lines are written out, each named rule opened once."""
    total: Counter[int] = Counter(sequence)
    for rule in reversed(rules):
        times = min(total[rule], 1) if rule in kept else total[rule]
        if times:
            for part in rules[rule]:
                total[part] += times
    return total


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with every block written out.

    Raises:
        NotFolded: a name out of order or unknown, or a block that ends beyond the one around it.
    """
    read: list[str] = []
    blocks: dict[str, list[str]] = {}
    given: set[str] = set()
    unclosed: list[tuple[str, int, int]] = []  # name, where it began in `read`, the line after its last
    for index, line in enumerate(lines):
        mark = _MARK.fullmatch(line) if line.startswith("<") else None
        if mark and mark[2]:
            if mark[1] != str(len(given) + 1):
                raise NotFolded("a block out of order")
            given.add(mark[1])
            end = index + 1 + int(mark[2])
            if end > (unclosed[-1][2] if unclosed else len(lines)):
                raise NotFolded("a block beyond its end")
            unclosed.append((mark[1], len(read), end))
        elif mark:
            block = blocks.get(mark[1])
            if block is None:
                raise NotFolded("an unknown block")
            room.take(sum(map(len, block)) + len(block))
            read.extend(block)
        else:
            read.append(line[1:] if line.startswith(VERBATIM) else line)
        while unclosed and unclosed[-1][2] == index + 1:
            name, start, _ = unclosed.pop()
            blocks[name] = read[start:]
    return read


FORM = Form(
    name="blocks",
    phrase="<1> stands for the lines under <1: N lines>",
    unfold=unfold,
)
