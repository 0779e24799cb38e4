"""`set aside`: a short note with a handle stands for what is found, and the handle holds the original."""

from __future__ import annotations

from terse.fields.desk import NOTHING_FOUND, Desk, Done
from terse.fields.find import Spot
from terse.fields.page import Cutting, Gap, Page, Part
from terse.fields.selector import CodeBlocks, LinesMatching, Target, TerminalCodes
from terse.fields.size import Amount, counted, described, exceeds, line_count, text_of
from terse.fields.tree import Noted, Tree
from terse.memory.store import handle_of
from terse.payload.exact import dump

FULL = "the store is full"


def set_aside(target: Target, over: Amount | None, subject: Tree | Page, desk: Desk) -> Done:
    """Put a note with a handle in place of what the target finds, where that is worth it.

    Args:
        over: only what is larger than this.
    """
    if isinstance(subject, Tree):
        return _from_tree(target, over, subject, desk)
    if isinstance(target, TerminalCodes):
        return Done(note="terminal codes are shorter than a handle")
    return _from_page(target, over, subject, desk)


def _from_tree(target: Target, over: Amount | None, tree: Tree, desk: Desk) -> Done:
    found = done = 0
    full = False
    for spot in list(tree.spots(target)):
        found += 1
        if over is not None and not exceeds(spot.value, over, desk.count):
            continue
        text = text_of(spot.value)
        note = desk.marks.aside(described(spot.value), handle_of(text))
        if not _pays(spot, text, note, tree, desk):
            continue
        if desk.handle(text) is None:
            full = True
            continue
        tree.edit(spot, Noted(note))
        done += 1
    return _done(found, done, full)


def _pays(spot: Spot, text: str, note: str, tree: Tree, desk: Desk) -> bool:
    if not tree.holds_kept(spot):
        return desk.pays_to_fetch(text, note)
    return desk.count(text) > desk.count(dump(tree.kept_of(spot.value, note)))


def _from_page(target: Target, over: Amount | None, page: Page, desk: Desk) -> Done:
    parts = page.parts(target, None if over is None else lambda text: exceeds(text, over, desk.count))
    if isinstance(target, LinesMatching):
        return _lines(parts, page, desk)
    full = False

    def cutting(part: Part) -> Cutting:
        original = page.received_of(part)

        def note(gap: Gap) -> str | None:
            nonlocal full
            what = counted(line_count(gap.source), "lines")
            if isinstance(target, CodeBlocks):
                what = f"code block, {what}"
            words = desk.marks.aside(what, handle_of(original) if gap.number == 0 else None)
            if not desk.pays_to_fetch(gap.text, words):
                return None
            if desk.handle(original) is None:
                full = True
                return None
            return words

        return Cutting(part, 0, len(page.text_of(part)), note)

    cut = page.cut(map(cutting, parts))
    return _done(len(parts), sum(map(bool, cut)), full)


def _lines(parts: list[Part], page: Page, desk: Desk) -> Done:
    """Matching lines share one handle, in the first of their notes: they are fetched together."""
    worth = [part for part in parts if desk.pays(page.text_of(part), desk.marks.aside(_many(part)))]
    together = "".join(map(page.received_of, worth))
    total = sum(part.end - part.start for part in worth)
    if not worth:
        return _done(len(parts), 0, full=False)
    words = [desk.marks.aside(_many(part)) for part in worth]
    in_all = f" here and {total:,} in all" if len(worth) > 1 else ""
    words[0] = desk.marks.aside(_many(worth[0]) + in_all, handle_of(together))
    if not desk.pays_to_fetch(together, " ".join(words)):
        return _done(len(parts), 0, full=False)
    if desk.handle(together) is None:
        return _done(len(parts), 0, full=True)
    notes = iter(words)
    page.cut(Cutting(part, 0, len(page.text_of(part)), lambda gap: next(notes)) for part in worth)
    return _done(len(parts), len(worth), full=False)


def _many(part: Part) -> str:
    return counted(part.end - part.start, "lines")


def _done(found: int, done: int, full: bool) -> Done:
    if done:
        said = f"{done} of {found} set aside" + (f"; then {FULL}" if full else "")
        return Done(done, aside=done, note=said)
    if full:
        return Done(note=FULL)
    return Done(note="shorter than a note would be") if found else NOTHING_FOUND
