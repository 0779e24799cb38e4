"""A text as the changes of an earlier one, by lines: hunks as in a unified diff.

    @@ -120,2 +120,3 @@
    -    timeout = 5
    -    retries = 2
    +    timeout = 10
    +    retries = 3
    +    backoff = 0.5
    @@ -200 @@ in this line
    -'state': 'open'
    +'state': 'closed'

A removed line, or one that stays, may be quoted by its beginning and `…`: its number says which one it is.
What is new is always written out. The whole form is specified in docs/format-delta.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from terse.memory.align import Change, changes

CUT = "…"
MAX_QUOTE = 60
"""Characters of an old line that are quoted; enough to know it by, and its number says which it is."""
MAX_OLD_LINES = 6
"""Old lines of one hunk that are quoted; of more, the first ones and the last."""
LONG_LINE = 100
"""Characters from which on a changed line may be written as the parts of it that changed."""
MAX_PART = 240
"""Characters of a part: where a longer one would be needed to be unique, the line is written out."""
MAX_PARTS = 64
"""Parts of one line that are written; a line with more changes is written out."""
_JOINED_LINES, _JOINED_CHARACTERS = 2, 60
"""Equal lines between two changes that are written out, so that both are one hunk."""

_HUNK = re.compile(r"@@ -([1-9][0-9]{0,8})(?:,([1-9][0-9]{0,8}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@")
_IN_LINE = re.compile(r"@@ -([1-9][0-9]{0,8}) @@ in this line")
_PIECE = re.compile(r"\w+|\W")


class NotDelta(ValueError):  # noqa: N818 — the name says what the text is
    """The text is no delta, or does not fit the base. The message says why."""


@dataclass(slots=True)
class _Hunk:
    """`a[a0:a1]` became `b[b0:b1]`: of the old lines, those in `changed` go, the others stay."""

    a0: int
    a1: int
    b0: int
    b1: int
    changed: list[Change]


def write(base: str, text: str, expired: Callable[[], bool] = lambda: False) -> tuple[list[str], int]:
    """The lines of the hunks that make `text` of `base`, and how many lines of `base` they leave as they are.

    Raises:
        OutOfTime: `expired` said so.
    """
    a, b = base.split("\n"), text.split("\n")
    hunks: list[_Hunk] = []
    parts: dict[int, list[str]] = {}
    found = changes(a, b, expired)
    for a0, a1, b0, b1 in found:
        if a1 - a0 == b1 - b0:
            inside = [_parts(old, new, expired) for old, new in zip(a[a0:a1], b[b0:b1], strict=True)]
            if all(inside):
                parts.update((a0 + offset, lines) for offset, lines in enumerate(inside) if lines)
                continue
        hunks.append(_Hunk(a0, a1, b0, b1, [(a0, a1, b0, b1)]))
    written: list[tuple[int, list[str]]] = [
        (at, [f"@@ -{at + 1} @@ in this line", *parts[at]]) for at in parts
    ]
    written += [(hunk.a0, _written(hunk, a, b)) for hunk in _joined(hunks, a, parts)]
    written.sort(key=lambda item: item[0])
    same = len(a) - sum(a1 - a0 for a0, a1, _, _ in found)
    return [line for _, lines in written for line in lines], same


def _joined(hunks: Sequence[_Hunk], a: Sequence[str], taken: Container[int]) -> list[_Hunk]:
    """The hunks, those close together as one, and each with a line of the base in it."""
    joined: list[_Hunk] = []
    for hunk in hunks:
        last = joined[-1] if joined else None
        if last is not None and _close(range(last.a1, hunk.a0), a, taken):
            last.a1, last.b1 = hunk.a1, hunk.b1
            last.changed += hunk.changed
        elif hunk.a0 < hunk.a1:
            joined.append(hunk)
        # An insertion says after which line, so that nobody has to count. Changes never touch each other,
        # so that the line before it, or the first one after it, is there to be quoted.
        elif hunk.a0 > (last.a1 if last is not None else 0):
            hunk.a0, hunk.b0 = hunk.a0 - 1, hunk.b0 - 1
            joined.append(hunk)
        elif last is None:
            hunk.a1, hunk.b1 = hunk.a1 + 1, hunk.b1 + 1
            joined.append(hunk)
        else:
            last.a1, last.b1 = hunk.a1, hunk.b1
            last.changed += hunk.changed
    return joined


def _close(between: range, a: Sequence[str], taken: Container[int]) -> bool:
    return (
        len(between) <= _JOINED_LINES
        and sum(len(a[at]) for at in between) <= _JOINED_CHARACTERS
        and not any(at in taken for at in between)
    )


def _written(hunk: _Hunk, a: Sequence[str], b: Sequence[str]) -> list[str]:
    lines = [f"@@ -{_range(hunk.a0, hunk.a1)} +{_range(hunk.b0, hunk.b1)} @@"]
    at = hunk.a0
    for a0, a1, b0, b1 in hunk.changed:
        lines += [" " + _quoted(line) for line in a[at:a0]]
        old = ["-" + _quoted(line) for line in a[a0:a1]]
        if len(old) > MAX_OLD_LINES and len(hunk.changed) == 1 and "-" + CUT not in (*old[:2], old[-1]):
            old = [*old[:2], "-" + CUT, old[-1]]
        lines += old
        lines += ["+" + line for line in b[b0:b1]]
        at = a1
    lines += [" " + _quoted(line) for line in a[at : hunk.a1]]
    return lines


def _range(start: int, end: int) -> str:
    # No line at all is said by the line before it, as every unified diff does.
    if start == end:
        return f"{start},0"
    return str(start + 1) if end - start == 1 else f"{start + 1},{end - start}"


def _quoted(line: str) -> str:
    return line if len(line) <= MAX_QUOTE + 20 else line[:MAX_QUOTE] + CUT


def _parts(old: str, new: str, expired: Callable[[], bool]) -> list[str] | None:
    """The parts of a long line that changed, in pairs; `None` where the line is better written out."""
    if min(len(old), len(new)) < LONG_LINE:
        return None
    a, b = _PIECE.findall(old), _PIECE.findall(new)
    starts = [0]
    for piece in a:
        starts.append(starts[-1] + len(piece))
    found = changes(a, b, expired)
    if len(found) > MAX_PARTS:
        return None
    spans: list[tuple[int, int, int, int]] = []
    for change in found:
        widened = _unique(change, a, old, starts)
        if widened is None:
            return None
        if spans and widened[0] < spans[-1][1]:
            first = spans.pop()
            merged = _unique((first[0], widened[1], first[2], widened[3]), a, old, starts)
            if merged is None:
                return None
            widened = merged
            while spans and widened[0] < spans[-1][1]:
                return None
        spans.append(widened)
    lines: list[str] = []
    for a0, a1, b0, b1 in spans:
        lines += ["-" + "".join(a[a0:a1]), "+" + "".join(b[b0:b1])]
    if sum(map(len, lines)) + 24 > len(_quoted(old)) + len(new):
        return None
    return lines


def _unique(change: Change, a: Sequence[str], old: str, starts: Sequence[int]) -> Change | None:
    """The change with as much of the line around it as makes its old text the only one in the line."""
    a0, a1, b0, b1 = change
    while True:
        part = old[starts[a0] : starts[a1]]
        if len(part) > MAX_PART:
            return None
        if part.strip():
            first = old.find(part)
            if old.find(part, first + 1) < 0:
                return a0, a1, b0, b1
        if a0 == 0 and a1 == len(a):
            return None
        if a0 > 0:
            a0, b0 = a0 - 1, b0 - 1
        if a1 < len(a) and (len(part) > 40 or a0 == 0):
            a1, b1 = a1 + 1, b1 + 1


# ---- reading -------------------------------------------------------------------------------------


def is_line(line: str) -> bool:
    """Whether the line can belong to hunks."""
    return line[:1] in ("-", "+", " ", "@")


def read(lines: Sequence[str], base: str) -> str:
    """The text that the hunks make of `base`.

    Raises:
        NotDelta: the lines are no hunks, or speak of another base.
    """
    a = base.split("\n")
    made: list[str] = []
    at = 0
    place = 0
    while place < len(lines):
        end = place + 1
        while end < len(lines) and not lines[end].startswith("@@"):
            end += 1
        body = lines[place + 1 : end]
        if inside := _IN_LINE.fullmatch(lines[place]):
            start, stop = int(inside[1]) - 1, int(inside[1])
        elif hunk := _HUNK.fullmatch(lines[place]):
            start = int(hunk[1]) - 1
            stop = start + int(hunk[2] or 1)
        else:
            raise NotDelta("a line that begins no hunk")
        if start < at or stop > len(a):
            raise NotDelta("a hunk out of place")
        made += a[at:start]
        if inside:
            made.append(_with_parts(a[start], body))
        else:
            assert hunk is not None
            new = _new_lines(body, a[start:stop])
            if len(new) != int(hunk[4] or 1):
                raise NotDelta("a hunk with another count of new lines")
            if int(hunk[3]) != len(made) + bool(new):
                raise NotDelta("a hunk whose new lines are elsewhere")
            made += new
        at, place = stop, end
    return "\n".join(made + a[at:])


def _new_lines(body: Sequence[str], old: Sequence[str]) -> list[str]:
    quoted = sum(not line.startswith("+") for line in body)
    left_over = len(old) - quoted
    new: list[str] = []
    at = 0
    for line in body:
        sign, words = line[:1], line[1:]
        if sign == "+":
            new.append(words)
            continue
        if sign == "-" and words == CUT and left_over > 0:
            at, left_over = at + left_over + 1, 0
            continue
        if sign not in ("-", " ") or at >= len(old) or not _is_quote(words, old[at]):
            raise NotDelta("an old line that the base does not have there")
        if sign == " ":
            new.append(old[at])
        at += 1
    if at != len(old):
        raise NotDelta("a hunk with another count of old lines")
    return new


def _is_quote(words: str, line: str) -> bool:
    return words == line or (words.endswith(CUT) and line.startswith(words[:-1]))


def _with_parts(line: str, body: Sequence[str]) -> str:
    if not body or len(body) % 2:
        raise NotDelta("parts of a line that are no pairs")
    made: list[str] = []
    at = 0
    for old, new in zip(body[::2], body[1::2], strict=True):
        if old[:1] != "-" or new[:1] != "+" or line.count(old[1:]) != 1:
            raise NotDelta("a part that the line does not have once")
        found = line.find(old[1:])
        if found < at or not old[1:]:
            raise NotDelta("parts out of order")
        made += (line[at:found], new[1:])
        at = found + len(old) - 1
    return "".join(made) + line[at:]
