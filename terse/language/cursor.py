"""Which words could stand at a place of a file that is being written: what completion offers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lark import Lark
from lark.exceptions import UnexpectedInput

from terse.language import table
from terse.language.parse import grammar
from terse.language.unexpected import WORDS

_ITEM = re.compile(r"^(?:import|chain|profile|guard|override|rule|tools|test)\b", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z0-9_$@*.+-]*\Z")
_GOES_ON = re.compile(r"(?:,|\bthen)[ \t]*(?:#[^\n]*)?\n[^\n]*$")
_COMMENT = re.compile(r'^(?:[^"#/\n]|"(?:\\.|[^"\\\n])*"|/(?:\\.|[^/\\\n])+/|/)*#')

_PHRASES: dict[str, tuple[str, ...]] = {
    "FIT": ("fit in",),
    "LOSE": ("lose at most",),
    "SPEND": ("spend at most",),
    "NEVER": ("never store", "never use"),
    "IMPORT": ("import",),
}
"""Words that are always followed by the same words: they are offered together."""

_LETTERS = re.compile(r"[A-Z_]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, and what could stand there.

    Attributes:
        terminals: names of the grammar's terminals that could begin here.
        words: the language's own words among them.
        before: the statement up to here, as one line.
        typed: what is already written of the word that the place is in.
        block: the first word of the item it is in (`rule`, `test`, …); empty between items.
    """

    terminals: frozenset[str]
    words: tuple[str, ...]
    before: str
    typed: str
    block: str

    @property
    def statement(self) -> str:
        """The first word of the statement; empty at its beginning."""
        return self.before.split(None, 1)[0] if self.before.split() else ""


def place(text: str, offset: int) -> Place:
    """What could stand at a character of the text. Errors elsewhere in the file do not matter."""
    before = text[:offset]
    typed = _typed(before)
    line = _statement(before[: len(before) - len(typed)])
    if _COMMENT.match(line):
        return Place(frozenset(), (), line, typed, "")
    item = _last_item(before[: len(before) - len(typed)])
    terminals = _accepted(before[item : len(before) - len(typed)])
    words = tuple(dict.fromkeys(word for name in sorted(terminals) for word in _words(name)))
    block = before[item:].split(None, 1)[0] if before[item:].split() and item >= 0 else ""
    closed = "CLOSE" not in terminals and not line.strip()
    return Place(terminals, words, line.lstrip(), typed, "" if closed else block)


def _typed(before: str) -> str:
    quoted = re.search(r'"(?:\\.|[^"\\\n])*\Z', before[before.rfind("\n") + 1 :])
    line = before[before.rfind("\n") + 1 :]
    if quoted is not None and len(re.findall(r'(?<!\\)"', line)) % 2:
        return quoted[0]
    word = _WORD.search(before)
    typed = word[0] if word is not None else ""
    # Of a path, the part behind the last dot is what is being written.
    return typed.rsplit(".", 1)[-1] if not typed.replace(".", "").isdigit() else typed


def _statement(before: str) -> str:
    start = before.rfind("\n") + 1
    while start and _GOES_ON.search(before[:start] + "x"):
        start = before.rfind("\n", 0, start - 1) + 1
    return " ".join(before[start:].split("\n"))


def _last_item(before: str) -> int:
    found = [match.start() for match in _ITEM.finditer(before)]
    return found[-1] if found else 0


@cache
def _parser() -> Lark:
    # One of its own: the parser of files builds their nodes while it goes.
    made = table.load(grammar(), None, {})
    return made if made is not None else table.build(grammar(), None, {})


def _accepted(text: str) -> frozenset[str]:
    """The terminals that could follow; lines before the last that do not parse are left out."""
    lines = text.split("\n")
    while True:
        run = _parser().parse_interactive("\n".join(lines))
        try:
            for _ in run.iter_parse():
                pass
            return frozenset(run.accepts())  # type: ignore[no-untyped-call]
        except UnexpectedInput as error:
            bad = max(error.line, 1) - 1 if isinstance(error.line, int) else len(lines) - 1
            if bad >= len(lines) - 1 or bad == 0:
                return frozenset()
            del lines[bad]


def _words(terminal: str) -> tuple[str, ...]:
    if terminal in _PHRASES:
        return _PHRASES[terminal]
    named = WORDS.get(terminal)
    if named is not None:
        return tuple(word for word in named if word[0].isalpha())
    if terminal in ("NAME", "TOOL", "KEY", "WORD", "INT", "NUMBER", "STRING", "REGEX", "$END"):
        return ()
    return (terminal.lower(),) if _LETTERS.fullmatch(terminal) and not terminal.startswith("_") else ()
