"""From the bytes of a rule file to its syntax tree, or to findings. Never an exception.

Parsing goes on at the next item (`rule`, `guard`, …) after a syntax error, so that each error of a
file is told once, and none because of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from lark import Lark, Token
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.utils import TextSlice

from terse.diagnostic import Diagnostic, Label
from terse.hidden import DECEIVING, HIDDEN, escaped
from terse.language import syntax, table
from terse.language.build import MAX_DEPTH, Builder
from terse.language.codes import text as codes
from terse.language.unexpected import unexpected
from terse.source import Source, Span

EDITION = 1
"""The newest edition this terse reads."""

MAX_BYTES = 4_000_000
"""A file over this size is refused: T005."""

MAX_ERRORS = 50
"""Syntax errors told of one file; a file with more is something else than a rule file."""

_EDITION_LINE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*terse[ \t]+([0-9]+)")
_ITEM = re.compile(r"^(?:import|chain|profile|guard|override|rule|tools|test)\b", re.MULTILINE)
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a file is: its tree (of the items that could be read), and what is wrong with its text."""

    file: syntax.File
    diagnostics: tuple[Diagnostic, ...]


def parse(path: str, data: bytes) -> Parsed:
    """Read one rule file. `path` is what people are shown."""
    if len(data) > MAX_BYTES:
        source = Source(path, "")
        message = f"the file has {len(data):,} bytes; a rule file has at most {MAX_BYTES:,}"
        return _nothing(source, Diagnostic(codes.FILE_TOO_LARGE, message, Label(Span(source, 0, 0))))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        source = Source(path, data.decode("utf-8", "replace"))
        at = len(data[: error.start].decode("utf-8"))
        message = f"byte {error.start:,} of the file, 0x{data[error.start]:02x}, is not UTF-8"
        label = Label(Span(source, at, at + 1), "here")
        return _nothing(source, Diagnostic(codes.NOT_UTF_8, message, label, help="save the file as UTF-8"))
    return parse_text(Source(path, text.removeprefix(_BOM)))


def parse_text(source: Source) -> Parsed:
    """Read one rule file that is text already."""
    named = _EDITION_LINE.match(source.text)
    if named is not None and not _known(named[1]):
        span = Span(source, *named.span(1))
        message = f"edition {_short(named[1])} is not known to this terse, which reads edition {EDITION}"
        help = "a newer terse reads it" if int(named[1][:9]) > EDITION else f"write `terse {EDITION}`"
        return _nothing(source, Diagnostic(codes.UNKNOWN_EDITION, message, Label(span), help=help))

    parsed = _parse_items(source)
    if named is None:
        hidden = [each for each in parsed.diagnostics if each.code is codes.HIDDEN_CHARACTER]
        if hidden and _EDITION_LINE.match(HIDDEN.sub("", source.text)):
            return Parsed(parsed.file, tuple(hidden))
        missing = Diagnostic(
            codes.UNKNOWN_EDITION,
            "the file does not begin with the edition of the language",
            Label(Span(source, *_first_line(source)), "before this"),
            help=f"write `terse {EDITION}` as the first line",
        )
        # A text that is no rule file at all would give a second finding from the same cause.
        return Parsed(parsed.file, (missing,))
    return parsed


def _known(edition: str) -> bool:
    return len(edition) < 9 and 1 <= int(edition) <= EDITION


def _short(digits: str) -> str:
    return digits if len(digits) < 20 else digits[:20] + "…"


def _first_line(source: Source) -> tuple[int, int]:
    text = source.text
    end = len(text.rstrip())
    start = min(len(text) - len(text.lstrip()), end)
    line_end = text.find("\n", start, end)
    return start, end if line_end == -1 else line_end


def _nothing(source: Source, diagnostic: Diagnostic) -> Parsed:
    return Parsed(syntax.File(source, None, (), ()), (diagnostic,))


# ---- the parser ------------------------------------------------------------------------------------

_builder = Builder()
_comments: list[Token] = []
_lock = Lock()
"""The parser calls one builder, made with it: two files cannot be parsed at once."""


@cache
def grammar() -> str:
    """The grammar's text: `grammar/terse.lark` of the repository, `terse/language/terse.lark` installed."""
    here = Path(__file__).parent
    installed = here / "terse.lark"
    in_repository = here.parent.parent / "grammar" / "terse.lark"
    return (installed if installed.exists() else in_repository).read_text(encoding="utf-8")


def _note_comments(token: Token) -> Token:
    if "#" in token:
        _comments.append(token)
    return token


