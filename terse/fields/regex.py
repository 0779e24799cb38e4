"""Regexes of rules, found in a line in time linear in its length, whatever the regex and the line.

Python's own engine tries ways one after another: `(\\w+\\s?)*failed` takes for ever on a line made for
it, and even `\\s+$` takes a million steps on a thousand spaces. This one walks all ways at once
(K. Thompson, "Regular expression search algorithm", 1968) and remembers each set of ways it has
seen. It answers one question: is the regex found in the line? The syntax and the meaning are those of `re`;
back-references, look-around and possessive or atomic groups have no such walk and are refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any

MAX_LENGTH = 2_000
"""Characters of a regex; a longer one is refused."""
MAX_NODES = 5_000
"""Size of a regex with its counted repetitions written out; a larger one is refused."""
MAX_STATES = 2_000
"""Sets of ways remembered per regex; when there are more, all are forgotten and found anew."""

MAX_STEPS = 512
"""Steps for each character of a line that may be taken to tell apart the places where a regex is found."""


class Refused(ValueError):  # noqa: N818 — says what happened to the regex
    """The regex cannot be run. `start` and `end` are the part of it that is meant; equal where unknown.

    `is_regex` is False where the text is no regex at all.
    """

    def __init__(self, reason: str, start: int = 0, end: int = 0, is_regex: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start
        self.end = end
        self.is_regex = is_regex


# ---- nodes: an automaton with moves that read nothing -------------------------------------------------


class _Node:
    """A place in the regex. `moves` are the places reached without reading a character."""

    __slots__ = ("condition", "index", "moves", "reads", "then")

    def __init__(self, index: int) -> None:
        self.index = index
        self.moves: list[int] = []
        self.condition: Any = None
        """What must hold at this position (`^`, `$`, `\\b`, `\\B`) for the moves to be open."""
        self.reads: Callable[[str], object] | None = None
        """Whether a character may be read here, to go on at `then`."""
        self.then = -1


class _Builder:
    """Writes the automaton of a parsed regex, from its end to its beginning."""

    def __init__(self, flags: int) -> None:
        self.nodes: list[_Node] = []
        self._flags = flags & (re.IGNORECASE | re.ASCII | re.DOTALL)

    def node(self) -> _Node:
        if len(self.nodes) >= MAX_NODES:
            raise Refused(f"its repetitions written out are more than {MAX_NODES:,} parts")
        node = _Node(len(self.nodes))
        self.nodes.append(node)
        return node

    def sequence(self, items: Iterable[tuple[Any, Any]], then: int, flags: int) -> int:
        for operation, value in reversed(list(items)):
            then = self._item(operation, value, then, flags)
        return then

    def _item(self, operation: Any, value: Any, then: int, flags: int) -> int:
        if operation in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            node = self.node()
            node.reads = _reader(_source(operation, value), flags)
            node.then = then
            return node.index
        if operation is sre.AT:
            node = self.node()
            node.condition = _ASCII_CONDITIONS.get(value, value) if flags & re.ASCII else value
            node.moves.append(then)
            return node.index
        if operation is sre.SUBPATTERN:
            _, added, removed, items = value
            return self.sequence(items, then, (flags | added) & ~removed)
        if operation is sre.BRANCH:
            node = self.node()
            node.moves += [self.sequence(items, then, flags) for items in value[1]]
            return node.index
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, items = value
            return self._repeat(least, most, items, then, flags)
        raise Refused(_UNSUPPORTED.get(operation, f"`{str(operation).lower()}` cannot be run here"))

    def _repeat(self, least: int, most: Any, items: Any, then: int, flags: int) -> int:
        if most is sre.MAXREPEAT:
            loop = self.node()
            loop.moves = [self.sequence(items, loop.index, flags), then]
            then = loop.index
        else:
            for _ in range(int(most) - least):
                node = self.node()
                node.moves = [self.sequence(items, then, flags), then]
                then = node.index
        for _ in range(least):
            then = self.sequence(items, then, flags)
        return then


_UNSUPPORTED = {
    sre.GROUPREF: "a back-reference cannot be found in linear time",
    sre.GROUPREF_EXISTS: "a condition on a group cannot be found in linear time",
    sre.ASSERT: "look-around cannot be found in linear time",
    sre.ASSERT_NOT: "look-around cannot be found in linear time",
    sre.ATOMIC_GROUP: "an atomic group cannot be found in linear time",
    sre.POSSESSIVE_REPEAT: "a possessive repetition cannot be found in linear time",
}
_ASCII_CONDITIONS = {sre.AT_BOUNDARY: "ascii boundary", sre.AT_NON_BOUNDARY: "ascii no boundary"}

_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _source(operation: Any, value: Any) -> str:
    """A regex for the one character that the item reads: what it means is asked of `re` itself."""
    if operation is sre.LITERAL:
        return re.escape(chr(value))
    if operation is sre.NOT_LITERAL:
        return f"[^{_escaped(value)}]"
    if operation is sre.ANY:
        return "."
    parts = []
    for kind, part in value:
        if kind is sre.NEGATE:
            parts.append("^")
        elif kind is sre.LITERAL:
            parts.append(_escaped(part))
        elif kind is sre.RANGE:
            parts.append(f"{_escaped(part[0])}-{_escaped(part[1])}")
        else:
            parts.append(_CATEGORIES[part])
    return f"[{''.join(parts)}]"


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


def _reader(source: str, flags: int) -> Callable[[str], object]:
    return re.compile(source, flags & (re.IGNORECASE | re.ASCII | re.DOTALL)).match


# ---- walking ---------------------------------------------------------------------------------------------


class _Ways(dict[str, "_Ways"]):
    """A set of places that a line can have led to, and, per character, the set after it.

    `before` is the character read last, "" at the beginning: `\\b` and `^` ask for it.
    """

    __slots__ = ("before", "found", "places", "regex")

    def __init__(self, regex: Regex, places: frozenset[int], before: str, found: bool = False) -> None:
        super().__init__()
        self.regex = regex
        self.places = places
        self.before = before
        self.found = found

    def __missing__(self, character: str) -> _Ways:
        after = self.regex.after(self, character)
        self[character] = after
        return after


class Regex:
    """A regex of a rule, ready to be looked for."""

    def __init__(self, text: str) -> None:
        """
        Raises:
            Refused: it is no regex, or one that has no linear walk.
        """
        parsed = _parse(text)
        flags = parsed.state.flags & ~re.UNICODE
        builder = _Builder(flags)
        end = builder.node().index
        self._end = end
        try:
            self._start = builder.sequence(parsed, end, flags)
        except Refused as refused:
            start, stop = _unsupported_part(text)
            raise Refused(refused.reason, start, stop) from None
        self._nodes = builder.nodes
        self._forget()

    def found_in(self, line: str) -> bool:
        """Whether the regex is found in the line, which has no line end in it."""
        ways = self._first
        for character in line:
            ways = ways[character]
            if ways.found:
                return True
        return self._reached(ways, "")[1]

    def spans_in(self, line: str) -> list[tuple[int, int]]:
        """Where the regex is found in the line, which has no line end in it: the longest at each first place.

        Where telling the places apart would take more than `MAX_STEPS` steps for each character, the rest of
        the line is one place.
        """
        found: list[tuple[int, int]] = []
        position, left = 0, MAX_STEPS * (len(line) + 64)
        while position <= len(line):
            span, steps = self._span(line, position, left)
            left -= steps
            if left <= 0:
                found.append((position, len(line)))
                break
            if span is None:
                break
            found.append(span)
            position = max(span[1], span[0] + 1)
        return found

    def _span(self, line: str, position: int, most: int) -> tuple[tuple[int, int] | None, int]:
        """The first place from a position on, and the steps that this took."""
        # By place in the regex, where in the line the first of its ways began.
        began: dict[int, int] = {}
        best: tuple[int, int] | None = None
        steps = 0
        for at in range(position, len(line) + 1):
            if best is None:
                began.setdefault(self._start, at)
            before = line[at - 1] if at else ""
            following = line[at] if at < len(line) else ""
            reached = self._began(began, before, following)
            steps += len(reached) + 1
            if self._end in reached and (best is None or reached[self._end] <= best[0]):
                best = (reached[self._end], at)
            began = {}
            if following:
                for place, start in reached.items():
                    node = self._nodes[place]
                    is_open = best is None or start <= best[0]
                    if is_open and node.reads is not None and node.reads(following):
                        began[node.then] = min(start, began.get(node.then, start))
            if (best is not None and not began) or steps > most:
                break
        return best, steps

    def _began(self, began: dict[int, int], before: str, following: str) -> dict[int, int]:
        """The places reached without reading, each with where the first way to it began."""
        reached: dict[int, int] = {}
        for first, start in sorted(began.items(), key=lambda each: each[1]):
            waiting = [first]
            while waiting:
                place = waiting.pop()
                if place in reached:
                    continue
                reached[place] = start
                node = self._nodes[place]
                if node.condition is None or _holds(node.condition, before, following):
                    waiting += node.moves
        return reached

    def _forget(self) -> None:
        self._known: dict[tuple[frozenset[int], str], _Ways] = {}
        self._found = _Ways(self, frozenset(), "", True)
        self._first = _Ways(self, frozenset((self._start,)), "")

    def after(self, ways: _Ways, character: str) -> _Ways:
        """The ways after one more character."""
        places, found = self._reached(ways, character)
        if found:
            return self._found
        reading = (self._nodes[place] for place in places)
        read = {node.then for node in reading if node.reads is not None and node.reads(character)}
        # The regex may begin anywhere in the line.
        read.add(self._start)
        # Of the character before, only this much is ever asked.
        kind = (
            "é"
            if _is_word(character) and not _is_ascii_word(character)
            else "a"
            if _is_word(character)
            else " "
        )
        key = (frozenset(read), kind)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MAX_STATES:
                self._forget()
            known = self._known[key] = _Ways(self, key[0], kind)
        return known

    def _reached(self, ways: _Ways, following: str) -> tuple[set[int], bool]:
        """The places reached before `following` ("" at the end of the line), and whether the end is one."""
        reached: set[int] = set()
        waiting = list(ways.places)
        while waiting:
            place = waiting.pop()
            if place in reached:
                continue
            reached.add(place)
            node = self._nodes[place]
            if node.condition is None or _holds(node.condition, ways.before, following):
                waiting += node.moves
        return reached, self._end in reached


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and _is_word(character)


def _kind(character: str) -> str:
    """One character for all that are words, or not, in the same senses."""
    if _is_ascii_word(character):
        return "a"
    return "é" if _is_word(character) else " "


def _holds(condition: Any, before: str, following: str) -> bool:
    if condition in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
        return not before
    if condition in (sre.AT_END, sre.AT_END_STRING):
        return not following
    is_word = _is_ascii_word if isinstance(condition, str) and condition.startswith("ascii") else _is_word
    boundary = is_word(before) != is_word(following)
    return boundary if condition in (sre.AT_BOUNDARY, "ascii boundary") else not boundary


@lru_cache(maxsize=256)
def compiled(text: str) -> Regex:
    """The regex, made once.

    Raises:
        Refused: as `Regex`.
    """
    return Regex(text)


# ---- what is refused, and where it stands ------------------------------------------------------------------


def _parse(text: str) -> Any:
    if len(text) > MAX_LENGTH:
        raise Refused(f"it is longer than {MAX_LENGTH:,} characters")
    try:
        with warnings.catch_warnings():
            # `[[` means today what it says; a later Python may read it otherwise, and says so.
            warnings.simplefilter("ignore")
            return sre_parser.parse(text)
    except re.error as error:
        position = error.pos if error.pos is not None else 0
        raise Refused(error.msg, position, min(position + 1, len(text)), is_regex=False) from None
    except (OverflowError, RecursionError):
        raise Refused("it nests or repeats more than can be read", is_regex=False) from None


_PART = re.compile(
    r"\\(?P<back>[1-9]\d?)|\\.|(?P<group>\(\?(?:[=!>(]|<[=!]|P=))|[*+?}](?P<possessive>\+)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]",
    re.DOTALL,
)


def _unsupported_part(text: str) -> tuple[int, int]:
    """The first part of the text that is refused by its looks; nothing where it is the size."""
    for part in _PART.finditer(text):
        if part["back"] or part["group"] or part["possessive"]:
            return part.span()
    return 0, 0
