"""`shorten`: a text is cut to so many characters, tokens or lines, a list to so many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from terse.fields.desk import NOTHING_FOUND, Desk, Done
from terse.fields.find import Spot, elements, longest_list_of_objects
from terse.fields.page import Cutting, Gap, Page, Part
from terse.fields.selector import Everything, LinesMatching, Target, TerminalCodes
from terse.fields.set_aside import FULL
from terse.fields.size import Amount, counted, line_count, text_of
from terse.fields.tree import Rows, Text, Tree
from terse.memory.store import handle_of
from terse.payload.exact import Number, dump

End = Literal["first", "last", "both"]


@dataclass(frozen=True, slots=True)
class Cut:
    """How `shorten` cuts.

    Attributes:
        to: what stays of each value.
        end: which end of it stays.
        removes: the rest is gone, and not set aside.
    """

    to: Amount
    end: End = "first"
    removes: bool = False


def shorten(target: Target, cut: Cut, subject: Tree | Page, desk: Desk) -> Done:
    """Cut what the target finds down to a size. Kept parts of what is cut away stay.

    Of a JSON document, `everything` are the rows of its longest list of objects.
    """
    if isinstance(subject, Page):
        return _in_page(target, cut, subject, desk)
    if cut.to.unit == "rows":
        return _rows(target, cut, subject, desk)
    return _strings(target, cut, subject, desk)


def region(text: str, cut: Cut, count: Callable[[str], int]) -> tuple[int, int] | None:
    """The characters, from and to before, that `cut` takes out of a text. None: it is short enough."""
    first, last = _shares(cut)
    match cut.to.unit:
        case "lines":
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if len(lines) <= cut.to.number:
                return None
            start = sum(len(line) + 1 for line in lines[:first])
            end = len(text) if last == 0 else sum(len(line) + 1 for line in lines[: len(lines) - last])
        case "tokens":
            if not _over(text, cut.to.number, count):
                return None
            start = _fitting(text, first, count, from_end=False)
            end = len(text) - _fitting(text, last, count, from_end=True)
        case _:
            if len(text) <= cut.to.number:
                return None
            start, end = first, len(text) - last
    return (start, end) if start < end else None


def _shares(cut: Cut) -> tuple[int, int]:
    """How much stays at the start and at the end."""
    match cut.end:
        case "first":
            return cut.to.number, 0
        case "last":
            return 0, cut.to.number
        case _:
            return cut.to.number - cut.to.number // 2, cut.to.number // 2


def _over(text: str, tokens: int, count: Callable[[str], int]) -> bool:
    # A text has at most as many tokens as bytes, and no token is longer than 128 of them.
    return len(text) > 128 * tokens or (4 * len(text) > tokens and count(text) > tokens)


def _fitting(text: str, tokens: int, count: Callable[[str], int], *, from_end: bool) -> int:
    """The length of a start (or an end) of the text that has at most so many tokens, as long as can be."""

    def part(length: int) -> str:
        return text[len(text) - length :] if from_end else text[:length]

    fits, over = 0, 4 * tokens + 1
    while over < len(text) and count(part(over)) <= tokens:
        fits, over = over, 2 * over
    over = min(over, len(text) + 1)
    while over - fits > 1:
        middle = (fits + over) // 2
        if count(part(middle)) <= tokens:
            fits = middle
        else:
            over = middle
    return fits


def _rows(target: Target, cut: Cut, tree: Tree, desk: Desk) -> Done:
    if isinstance(target, Everything):
        longest = longest_list_of_objects(tree.document)
        spots = [longest] if longest is not None and tree.is_free(longest) else []
    else:
        spots = list(tree.spots(target))
    first, last = _shares(cut)
    tally = _Tally()
    for spot in spots:
        rows = spot.value
        if not isinstance(rows, list):
            continue
        tally.found += 1
        if len(rows) <= cut.to.number:
            continue
        start, end = first, len(rows) - last
        rest = dump(rows[start:end])
        said = _said(cut.end, end - start, len(rows), "rows")
        note = tally.note(cut, desk, said, text_of(rows), rest)
        tally.said = said
        if note is not None:
            tree.edit(spot, Rows(start, end, note))
            tally.changed += 1
    name = ""
    if isinstance(target, Everything) and spots and tally.found:
        name = f"{_way(spots[0])}: "
    return tally.done(cut, desk, name)


def _strings(target: Target, cut: Cut, tree: Tree, desk: Desk) -> Done:
    tally = _Tally()
    for found in list(tree.spots(target)):
        for spot in elements(found):
            value = spot.value
            if not isinstance(value, str) or isinstance(value, Number) or not tree.is_free(spot):
                continue
            tally.found += 1
            taken = region(value, cut, desk.count)
            if taken is None:
                continue
            start, end = taken
            rest = value[start:end]
            said = _said(cut.end, *_amounts(rest, value, cut, desk), cut.to.unit)
            note = tally.note(cut, desk, said, value, rest)
            tally.said = said
            if note is not None:
                tree.edit(spot, Text(value[:start] + note + value[end:]))
                tally.changed += 1
    return tally.done(cut, desk)


def _in_page(target: Target, cut: Cut, page: Page, desk: Desk) -> Done:
    if cut.to.unit == "rows":
        return Done(note="a text has no rows")
    if isinstance(target, TerminalCodes):
        return Done(note="terminal codes cannot be shortened")
    parts: list[Part] = page.parts(target)
    if isinstance(target, LinesMatching):
        parts = [line for run in parts for line in page.single_lines(run)]
    tally = _Tally()

    def cuttings() -> Iterator[Cutting]:
        for part in parts:
            tally.found += 1
            # The end of the last line is none of its characters, and stays.
            taken = region(page.text_of(part).removesuffix("\n"), cut, desk.count)
            if taken is not None:
                yield Cutting(part, *taken, partial(note, page.received_of(part)))

    amount = 0

    def note(original: str, gap: Gap) -> str | None:
        nonlocal amount
        here = _amounts(gap.source, "", cut, desk)[0]
        said = counted(here, cut.to.unit)
        words = tally.note(cut, desk, said, original, gap.text, with_handle=gap.number == 0)
        amount += here if words is not None else 0
        return words

    tally.changed = sum(map(bool, page.cut(cuttings())))
    tally.said = counted(amount, cut.to.unit)
    return tally.done(cut, desk)


def _amounts(rest: str, whole: str, cut: Cut, desk: Desk) -> tuple[int, int]:
    match cut.to.unit:
        case "lines":
            return line_count(rest), line_count(whole)
        case "tokens":
            return desk.count(rest), desk.count(whole)
        case _:
            return len(rest), len(whole)


def _said(end: End, rest: int, whole: int, unit: str) -> str:
    """`the last 22 of 122 rows`: which part is not here."""
    which = {"first": "the last ", "last": "the first ", "both": ""}[end]
    middle = " from the middle" if end == "both" else ""
    return f"{which}{rest:,} of {counted(whole, unit)}{middle}"


def _way(spot: Spot) -> str:
    keys = [str(each.key) for each in spot.way() if isinstance(each.key, str) and each.parent is not None]
    return ".".join(reversed(keys)) or "the list"


class _Tally:
    """What one `shorten` of one target came to."""

    def __init__(self) -> None:
        self.found = 0
        self.changed = 0
        self.said = ""
        """What was cut away, where there was one value to cut."""
        self._full = False
        self._lost: list[str] = []

    def note(
        self, cut: Cut, desk: Desk, said: str, whole: str, rest: str, *, with_handle: bool = True
    ) -> str | None:
        """The note for a `rest` that is cut away, None when it must stay: no gain, or the store is full."""
        if cut.removes:
            note = desk.marks.removed(said)
        else:
            note = desk.marks.aside(said, handle_of(whole) if with_handle else None)
        pays = desk.pays if cut.removes else desk.pays_to_fetch
        if not pays(rest, note):
            return None
        if cut.removes:
            self._lost.append(rest)
        elif desk.handle(whole) is None:
            self._full = True
            return None
        return note

    def done(self, cut: Cut, desk: Desk, name: str = "") -> Done:
        if self.changed:
            what = self.said if self.found == 1 else f"{self.changed:,} of {self.found:,}"
            verb = "removed" if cut.removes else "set aside"
            if cut.removes and self.found > 1:
                verb = "shortened"
            note = f"{name}{what} {verb}" + (f"; then {FULL}" if self._full else "")
            lost = desk.count("".join(self._lost))
            return Done(self.changed, lost, 0 if cut.removes else self.changed, note)
        if self._full:
            return Done(note=FULL)
        return Done(note="short enough") if self.found else NOTHING_FOUND
