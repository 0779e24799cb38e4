"""What to say of a word that stands where the grammar has no place for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import text as codes
from terse.language.suggest import closest
from terse.language.units import UNIT_WORDS
from terse.source import Source, Span

_FOUND = re.compile(r'"(?:\\.|[^"\\\n])*"|[\w$@*.%-]+|[^\s]')

# What each terminal of the grammar is to a reader: words to choose from, or a description.
# Statements name themselves: a terminal that is not here is written in lower case.
WORDS: dict[str, tuple[str, ...]] = {
    "EDITION": ("terse",),
    "CLASS": ("exact", "lossless", "recoverable", "lossy"),
    "LEVEL": ("low", "medium", "high", "max"),
    "KIND": (
        *("json", "records", "object", "text", "log", "markdown"),
        *("code", "diff", "html", "csv", "binary"),
    ),
    "WHICH": ("first", "last"),
    "UNIT": UNIT_WORDS,
    "SET_ASIDE": ("set aside",),
    "LINES_MATCHING": ("lines matching",),
    "CODE_BLOCKS": ("code blocks",),
    "TERMINAL_CODES": ("terminal codes",),
    "BOTH_ENDS": ("from both ends",),
    "REMOVE_REST": ("and remove the rest",),
    "PRESENCE": ("exists", "is missing"),
    "PRESENTATION": ("in place", "wrapped"),
    "_AT_MOST": ("at most",),
    "_THEN": ("then",),
    "OPEN": ("{",),
    "CLOSE": ("}",),
    "OPEN_LIST": ("[",),
    "CLOSE_LIST": ("]",),
    "END": (")",),
    "_COMMA": (",",),
    "EQUAL": ("=",),
    "SLASH": ("/",),
    "LPAR": ("(",),
    "COLON": (":",),
    "DOT": (".",),
}
DESCRIPTIONS: dict[str, str] = {
    "NAME": "a name",
    "TOOL": "a name or pattern of a server or tool",
    "KEY": "a field",
    "WORD": "a word",
    "INT": "a whole number",
    "NUMBER": "a number",
    "STRING": 'a text in `"…"`',
    "REGEX": "a regex in `/…/`",
    "_NL": "the end of the line",
    "$END": "the end of the file",
}
_SILENT = {"_NL", "$END", "DOT"}
"""Not worth telling where words of the language could stand, too."""

_UNIT_SHOWN = ("tokens", "characters", "lines", "rows", "bytes", "kB", "MB", "calls", "ms", "seconds", "%")


def unexpected(source: Source, offset: int, accepted: Iterable[str]) -> Diagnostic:
    """The finding for the text at `offset`, where the terminals `accepted` could have stood."""
    terminals = set(accepted)
    text = source.text
    opener = text[offset] if offset < len(text) else ""
    if opener == '"' or (opener == "/" and "REGEX" in terminals):
        closed = re.compile(r'"(?:\\.|[^"\\\n])*"|/(?:\\.|[^/\\\n])+/').match(text, offset)
        if closed is None:
            return _unclosed(source, offset, opener)
    found, span = _found(source, offset)
    words, descriptions = _expected(terminals)
    hint = _hint(found, source, offset, terminals)
    meant = closest(found, words) if found else None
    if meant is not None:
        help: str | None = f"did you mean `{meant}`?"
    else:
        help = hint
    shown = found if len(found) <= 40 else found[:39] + "…"
    what = f"`{shown}`"
    if not found:
        what = "end of the file" if offset >= len(text.rstrip()) else "end of the line"
    notes = (f"here can stand {_listed(terminals, words, descriptions)}",)
    return Diagnostic(
        codes.UNEXPECTED_WORD, f"unexpected {what}", Label(span, "not expected here"), help=help, notes=notes
    )


def _unclosed(source: Source, offset: int, opener: str) -> Diagnostic:
    end = source.text.find("\n", offset)
    end = len(source.text) if end == -1 else end
    what = "text" if opener == '"' else "regex"
    return Diagnostic(
        codes.UNCLOSED_STRING,
        f"this {what} does not end on its line",
        Label(Span(source, offset, max(offset + 1, len(source.text[:end].rstrip()))), "begins here"),
        help=f"close it with `{opener}`",
    )


def _found(source: Source, offset: int) -> tuple[str, Span]:
    text = source.text
    match = _FOUND.match(text, offset) if offset < len(text) else None
    if match is None:
        offset = min(offset, len(text))
        return "", Span(source, offset, offset)
    return match[0], Span(source, *match.span())


def _expected(terminals: set[str]) -> tuple[list[str], list[str]]:
    """The words of the language that could stand here, and descriptions of the rest."""
    words: list[str] = []
    descriptions: list[str] = []
    for terminal in sorted(terminals):
        if terminal in DESCRIPTIONS:
            descriptions.append(DESCRIPTIONS[terminal])
        else:
            words.extend(WORDS.get(terminal, (terminal.lower().strip("_"),)))
    return words, descriptions


def _listed(terminals: set[str], words: list[str], descriptions: list[str]) -> str:
    shown = [word for word in words if word != "."]
    if "UNIT" in terminals:
        shown = [word for word in shown if word not in UNIT_WORDS or word in _UNIT_SHOWN]
    quiet = {DESCRIPTIONS[terminal] for terminal in _SILENT & DESCRIPTIONS.keys()}
    items = [text for text in descriptions if text not in quiet]
    items += [f"`{word}`" for word in shown]
    if not items:
        items = descriptions or ["nothing"]
    elif len(items) < 3:
        items += [text for text in descriptions if text in quiet]
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " or " + items[-1]


_BEGIN_NAMES = ("rule", "guard", "chain", "profile", "override", "apply", "expect")


def _hint(found: str, source: Source, offset: int, terminals: set[str]) -> str | None:
    """Advice where a near word would not help: the reader has another language in mind."""
    line = source.line_text(source.line_of(min(offset, len(source.text))))
    statement = line.split()[0] if line.split() else ""
    in_condition = statement == "when" and "_NL" in terminals
    if found in ("and", "&&") and in_condition:
        return "every `when` line must hold: write the second condition on a line of its own"
    if found in ("or", "||") and in_condition:
        return "there is no `or` between conditions: write two rules"
    if found in ("not", "!") and statement == "when":
        return "there is no `not`: write a narrower rule for the other case"
    if found[:1].isalpha() and not found.isascii():
        return 'names with other letters than a to z stand in quotes: `"…"`'
    if "SLASH" in terminals:
        name = source.text[:offset].rstrip().split()[-1] if source.text[:offset].split() else ""
        return f"a pattern is `server/tool`: write `{name.split(',')[-1]}/*` for all tools of a server"
    if statement in _BEGIN_NAMES and "NAME" in terminals:
        return "a name is lower-case letters, digits, `-` and `_`, and begins with a letter"
    if statement == "use" and found in (",", "+"):
        return "steps are put together with `then`"
    if found == "[" and "DOT" in terminals:
        return "there are no indices: a path goes through all items of a list"
    if found == "=" and "NUMBER" in terminals:
        return "an option is its name and its value, without `=`"
    if found in ("if", "where", "unless") and "CLOSE" not in terminals:
        return "conditions are `when` lines of the rule"
    if found in ("priority", "order", "weight"):
        return "there are no priorities: the narrower rule wins"
    if found == "'":
        return 'texts stand in double quotes: `"…"`'
    if found == ";":
        return "one statement per line, without `;`"
    if found == "//":
        return "a comment begins with `#`"
    if found == "{" or ("_NL" in terminals and statement in ("rule", "guard", "profile", "tools", "test")):
        return "a block is `{`, one statement per line, and `}` on a line of its own"
    if not found and "CLOSE" in terminals:
        return "close the block with `}`"
    if "CLOSE" in terminals and re.match(r"(import|chain|profile|guard|override|rule|tools|test)\b", line):
        return "close the block before it with `}`"
    return None
