"""The algebra of `*`-globs and of `server/tool` patterns, with witnesses.

A glob stands for a set of names: each `*` for any run of characters, everything else for itself.
Patterns are pairs of globs and never a joined string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

FRESH = "x"
"""What a `*` becomes in a witness where some character is needed; never one that decides anything."""

MAX_WORK = 1_000_000
"""Steps (a state, a letter, a position) to tell regions apart; no patterns that people write need as many."""


@lru_cache(maxsize=65536)
def covers(a: str, b: str) -> bool:
    """Whether every name of `b` is one of `a`: `a` matches b's text, b's stars only under a's stars."""
    if "*" not in a:
        return a == b
    head, *middle = a.split("*")
    tail = middle.pop()
    if len(b) < len(head) + len(tail) or not b.startswith(head) or not b.endswith(tail):
        return False
    # A star of `b` under a letter of `a` never matches, for no piece of `a` has a star in it.
    position, end = len(head), len(b) - len(tail)
    for piece in middle:
        position = b.find(piece, position, end)
        if position == -1:
            return False
        position += len(piece)
    return True


def matches(glob: str, name: str) -> bool:
    """Whether the name is one of the glob's. A `*` in the name is a character like any other."""
    return covers(glob, name.replace("*", "\0"))


@lru_cache(maxsize=65536)
def meet(a: str, b: str) -> str | None:
    """A shortest name that is one of both, or None when there is none.

    The usual walk with one index in each glob: a letter must meet its like or a star, a star may
    take the other's letter or end.
    """
    if "*" not in a:
        return a if covers(b, a) else None
    if "*" not in b:
        return b if covers(a, b) else None
    following: list[tuple[int, int, str]] = [(0, 0, "")]
    seen: set[tuple[int, int]] = set()
    while following:
        frontier: list[tuple[int, int, str]] = []
        for i, j, name in following:
            # Marked now and not when it was found: until here a shorter name could still get there.
            if (i, j) not in seen:
                seen.add((i, j))
                frontier.append((i, j, name))
        following = []
        # Steps that take no letter are walked at once, so that the shortest name is found first.
        while frontier:
            i, j, name = frontier.pop()
            if i == len(a) and j == len(b):
                return name
            x = a[i] if i < len(a) else ""
            y = b[j] if j < len(b) else ""
            free = [(i + 1, j)] if x == "*" else []
            free += [(i, j + 1)] if y == "*" else []
            for state in free:
                if state not in seen:
                    seen.add(state)
                    frontier.append((*state, name))
            if x and x == y and x != "*":
                following.append((i + 1, j + 1, name + x))
            if x == "*" and y not in ("", "*"):
                following.append((i, j + 1, name + y))
            if y == "*" and x not in ("", "*"):
                following.append((i + 1, j, name + x))
    return None


class Region(NamedTuple):
    """A set of names that the same globs match: which ones (a bit each), and one such name."""

    matched: int
    name: str


@lru_cache(maxsize=4096)
def regions(globs: tuple[str, ...]) -> tuple[Region, ...] | None:
    """Into which regions the globs cut all non-empty names, with a shortest name of each.

    None when that takes more than `MAX_WORK` steps. Names are walked letter by letter; a state is,
    for each glob, the set of positions it can be at. Only letters of the globs can tell names apart,
    so one other letter stands for all the rest.
    """
    letters = sorted({letter for glob in globs for letter in glob} - {"*"})
    fresh = next(c for c in "xyzwvutsrqponmlkjihgfedcba0123456789_-." + "\1" if c not in letters)
    alphabet = (fresh, *letters)
    max_states = MAX_WORK // (len(alphabet) * sum(map(len, globs)))
    start = tuple(_closure(glob, 1) for glob in globs)
    found: dict[int, str] = {}
    seen = {start}
    frontier: list[tuple[tuple[int, ...], str]] = [(start, "")]
    while frontier:
        following: list[tuple[tuple[int, ...], str]] = []
        for state, name in frontier:
            for letter in alphabet:
                moved = tuple(
                    _closure(glob, _step(glob, positions, letter))
                    for glob, positions in zip(globs, state, strict=True)
                )
                longer = name + letter
                matched = sum(
                    1 << index
                    for index, (glob, positions) in enumerate(zip(globs, moved, strict=True))
                    if positions >> len(glob) & 1
                )
                found.setdefault(matched, longer)
                if moved not in seen:
                    if len(seen) > max_states:
                        return None
                    seen.add(moved)
                    following.append((moved, longer))
        frontier = following
    return tuple(Region(matched, name) for matched, name in sorted(found.items()))


