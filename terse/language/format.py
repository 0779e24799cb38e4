"""The one style of rule files: what `terse fmt` writes.

Two spaces a block, one space between words, one statement a line. A list or chain that is too long
for a line has one member a line. Comments stay where they stand; of blank lines at most one stays,
and blocks have one between them. The words of the file are never changed, only the white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lark import Token

from terse.language import syntax
from terse.language.parse import tokens

WIDTH = 100
"""A statement longer than this is broken at its commas and `then`s. A comment behind it does not count."""

INDENT = "  "
CONTINUED = "    "

_NEVER_BEFORE = {"_COMMA", "END", "CLOSE_LIST", "COLON", "DOT", "SLASH", "LPAR", "CLOSE"}
_NEVER_AFTER = {"LPAR", "OPEN_LIST", "DOT", "SLASH", "OPEN"}
_OPENING = {"LPAR", "OPEN_LIST", "OPEN"}
_CLOSING = {"END", "CLOSE_LIST", "CLOSE"}
_VERBATIM = {"STRING", "REGEX"}
_ONE_LINE = {"EDITION", "IMPORT", "CHAIN"}
_COMMENT = re.compile(r"#[^\n]*")
_ALLOW = re.compile(r"#\s*allow\b")


@dataclass(slots=True)
class _Break:
    """A place in a statement where it may go on in the next line, and the comments that stand there.

    `depth` counts the brackets around it. `behind` is at the end of the line, `below` on lines of their own.
    """

    depth: int
    taken: bool
    behind: str = ""
    below: tuple[str, ...] = ()

    @property
    def has_comments(self) -> bool:
        return bool(self.behind or self.below)


@dataclass(slots=True, eq=False)
class _Line:
    """A statement, the head or the end of a block, or (without parts) a comment on a line of its own.

    `parts` are the texts between the `breaks`, one more than those.
    """

    depth: int
    first: str = ""
    opens: bool = False
    parts: list[str] = field(default_factory=list)
    breaks: list[_Break] = field(default_factory=list)
    comment: str = ""
    blank_before: bool = False
    """At least one blank line stands before it."""
    allowed: bool = False
    """A comment above it speaks of its first line only, as one does of a line of `fit`."""


def formatted(file: syntax.File) -> str:
    """The file's text in the one style. `file` is of a parse without findings.

    Formatting a formatted file changes nothing, and both parse to the same tree but for positions.
    """
    lines = list(_lines(file))
    _note_allows(lines)
    _align_chains(lines)
    written: list[str] = []
    for index, line in enumerate(lines):
        if index and _blank_between(lines, index):
            written.append("")
        written += _layout(line)
    return "\n".join(written) + "\n"


# ---- reading -----------------------------------------------------------------------------------------


def _lines(file: syntax.File) -> Iterator[_Line]:
    depth = 0
    blank = False
    statement: list[Token] = []
    comment = ""
    for token in _with_comments(file):
        if token.type == "COMMENT":
            comment = str(token)
        elif token.type != "_NL":
            statement.append(token)
        elif statement or comment:
            closes = bool(statement) and statement[0].type == "CLOSE"
            depth -= closes
            line = _line(statement, comment, depth)
            line.blank_before = blank
            yield line
            depth += line.opens
            blank, statement, comment = False, [], ""
        else:
            blank = True


def _with_comments(file: syntax.File) -> Iterator[Token]:
    """Tokens and comments by place; a comment in a list is part of its comma and not told apart here."""
    found = tokens(file.source)
    inside = [(_start(token), _start(token) + len(token)) for token in found if "#" in token]
    inside_at = {
        comment.start for comment in file.comments for start, end in inside if start <= comment.start < end
    }
    comments = [
        Token("COMMENT", comment.text, comment.start)
        for comment in file.comments
        if comment.start not in inside_at
    ]
    yield from sorted((*found, *comments), key=_start)
    # The last line may have no line end, or be a comment that has none.
    yield Token("_NL", "\n", len(file.source.text))


def _start(token: Token) -> int:
    return token.start_pos or 0


def _line(statement: Sequence[Token], comment: str, depth: int) -> _Line:
    line = _Line(depth, comment=comment)
    if not statement:
        return line
    line.first = "RULE" if statement[0].type == "OVERRIDE" else statement[0].type
    line.opens = statement[-1].type == "OPEN"
    part = ""
    brackets = 0
    before: Token | None = None
    for token in statement:
        head = token is statement[-1] and line.opens
        brackets -= token.type in _CLOSING
        if before is not None and part and _spaced(before, token, head):
            part += " "
        part += _written(token)
        brackets += token.type in _OPENING
        if token.type in ("_COMMA", "_THEN"):
            line.parts.append(part)
            line.breaks.append(_break(token, brackets))
            part = ""
        before = token
    line.parts.append(part)
    return line


def _break(token: Token, depth: int) -> _Break:
    first, *rest = token.split("\n")
    behind = _COMMENT.search(first)
    below = tuple(found[0].rstrip() for line in rest if (found := _COMMENT.search(line)))
    return _Break(depth, "\n" in token, behind[0].rstrip() if behind else "", below)


def _spaced(before: Token, token: Token, opens_block: bool) -> bool:
    if opens_block:
        return True
    if token.type == "UNIT" and token == "%":
        return False
    return token.type not in _NEVER_BEFORE and before.type not in _NEVER_AFTER


def _written(token: Token) -> str:
    if token.type in _VERBATIM:
        return str(token)
    if token.type == "_COMMA":
        return ","
    if token.type == "_THEN":
        return "then"
    # Of words that are two words, the white space between them is free.
    return " ".join(token.split())


# ---- writing -----------------------------------------------------------------------------------------


def _note_allows(lines: Sequence[_Line]) -> None:
    above = False
    for line in lines:
        if line.first:
            line.allowed = above and line.depth > 1
            above = False
        else:
            above = above or _ALLOW.match(line.comment) is not None


def _align_chains(lines: Sequence[_Line]) -> None:
    """The `=` of chains on lines one after another stand below each other."""
    group: list[_Line] = []
    for line in (*lines, _Line(0)):
        if group and (line.first != "CHAIN" or line.blank_before):
            width = max(line.parts[0].index(" =") for line in group)
            for member in group:
                head, equal, tail = member.parts[0].partition(" =")
                member.parts[0] = head.ljust(width) + equal + tail
            group = []
        if line.first == "CHAIN":
            group.append(line)


def _blank_between(lines: Sequence[_Line], index: int) -> bool:
    """Whether a blank line stands between this line and the one before it."""
    before, line = lines[index - 1], lines[index]
    if before.opens or line.first == "CLOSE":
        return False
    if line.blank_before:
        return True
    if line.depth or not before.first:
        return False
    if before.first not in _ONE_LINE or before.first == "EDITION":
        return True
    # A comment belongs to what stands right below it.
    for following in lines[index:]:
        if following.blank_before:
            return False
        if following.first:
            return following.first != before.first
    return False


def _layout(line: _Line) -> Iterable[str]:
    indent = INDENT * line.depth
    if not line.first:
        return [indent + line.comment]
    levels = sorted({place.depth for place in line.breaks})
    if _has_allow(line):
        # `# allow` speaks of the line it stands on: what that line holds must stay.
        taken = [place.taken for place in line.breaks]
        return _broken(line, indent, taken, levels)
    needed = max((place.depth for place in line.breaks if place.has_comments), default=-1)
    for level in (-1, *levels):
        if level < needed:
            continue
        taken = [place.depth <= level for place in line.breaks]
        written = _broken(line, indent, taken, levels)
        if max(map(len, _broken(line, indent, taken, levels, comments=False))) <= WIDTH:
            break
    return written


def _has_allow(line: _Line) -> bool:
    comments = [line.comment]
    for place in line.breaks:
        comments += (place.behind, *place.below)
    return line.allowed or any(map(_ALLOW.match, comments))


def _broken(
    line: _Line, indent: str, taken: Sequence[bool], levels: Sequence[int], *, comments: bool = True
) -> list[str]:
    """The statement with the breaks that are taken."""
    written = [indent + line.parts[0]]
    for place, take, part in zip(line.breaks, taken, line.parts[1:], strict=True):
        if not take:
            written[-1] += " " + part
            continue
        continued = indent + CONTINUED + INDENT * levels.index(place.depth)
        if comments and place.behind:
            written[-1] += INDENT + place.behind
        if comments:
            written += [continued + comment for comment in place.below]
        written.append(continued + part)
    if comments and line.comment:
        written[-1] += INDENT + line.comment
    return written
