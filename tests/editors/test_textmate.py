"""The TextMate grammar is the language's grammar, and colours what a reader looks for."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from terse.language.parse import tokens
from terse.source import Source

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "editors" / "vscode" / "syntaxes" / "terse.tmLanguage.json"
NOT_WORDS = ("NAME", "TOOL", "KEY", "WORD", "STRING", "REGEX")
POLICIES = sorted((ROOT / "policies").rglob("*.terse"))


def generator() -> ModuleType:
    """editors/textmate.py, which is no module of the package."""
    name = "textmate_generator"
    spec = importlib.util.spec_from_file_location(name, ROOT / "editors" / "textmate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def colours(line: str) -> list[tuple[int, int, str]]:
    """The stretches of a line and their scopes: the first pattern that begins first, as editors do."""
    patterns = [
        (re.compile(entry["match"]), entry.get("name"), entry.get("captures", {}))
        for entry in json.loads(FILE.read_text(encoding="utf-8"))["patterns"]
    ]
    found: list[tuple[int, int, str]] = []
    position = 0
    while position < len(line):
        searched = ((i, regex.search(line, position)) for i, (regex, _, _) in enumerate(patterns))
        matches = [(match.start(), i, match) for i, match in searched if match is not None]
        if not matches:
            break
        _, index, match = min(matches, key=lambda each: each[:2])
        _, name, captures = patterns[index]
        if name:
            found.append((*match.span(), name))
        found += [(*match.span(int(group)), each["name"]) for group, each in captures.items()]
        position = max(match.end(), position + 1)
    return found


def scope(line: str, piece: str) -> str:
    """The scope of a piece of a line; empty when it has none."""
    at = line.index(piece)
    return next((name for start, end, name in colours(line) if start <= at < end), "")


def test_the_file_is_fresh() -> None:
    """The committed grammar is what the generator makes of grammar/terse.lark today."""
    assert FILE.read_text(encoding="utf-8") == generator().text(), "run python editors/textmate.py"


@pytest.mark.parametrize(
    ("line", "piece", "colour"),
    [
        ("rule issue-lists {", "rule", "keyword.control.terse"),
        ("rule issue-lists {", "issue-lists", "entity.name.function.terse"),
        ("override rule lists {", "override", "keyword.control.terse"),
        ("  on github/list_issues", "on", "keyword.other.terse"),
        ("  on github/list_issues", "github", "variable.other.tool.terse"),
        ("  remove every *_url", "remove", "keyword.control.loss.terse"),
        ("  shorten a to 3 rows and remove the rest", "and remove", "keyword.control.loss.terse"),
        ("  shorten a to 3 rows and remove the rest", "3 rows", "constant.numeric.terse"),
        ("  set  aside patch over 2k characters", "set", "keyword.other.terse"),
        ("  require lossless", "lossless", "constant.language.class.terse"),
        ("  when payload is json or text", "json", "constant.language.kind.terse"),
        ("  when payload is json or text", "payload", "keyword.operator.word.terse"),
        ("  keep lines matching /a#b/", "/a#b/", "string.regexp.terse"),
        ('  because "do not remove # this"', "remove", "string.quoted.double.terse"),
        ("  use minify # then nothing", "nothing", "comment.line.number-sign.terse"),
        ("  use minify then tabularize", "then", "keyword.operator.word.terse"),
        ("  keep issues.text, to.over", "text", ""),
    ],
)
def test_what_has_a_colour(line: str, piece: str, colour: str) -> None:
    """Keywords, names, tools, texts, sizes, comments; loss has a colour of its own; fields have none."""
    assert scope(line, piece) == colour


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.name)
def test_every_word_of_the_language_is_coloured_where_the_parser_sees_one(path: Path) -> None:
    """In the shipped policies each keyword token has a keyword's or a constant's colour."""
    source = Source(path.name, path.read_text(encoding="utf-8"))
    for token in tokens(source):
        if token.type in NOT_WORDS or not re.fullmatch(r"[a-z][a-z ]+", str(token)):
            continue
        number = source.line_of(token.start_pos or 0)
        line, at = source.line_text(number), (token.start_pos or 0) - source.start_of(number)
        found = next((name for start, end, name in colours(line) if start <= at < end), "")
        assert found.startswith(("keyword", "constant")), f"{token!r} in {line!r}"
