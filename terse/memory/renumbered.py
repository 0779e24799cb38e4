"""References that are numbered anew on every call: `uid=1_7`, `[ref=f5e12]`, `[12]`.

    Renumbered: every uid=1_N is now uid=2_N
    Renumbered: ref=f5e12..40 is now ref=f6e14..42; [7] is now [9]

A browser gives every element of a page a new name when the page is loaded again. What the names say is
stated once, and what is left are the real changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terse.memory.align import changes

SENTENCE = "Renumbered: "
LEAST = 3
"""Names that must have changed before it is said once."""
MOST_RUNS = 24

_FIND = re.compile(
    r"(?<![\w-])(?P<words>uid=|ref=)(?P<prefix>[0-9]{1,6}_|(?:[a-z][0-9]{0,6}){0,3}[a-z])(?P<number>[0-9]{1,7})"
    r"(?![\w-])|(?P<open>\[)(?P<bare>[0-9]{1,7})(?P<close>\])"
)
_SIDE = r"((?:uid=|ref=)(?:[0-9]{1,6}_|(?:[a-z][0-9]{0,6}){0,3}[a-z]))"
_EVERY = re.compile(rf"every {_SIDE}N is now {_SIDE}N")
_RUN = re.compile(
    rf"{_SIDE}([0-9]{{1,7}})(?:\.\.([0-9]{{1,7}}))? is now {_SIDE}([0-9]{{1,7}})(?:\.\.([0-9]{{1,7}}))?"
)
_BARE_RUN = re.compile(r"\[([0-9]{1,7})(?:\.\.([0-9]{1,7}))?\] is now \[([0-9]{1,7})(?:\.\.([0-9]{1,7}))?\]")


class Name(NamedTuple):
    """A reference: what stands before its number (`uid=1_`, `[`), and the number."""

    prefix: str
    number: str


@dataclass(frozen=True, slots=True)
class Run:
    """The names `old` with the numbers `first` to `last` are now `new`, numbers moved by `shift`.

    `first` is -1 for every number there is.
    """

    old: str
    first: int
    last: int
    new: str
    shift: int


def _name(found: re.Match[str]) -> Name:
    if found["open"]:
        return Name("[", found["bare"])
    return Name(found["words"] + found["prefix"], found["number"])


def _plain(number: str) -> bool:
    """Whether a number can be counted with: `07` could not be told from `7`."""
    return number == "0" or number[0] != "0"


def find_runs(base: str, text: str, expired: Callable[[], bool] = lambda: False) -> list[Run]:
    """How the names of `base` were renumbered in `text`; none where they were not, or not consistently.

    Raises:
        OutOfTime: `expired` said so.
    """
    a, b = base.split("\n"), text.split("\n")
    if not _FIND.search(base):
        return []
    blank_a, blank_b = [_FIND.sub(_blank, line) for line in a], [_FIND.sub(_blank, line) for line in b]
    now: dict[Name, Name] = {}
    taken: dict[Name, Name] = {}
    wrong: Counter[bool] = Counter()
    start_a = start_b = 0
    for a0, a1, b0, b1 in [*changes(blank_a, blank_b, expired), (len(a), len(a), len(b), len(b))]:
        for old_line, new_line in zip(a[start_a:a0], b[start_b:b0], strict=True):
            for old, new in zip(_FIND.finditer(old_line), _FIND.finditer(new_line), strict=True):
                before, after = _name(old), _name(new)
                if not (_plain(before.number) and _plain(after.number)):
                    continue
                if now.setdefault(before, after) != after or taken.setdefault(after, before) != before:
                    wrong[before.prefix == "["] += 1
        start_a, start_b = a1, b1
    kept = {
        old: new
        for old, new in now.items()
        if taken.get(new) == old and (old.prefix == "[") == (new.prefix == "[")
    }
    runs: list[Run] = []
    for bare in (False, True):
        names = {old: new for old, new in kept.items() if (old.prefix == "[") == bare}
        moved = sum(old != new for old, new in names.items())
        # A number in brackets is mostly no name at all: then some stay, and some contradict each other.
        if moved >= LEAST and 2 * moved >= len(names) and 4 * wrong[bare] <= len(names):
            runs += _runs(names)
    return runs if len(runs) <= MOST_RUNS else []


def _blank(found: re.Match[str]) -> str:
    return "[\0]" if found["open"] else found["words"] + "\0"


def _runs(names: dict[Name, Name]) -> Iterator[Run]:
    of_prefix: dict[str, list[tuple[int, str, int]]] = {}
    for old, new in names.items():
        number = int(old.number)
        of_prefix.setdefault(old.prefix, []).append((number, new.prefix, int(new.number) - number))
    for prefix, found in of_prefix.items():
        moves = {(to, by) for _, to, by in found}
        if len(moves) == 1:
            ((now, shift),) = moves
            if shift == 0 and prefix != "[":
                if now != prefix:
                    yield Run(prefix, -1, -1, now, 0)
                continue
        yield from _stretches(prefix, sorted(found))


def _stretches(prefix: str, found: Sequence[tuple[int, str, int]]) -> Iterator[Run]:
    """The runs of neighbours that moved alike."""
    first, now, shift = found[0]
    last = first
    for number, new, moved in [*found[1:], (-1, "", 0)]:
        if number >= 0 and (new, moved) == (now, shift):
            last = number
            continue
        if (now, shift) != (prefix, 0):
            yield Run(prefix, first, last, now, shift)
        first, last, now, shift = number, number, new, moved


def renumber(text: str, runs: Sequence[Run]) -> str:
    """The text with every name that a run speaks of renumbered."""
    of_prefix: dict[str, list[Run]] = {}
    for run in runs:
        of_prefix.setdefault(run.old, []).append(run)

    def named(found: re.Match[str]) -> str:
        prefix, number = _name(found)
        if _plain(number):
            for run in of_prefix.get(prefix, ()):
                if run.first < 0 or run.first <= int(number) <= run.last:
                    return f"{run.new}{int(number) + run.shift}{found['close'] or ''}"
        return found[0]

    return _FIND.sub(named, text)


def write(runs: Sequence[Run]) -> str:
    """The line that says so."""
    return SENTENCE + "; ".join(map(_said, runs))


def _said(run: Run) -> str:
    if run.first < 0:
        return f"every {run.old}N is now {run.new}N"
    close = "]" if run.old == "[" else ""
    old, new = f"{run.old}{run.first}", f"{run.new}{run.first + run.shift}"
    if run.last > run.first:
        old, new = f"{old}..{run.last}", f"{new}..{run.last + run.shift}"
    return f"{old}{close} is now {new}{close}"


def read(line: str) -> list[Run] | None:
    """The runs that a line states; `None` where it is no such line."""
    if not line.startswith(SENTENCE):
        return None
    runs: list[Run] = []
    for said in line.removeprefix(SENTENCE).split("; "):
        if every := _EVERY.fullmatch(said):
            runs.append(Run(every[1], -1, -1, every[2], 0))
            continue
        if found := _RUN.fullmatch(said):
            old, first, last, new, new_first, new_last = found.groups()
        elif found := _BARE_RUN.fullmatch(said):
            first, last, new_first, new_last = found.groups()
            old = new = "["
        else:
            return None
        run = Run(old, int(first), int(last or first), new, int(new_first) - int(first))
        if int(new_last or new_first) != run.last + run.shift:
            return None
        runs.append(run)
    return runs