@cache
def parser() -> Lark:
    """The parser, made once per process."""
    callbacks = dict.fromkeys(("COMMENT", "_COMMA", "_THEN"), _note_comments)
    made = table.load(grammar(), _builder, callbacks)
    return made if made is not None else table.build(grammar(), _builder, callbacks)


def _parse_items(source: Source) -> Parsed:
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    diagnostics: list[Diagnostic] = []
    with _lock:
        _builder.begin(source)
        _comments.clear()
        position: int | None = 0
        while position is not None and len(diagnostics) < MAX_ERRORS:
            error = _parse_from(source, text, position)
            if error is None:
                break
            diagnostics.append(error)
            # The error may be the next item itself, where a block was not closed before it.
            begin = max(error.primary.span.start, position + 1)
            following = _ITEM.search(text, begin)
            position = following.start() if following is not None else None
        file = syntax.File(
            source, _builder.edition_node, tuple(_builder.items), _comment_spans(source, _comments)
        )
        diagnostics += map(_too_deep, _builder.too_deep)
        diagnostics += map(_unknown_escape, _builder.unknown_escapes[:MAX_ERRORS])
    hidden = _hidden(file, has_errors=bool(diagnostics))
    # What a parser says of a line with such a character in it, the character says better.
    lines = {each.primary.span.line for each in hidden}
    return Parsed(file, (*(each for each in diagnostics if each.primary.span.line not in lines), *hidden))


def tokens(source: Source) -> tuple[Token, ...]:
    """The tokens of a file that has no findings, line ends included; its comments are not among them."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    with _lock:
        _builder.begin(source)
        # Which words are keywords depends on where they stand: the lexer needs the parser to tell.
        run = parser().parse_interactive(TextSlice(text, 0, len(text)))
        return tuple(run.exhaust_lexer())


def _parse_from(source: Source, text: str, position: int) -> Diagnostic | None:
    """Parse from an item to the end of the file, or to the first error, which is returned."""
    # The parser is fed by hand so that its state is at hand when a token does not fit.
    run = parser().parse_interactive(TextSlice(text, position, len(text)))
    try:
        state = run.parser_state
        for token in run.lexer_thread.lex(state):  # type: ignore[no-untyped-call]
            state.feed_token(token)
        run.feed_eof()  # type: ignore[no-untyped-call]
    except UnexpectedInput as error:
        return unexpected(source, _offset(error, text), run.accepts())  # type: ignore[no-untyped-call]
    return None


def _offset(error: UnexpectedInput, text: str) -> int:
    position = error.pos_in_stream
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return len(text)
    return position if position is not None else len(text)


def _comment_spans(source: Source, tokens: Sequence[Token]) -> tuple[Span, ...]:
    spans = {}
    for token in tokens:
        begin = token.start_pos or 0
        for comment in re.finditer(r"#[^\n]*", token):
            start = begin + comment.start()
            spans[start] = Span(source, start, start + len(comment[0].rstrip()))
    return tuple(spans[start] for start in sorted(spans))


def _unknown_escape(span: Span) -> Diagnostic:
    written = span.source.text[span.start : span.end]
    return Diagnostic(
        codes.UNKNOWN_ESCAPE,
        f"`{written}` is no escape",
        Label(span, "here"),
        help=f"write `\\{written}` for a backslash, and `\\uXXXX` for a character by its number",
    )


def _hidden(file: syntax.File, *, has_errors: bool) -> list[Diagnostic]:
    """A finding for each character that a reader does not see, but for what words in comments are made of."""
    source, found = file.source, []
    if not HIDDEN.search(source.text):
        return []
    comments = [(span.start, span.end) for span in file.comments]
    for match in HIDDEN.finditer(source.text):
        at = match.start()
        if not DECEIVING.match(source.text, at):
            if any(start <= at < end for start, end in comments):
                continue
            line = source.text[source.text.rfind("\n", 0, at) + 1 : at]
            # Behind an error, comments are not known as such.
            if has_errors and "#" in line:
                continue
        found.append(_finding(source, at, match[0]))
        if len(found) == MAX_ERRORS:
            break
    return found


def _finding(source: Source, at: int, character: str) -> Diagnostic:
    import unicodedata

    number = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "a control character")
    return Diagnostic(
        codes.HIDDEN_CHARACTER,
        f"{number} ({name}) is not seen by who reads this",
        Label(Span(source, at, at + 1), "here"),
        help=f"take it out, or write `{escaped(character)}` in a text or a regex",
    )


def _too_deep(span: Span) -> Diagnostic:
    message = f"lists and objects nest more than {MAX_DEPTH} deep here"
    return Diagnostic(codes.UNEXPECTED_WORD, message, Label(Span(span.source, span.start, span.start + 1)))
