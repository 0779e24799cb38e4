"""Lines that start alike, under a heading that holds what they share.

    src/app.py…
    :12: first
    :30: second

stands for `src/app.py:12: first` and `src/app.py:30: second`. A heading ends in `…` and holds until the
next one; `…` alone ends it. A line that starts with `…` stands as it was, without that sign.
Empty lines and the `--` between groups of search hits are never continued.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room
from terse.folds.weight import weight

ALONE = ("", "--")
_STRETCH = 4096

Cuts = Callable[[str], Sequence[int]]
"""Where a line may be cut into heading and rest: positions in rising order, none for other lines."""


def fold(lines: Sequence[str], cuts: Cuts) -> list[str] | None:
    """The lines under headings, or `None` when no heading pays.

    Long texts are done in stretches, so that memory stays linear in them.
    """
    written: list[str] = []
    heading = ""
    gained = 0
    for start in range(0, len(lines), _STRETCH):
        stretch = lines[start : start + _STRETCH]
        chosen, gain = _choose(stretch, cuts, heading)
        gained += gain
        for line, prefix in zip(stretch, chosen, strict=True):
            if line in ALONE:
                written.append(line)
                continue
            if prefix is None:
                written.append(line if not heading and _plain(line) else VERBATIM + line)
                continue
            if prefix != heading:
                written.append(prefix + VERBATIM)
                heading = prefix
            written.append(line[len(prefix) :])
    return written if gained > 0 else None


def _plain(rest: str) -> bool:
    return not rest.startswith(VERBATIM) and not rest.endswith(VERBATIM)


def _choose(lines: Sequence[str], cuts: Cuts, heading: str) -> tuple[list[str | None], int]:
    """For each line the heading it goes under (`None`: none), by the best total; and that total.

    A walk over the lines keeps, for each heading that could hold now, the best total so far. A line without
    a cut keeps all of them, at the price of the sign before it.
    """
    weights: dict[str, int] = {}
    totals: dict[str, int] = {heading: 0}
    back: list[dict[str, str] | None] = []
    options: list[list[str]] = []
    for line in lines:
        prefixes = _prefixes(line, cuts)
        options.append(prefixes)
        if not prefixes:
            if line not in ALONE:
                totals = {prefix: total - (prefix != "") for prefix, total in totals.items()}
            back.append(None)
            continue
        before = max(totals, key=totals.__getitem__)
        best = totals[before]
        opened = best - 2  # the words of the heading are paid once, by the line that opens it
        after: dict[str, int] = {}
        came: dict[str, str] = {}
        for prefix in prefixes:
            kept = totals.get(prefix)
            if kept is not None:
                saved = weights.get(prefix)
                if saved is None:
                    saved = weights[prefix] = weight(prefix)
                if kept + saved >= opened:
                    after[prefix] = kept + saved
                    came[prefix] = prefix
                    continue
            after[prefix] = opened
            came[prefix] = before
        if before not in after:
            after[before] = best - (before != "")
            came[before] = before
        totals = after
        back.append(came)
    last = max(totals, key=totals.__getitem__)
    total = totals[last]
    chosen: list[str | None] = [None] * len(lines)
    for index in range(len(lines) - 1, -1, -1):
        came_from = back[index]
        if came_from is None:
            continue
        if last in options[index]:
            chosen[index] = last
        last = came_from[last]
    return chosen, total


def _prefixes(line: str, cuts: Cuts) -> list[str]:
    """What the line may leave to a heading: never so that the rest would be read as anything else."""
    if line in ALONE or line.startswith(VERBATIM) or line.endswith(VERBATIM):
        return []
    return [line[:cut] for cut in cuts(line) if cut and _rests(line, cut)]


def _rests(line: str, cut: int) -> bool:
    size = len(line) - cut
    return size > 0 and not line.startswith(VERBATIM, cut) and (size > 2 or line[cut:] not in ALONE)


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with their headings before them.

    Raises:
        NotFolded: a heading that nothing follows.
    """
    read: list[str] = []
    heading = ""
    open_heading = False
    for line in lines:
        if line in ALONE:
            read.append(line)
        elif line == VERBATIM:
            heading = ""
        elif line.startswith(VERBATIM):
            read.append(line[1:])
        elif line.endswith(VERBATIM):
            if open_heading:
                raise NotFolded("a heading without lines")
            heading = line[:-1]
            open_heading = True
            continue
        else:
            room.take(len(heading) + len(line))
            read.append(heading + line)
        open_heading = False
    if open_heading:
        raise NotFolded("a heading without lines")
    return read


FORM = Form(
    name="headings",
    phrase="a line ending in … starts those below",
    unfold=unfold,
)
