"""`remove`: what is found is gone. Where lines of a text are gone, a note counts them."""

from __future__ import annotations

import json

from terse.fields.desk import NOTHING_FOUND, Desk, Done
from terse.fields.page import Cutting, Gap, Page
from terse.fields.selector import Target, TerminalCodes
from terse.fields.size import Amount, counted, described, exceeds, line_count
from terse.fields.tree import Gone, Noted, Tree
from terse.payload.exact import dump


def remove(target: Target, over: Amount | None, subject: Tree | Page, desk: Desk) -> Done:
    """Take out what the target finds, but for what is kept in it.

    Args:
        over: only what is larger than this.
    """
    if isinstance(subject, Tree):
        return _from_tree(target, over, subject, desk)
    if isinstance(target, TerminalCodes):
        number, codes = subject.drop_terminal_codes()
        return Done(number, desk.count(codes), note=counted(number, "codes")) if number else NOTHING_FOUND
    return _from_page(target, over, subject, desk)


def _from_tree(target: Target, over: Amount | None, tree: Tree, desk: Desk) -> Done:
    gone: list[str] = []
    stayed: list[str] = []
    for spot in list(tree.spots(target)):
        if over is not None and not exceeds(spot.value, over, desk.count):
            continue
        gone.append(f"{json.dumps(spot.key, ensure_ascii=False)}:{dump(spot.value)}")
        if tree.holds_kept(spot):
            stayed.append(dump(tree.kept_of(spot.value, "")))
            tree.edit(spot, Gone())
        elif spot.parent is None:
            # A result must stay: the note says that there was one.
            tree.edit(spot, Noted(desk.marks.removed(described(spot.value))))
        else:
            tree.edit(spot, Gone())
    if not gone:
        return NOTHING_FOUND
    lost = desk.count(",".join(gone)) - desk.count(",".join(stayed))
    return Done(len(gone), max(0, lost), note=counted(len(gone), "values"))


def _from_page(target: Target, over: Amount | None, page: Page, desk: Desk) -> Done:
    before = page.copy()
    notes: list[str] = []
    silent = False

    def note(gap: Gap) -> str:
        nonlocal silent
        words = desk.marks.removed(counted(line_count(gap.source), "lines"))
        if desk.pays(gap.text, words):
            notes.append(words)
            return words
        silent = True
        return ""

    parts = page.parts(target, None if over is None else lambda text: exceeds(text, over, desk.count))
    cut = page.cut(Cutting(part, 0, len(page.text_of(part)), note) for part in parts)
    if not any(cut):
        return NOTHING_FOUND
    lines = counted(sum(map(line_count, cut)), "lines")
    if silent:
        # Where a note would be longer than what it stands for, one at the end speaks for all of them.
        notes.append(desk.marks.removed(f"in all, {lines}"))
        page.add_note(notes[-1])
    lost = desk.count("".join(cut))
    if lost <= sum(map(desk.count, notes)):
        page.undo(before)
        return Done(note="shorter than its notes would be")
    return Done(sum(map(bool, cut)), lost, note=lines)