def _closure(glob: str, positions: int) -> int:
    """The positions (a bit each) that can be reached without a letter: past the stars."""
    for index, letter in enumerate(glob):
        if letter == "*" and positions >> index & 1:
            positions |= 1 << (index + 1)
    return positions


def _step(glob: str, positions: int, letter: str) -> int:
    """The positions after one letter."""
    moved = 0
    for index, own in enumerate(glob):
        if positions >> index & 1:
            if own == "*":
                moved |= 1 << index
            elif own == letter:
                moved |= 1 << (index + 1)
    return moved


# ---- patterns: pairs of globs ----------------------------------------------------------------------


class Names(NamedTuple):
    """A `server/tool` pattern, or the names of one call."""

    server: str
    tool: str

    def __str__(self) -> str:
        return f"{self.server}/{self.tool}"


def covers_pattern(a: Names, b: Names) -> bool:
    """Whether every call of `b` is one of `a`."""
    return covers(a.server, b.server) and covers(a.tool, b.tool)


def meet_pattern(a: Names, b: Names) -> Names | None:
    """A call that is one of both, or None."""
    server = meet(a.server, b.server)
    if server is None:
        return None
    tool = meet(a.tool, b.tool)
    if tool is None:
        return None
    # `*` meets `*` in the empty name, which no server and no tool has.
    return Names(server or FRESH, tool or FRESH)


class Zone(NamedTuple):
    """The calls of a pattern without those of some others."""

    pattern: Names
    without: tuple[Names, ...] = ()


def outside(wanted: Sequence[Names], taken: Sequence[Zone]) -> Names | None:
    """A call that is one of every pattern in `wanted` and in no zone of `taken`, or None.

    Where the patterns are too many to decide, a call of all the wanted ones is returned that may be
    in a zone: to say "there is one" is the safe side for every question asked here.
    """
    first = wanted[0]
    for other in wanted[1:]:
        if meet_pattern(first, other) is None:
            return None
    zones = [zone for zone in taken if all(meet_pattern(zone.pattern, names) for names in wanted)]
    if any(not zone.without and covers_pattern(zone.pattern, names) for zone in zones for names in wanted):
        return None
    for call in _simple(wanted):
        if not any(_in_zone(zone, call) for zone in zones):
            return call
    patterns = list(dict.fromkeys([*wanted, *(p for zone in zones for p in (zone.pattern, *zone.without))]))
    index = {pattern: position for position, pattern in enumerate(patterns)}
    servers = regions(tuple(pattern.server for pattern in patterns))
    tools = regions(tuple(pattern.tool for pattern in patterns))
    if servers is None or tools is None:
        return next(_simple(wanted), None)
    for server in servers:
        for tool in tools:
            matched = server.matched & tool.matched
            if all(matched >> index[names] & 1 for names in wanted) and not any(
                matched >> index[zone.pattern] & 1
                and not any(matched >> index[names] & 1 for names in zone.without)
                for zone in zones
            ):
                return Names(server.name, tool.name)
    return None


def _simple(wanted: Sequence[Names]) -> Iterator[Names]:
    """Calls at hand, the ones that read best first; all of them are of every wanted pattern."""
    for server in _simple_names([names.server for names in wanted]):
        for tool in _simple_names([names.tool for names in wanted]):
            yield Names(server, tool)


def _simple_names(wanted: Sequence[str]) -> list[str]:
    """Names that all the globs match: `list_*` and `*_issues` meet in `list_x_issues`, too."""
    names = [meet(a, b) or "" for a in wanted for b in wanted]
    for a in wanted:
        names += (a.replace("*", FRESH), a.replace("*", ""))
        names += (a.replace("*", b.replace("*", FRESH)) for b in wanted)
    return [name for name in dict.fromkeys(names) if name and all(matches(glob, name) for glob in wanted)]


def _in_zone(zone: Zone, call: Names) -> bool:
    return (
        matches(zone.pattern.server, call.server)
        and matches(zone.pattern.tool, call.tool)
        and not any(matches(p.server, call.server) and matches(p.tool, call.tool) for p in zone.without)
    )
