"""Writes the TextMate grammar of rule files, which VS Code and many other editors colour them by.

    python editors/textmate.py            write it
    python editors/textmate.py --check    exit 1 when it is stale

Every word and every pattern in it comes from grammar/terse.lark. Which words begin an item or a line is
asked of the parser; a word is coloured as a keyword only where it can be one, as far as one line can tell.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from lark.lexer import PatternRE, PatternStr, TerminalDef

from terse.language.cursor import place
from terse.language.parse import parser

FILE = Path(__file__).resolve().parent / "vscode" / "syntaxes" / "terse.tmLanguage.json"

BLOCKS = ("rule a", "guard a", "profile a", "tools a/b", 'test "a"')
"""One block of each kind, to ask which words begin a line in it."""

SCOPES = {
    "REMOVE": "keyword.control.loss.terse",
    "REMOVE_REST": "keyword.control.loss.terse",
    "CLASS": "constant.language.class.terse",
    "LEVEL": "constant.language.level.terse",
    "KIND": "constant.language.kind.terse",
}
"""Terminals with a colour of their own. What loses something is one: a reviewer looks for it."""


def grammar() -> dict[str, object]:
    """The grammar, as its JSON file says it."""
    terminals = {terminal.name: _without_end(terminal) for terminal in parser().terminals}
    items = ["EDITION", *_beginning("terse 1\n", terminals)]
    lines = sorted({name for block in BLOCKS for name in _beginning(f"{block} {{\n", terminals)})
    placed = {*items, *lines}
    second = {name for line in lines for name in _second(terminals[line], terminals)}
    inside = [
        name for name in terminals if _is_word(terminals[name]) and (name not in placed or name in second)
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "terse",
        "scopeName": "source.terse",
        "fileTypes": ["terse"],
        "patterns": [
            _one("comment.line.number-sign.terse", _pattern(terminals["COMMENT"])),
            _one("string.quoted.double.terse", _pattern(terminals["STRING"])),
            {
                "match": rf"({_pattern(terminals['LINES_MATCHING'])})[ \t]+({_pattern(terminals['REGEX'])})",
                "captures": {"1": {"name": "keyword.other.terse"}, "2": {"name": "string.regexp.terse"}},
            },
            *_headings(terminals, items),
            *_at_line_start(terminals, items, "keyword.control.terse"),
            *_at_line_start(terminals, lines, "keyword.other.terse"),
            _one("variable.other.tool.terse", _tool(terminals)),
            _one(
                "constant.numeric.terse",
                rf"(?<![\w.*-]){_pattern(terminals['NUMBER'])}"
                rf"(?:[ \t]*(?:{_pattern(terminals['UNIT'])})(?!\w)|(?![\w.]))",
            ),
            *_inside(terminals, inside),
        ],
    }


def _without_end(terminal: TerminalDef) -> TerminalDef:
    """The terminal without the look at what follows a word: here that look is part of each pattern."""
    value = terminal.pattern.value.replace(_END_OF_WORD, "")
    if value == terminal.pattern.value:
        return terminal
    pattern = PatternStr(value) if value.isalpha() else PatternRE(value)
    return TerminalDef(terminal.name, pattern, terminal.priority)


_END_OF_WORD = r"(?![\w.*-])"


def _beginning(text: str, terminals: dict[str, TerminalDef]) -> list[str]:
    """The words that could follow the text."""
    possible = place(text, len(text)).terminals & terminals.keys()
    return sorted(name for name in possible if _is_word(terminals[name]))


def _second(first: TerminalDef, terminals: dict[str, TerminalDef]) -> set[str]:
    """The words that could follow the first word of a line: `expect rule`, `never use`."""
    word = first.pattern.value
    if not word.isalpha():
        return set()
    return {name for block in BLOCKS for name in _beginning(f"{block} {{\n  {word} ", terminals)}


def _is_word(terminal: TerminalDef) -> bool:
    """Whether it is a word of the language, and no name, number, text or sign."""
    pattern = terminal.pattern.value
    is_named = terminal.name in SCOPES or " " in pattern or _WORDS.fullmatch(pattern) is not None
    return is_named and terminal.name not in _OPEN


_WORDS = re.compile(r"(?:\(\?:)?[a-z]{2,}(?:\|[a-z]{2,})*\)?")
_OPEN = {"_COMMA", "_THEN", "COMMENT", "STRING", "REGEX", "UNIT", "LINES_MATCHING", "__IGNORE_1"}


def _pattern(terminal: TerminalDef) -> str:
    value = terminal.pattern.value
    if isinstance(terminal.pattern, PatternStr):
        return re.escape(value)
    # The end of a line is never in the text that an editor gives: `[^\n]` would only puzzle a reader.
    return value.replace("\\/", "/")


def _any(terminals: dict[str, TerminalDef], names: Iterable[str]) -> str:
    longest_first = sorted(names, key=lambda name: (-_length(terminals[name]), name))
    return "|".join(_pattern(terminals[name]) for name in longest_first)


def _length(terminal: TerminalDef) -> int:
    return len(terminal.pattern.value)


def _one(scope: str, pattern: str) -> dict[str, object]:
    return {"name": scope, "match": pattern}


def _headings(terminals: dict[str, TerminalDef], items: list[str]) -> list[dict[str, object]]:
    """An item's word and its name."""
    named = [name for name in items if "NAME" in place(f"{terminals[name].pattern.value} ", 99).terminals]
    override = terminals["OVERRIDE"].pattern.value
    return [
        {
            "match": rf"^[ \t]*((?:{override}[ \t]+)?(?:{_any(terminals, named)}))[ \t]+"
            rf"({_pattern(terminals['NAME'])})",
            "captures": {
                "1": {"name": "keyword.control.terse"},
                "2": {"name": "entity.name.function.terse"},
            },
        }
    ]


def _at_line_start(
    terminals: dict[str, TerminalDef], names: list[str], scope: str
) -> list[dict[str, object]]:
    own = [name for name in names if name in SCOPES]
    rest = [name for name in names if name not in SCOPES]
    groups = [(SCOPES[name], [name]) for name in own] + [(scope, rest)]
    return [
        {
            "match": rf"^[ \t]*({_any(terminals, group)})(?![\w.*/-])",
            "captures": {"1": {"name": colour}},
        }
        for colour, group in groups
    ]


def _inside(terminals: dict[str, TerminalDef], names: list[str]) -> list[dict[str, object]]:
    own = [name for name in names if name in SCOPES]
    rest = [name for name in names if name not in SCOPES]
    groups = [(SCOPES[name], [name]) for name in own]
    groups.append(("keyword.operator.word.terse", [*rest, "_THEN_WORD"]))
    words = {**terminals, "_THEN_WORD": TerminalDef("_THEN_WORD", PatternStr("then"))}
    # A key of a path and a half of a pattern are no words of the language.
    return [_one(scope, rf"(?<![\w.*/-])(?:{_any(words, group)})(?![\w.*/:-])") for scope, group in groups]


def _tool(terminals: dict[str, TerminalDef]) -> str:
    half = _pattern(terminals["TOOL"])
    return rf"(?<![\w.*/-]){half}[ \t]*/[ \t]*{half}"


def text() -> str:
    return json.dumps(grammar(), indent=2) + "\n"


def main(arguments: list[str]) -> int:
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text():
        return 0
    if arguments == ["--check"]:
        print(f"stale: {FILE.name}; run python editors/textmate.py", file=sys.stderr)
        return 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
    print(f"written: {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
