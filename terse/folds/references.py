"""Numbers that always stand in the same words, by number alone, and addresses that begin alike.

    @N = [ref=eN]
    #N = [#N](https://github.com/o/r/pull/N)
    ~/ = https://example.org/docs/

    - button "Save" @12
    - fixed in #40
    - link ~/guide.html

The lines before the first empty one say what a sign with a number stands for, and how an address begins that
is written with `~/`. A sign is used only where the text has it before no number, and `~/` where it has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from terse.folds.frame import Form, NotFolded, Room
from terse.folds.weight import weight

SIGNS = "@#~^&$"
MOST = 4
LEAST_SHARE = 110
"""Characters of the text for each token that is taken away, about: with fewer it hardly gets shorter."""

BASES = ("~/", "^/")
_ENTRY = re.compile(r"(?:([@#~^&$])N|([~^]/)) = (.+)", re.DOTALL)
_FOLDERS = r"(?:[^\s/\"'<>()\[\]{}|\\^`?#]{1,60}/)"
_ADDRESS = re.compile(r"https?://[^\s/\"'<>()\[\]{}|\\^`]{1,80}/" + _FOLDERS + "{0,4}")
_TARGETS = tuple(
    # Each begins with letters that the engine can look for: far cheaper than one expression for both.
    re.compile(begin + "((?!https?:)(?:[a-z]{2,12}:)?/?" + _FOLDERS + "{1,5})")
    for begin in (r"\]\(", '="')
)
"""Targets of links of a page, without a host: in markdown, and as attributes."""

_KNOWN_SIGNS = ("uid=", "[ref=", "[#", "`#", ":`")
_KNOWN = (
    re.compile(r"(?<![0-9A-Za-z_])()(uid=[0-9]{1,6}_)([0-9]{1,6})(?![0-9A-Za-z_])"),
    re.compile(r"()(\[ref=(?:[a-z][0-9]{0,6}){0,3}[a-z])([0-9]{1,7})\]"),
    re.compile(r"()(\[#)([0-9]{1,7})\]\(https?://[^\s()<>]{4,160}/\3\)"),
    re.compile(r"()(`#)([0-9]{1,7}) <https?://[^\s<>]{4,160}/\3>`__?"),
    re.compile(r"()(:[a-z]{2,12}:`#?)([0-9]{1,7})`"),
)


def occur(text: str) -> bool:
    """Whether the beginning of a text holds some of the words that this form is for."""
    if "=" not in text and "#" not in text and "`" not in text:
        return False
    return any(
        sign in text and len(expression.findall(text)) >= 4
        for sign, expression in zip(_KNOWN_SIGNS, _KNOWN, strict=True)
    )


def addresses(text: str) -> bool:
    """Whether the beginning of a text holds many links that begin alike."""
    starts = Counter(found.split("/", 3)[2] for found in _ADDRESS.findall(text))
    for expression in _TARGETS:
        starts.update(found[: found.find("/", 1) + 1] for found in expression.findall(text))
    return any(often >= 6 for often in starts.values())


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with signs for the words around their numbers, or `None` where none come often enough."""
    text = "\n".join(lines)
    least = max(40, len(text) // 200)  # about two tokens of a hundred
    gained = 0
    entries: list[tuple[str, str]] = []
    for known, expression in zip(_KNOWN_SIGNS, _KNOWN, strict=True):
        if known not in text:
            continue
        shapes = Counter(_shape(found[0], found[3]) for found in expression.finditer(text))
        for shape, often in sorted(shapes.items(), key=lambda item: (-item[1], item[0])):
            free = [sign for sign in SIGNS if not re.search(re.escape(sign) + "[0-9]", text)]
            free = [sign for sign in free if sign not in {used for used, _ in entries}]
            if len(entries) == MOST or not free or often * (weight(shape) - 1) < least or "\n" in shape:
                break
            entries.append((free[0], shape))
            gained += often * (weight(shape) - 1)
            text = _searcher(shape).sub(free[0] + r"\1", text)
    bases: list[tuple[str, str]] = []
    for sign in BASES:
        gain, base = (0, "") if sign in text else _base(text)
        if gain < least:
            break
        gained += gain
        bases.append((sign, base))
        text = _begun(text, base, sign)
    if gained * LEAST_SHARE < len(text):
        return None
    legend = [f"{sign}N = {shape}" for sign, shape in entries] + [f"{sign} = {base}" for sign, base in bases]
    return [*legend, "", *text.split("\n")]


def _base(text: str) -> tuple[int, str]:
    """The beginning of addresses that takes away most when it is said once, and what it takes away."""
    often: Counter[str] = Counter()
    for expression, first in ((_ADDRESS, 8), *((target, 1) for target in _TARGETS)):
        for found, times in Counter(expression.findall(text)).items():
            at = found.find("/", first)
            while at >= 0:
                often[found[: at + 1]] += times
                at = found.find("/", at + 1)
    gains = [((times - 1) * (weight(base) - 2) - weight(base) - 4, base) for base, times in often.items()]
    gain, base = max(gains, key=lambda item: (item[0], item[1]), default=(0, ""))
    return (0, "") if re.search(r"[@#~^&$][0-9]", base) else (gain, base)


def _begun(text: str, base: str, sign: str) -> str:
    """The text with the sign where an address begins so. Without a host, only where a link begins."""
    if "://" in base:
        return text.replace(base, sign)
    for begin in ("](", '="'):
        text = text.replace(begin + base, begin + sign)
    return text


def _shape(words: str, number: str) -> str:
    return re.sub(rf"(?<![0-9]){number}(?![0-9])", "N", words)


def _searcher(shape: str) -> re.Pattern[str]:
    """Finds the words of `shape` around one and the same number."""
    before, *rest = re.split(r"(?<![A-Za-z0-9])N(?![A-Za-z0-9])|(?<=[a-z_])N(?![A-Za-z0-9])", shape)
    return re.compile(
        re.escape(before)
        + "([0-9]{1,7})"
        + r"\1".join(map(re.escape, rest))
        + ("" if rest[-1] else "(?![0-9])")
    )


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with the words around every number.

    Raises:
        NotFolded: no entry, a sign twice, or an entry without a number.
    """
    entries: dict[str, list[str]] = {}
    bases: dict[str, str] = {}
    position = 0
    for line in lines:
        position += 1
        if line == "":
            break
        entry = _ENTRY.fullmatch(line)
        if not entry or (entry[1] or entry[2]) in (*entries, *bases):
            raise NotFolded("no entry")
        if entry[2]:
            bases[entry[2]] = entry[3]
            continue
        parts = re.split(r"(?<![A-Za-z0-9])N(?![A-Za-z0-9])|(?<=[a-z_])N(?![A-Za-z0-9])", entry[3])
        if len(parts) < 2:
            raise NotFolded("an entry without a number")
        entries[entry[1]] = parts
    else:
        raise NotFolded("entries without an end")
    if not entries and not bases:
        raise NotFolded("no entry")
    held = list(lines[position:])
    for base_sign in reversed(bases):
        base = bases[base_sign]
        room.take(len(base) * sum(line.count(base_sign) for line in held))
        held = [line.replace(base_sign, base) for line in held]
    if not entries:
        return held
    sign = re.compile(f"([{re.escape(''.join(entries))}])([0-9]{{1,7}})")

    def words(found: re.Match[str]) -> str:
        whole = found[2].join(entries[found[1]])
        room.take(len(whole))
        return whole

    # Entries were made one after another on the whole text, and a sign is free only where it stands before
    # no number: so a later entry never writes a sign of an earlier one, and one pass reads them all.
    return [sign.sub(words, line) for line in held]


FORM = Form(
    name="references",
    phrase="signs stand for the words below",
    unfold=unfold,
)
