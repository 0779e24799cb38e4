"""`# allow NAME`: comments that silence a warning or a note where it is meant.

At the end of a line it speaks of that line; on lines of its own, of the statement or block below.
Errors are never silenced. One that silences nothing is a finding itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from terse.diagnostic import Diagnostic, Label, Severity
from terse.language import syntax
from terse.language.codes import BY_NAME
from terse.language.codes import house as codes
from terse.language.load import LoadedFile
from terse.language.suggest import did_you_mean
from terse.source import Source, Span

_ALLOW = re.compile(r"#[ \t]*allow[ \t]+([A-Za-z0-9][A-Za-z0-9, \t-]*)")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class _Allow:
    """One name of one comment, and the lines it speaks of."""

    name: str
    span: Span
    first_line: int
    last_line: int


def silence(files: Iterable[LoadedFile], found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each comment that silences none."""
    allows: dict[str, list[_Allow]] = {}
    for file in files:
        own = _allows(file.tree)
        if own:
            allows[file.path] = own
    if not allows:
        return list(found)
    used: set[int] = set()
    left = []
    for diagnostic in found:
        span = diagnostic.primary.span
        silencing = [
            allow
            for allow in allows.get(span.source.path, ())
            if allow.name == diagnostic.code.name and allow.first_line <= span.line <= allow.last_line
        ]
        if silencing and diagnostic.severity < Severity.ERROR:
            used.update(map(id, silencing))
        else:
            left.append(diagnostic)
    for own in allows.values():
        left += [_unused(allow) for allow in own if id(allow) not in used]
    return left


def _allows(tree: syntax.File) -> list[_Allow]:
    found = []
    for comment in tree.comments:
        match = _ALLOW.match(comment.text)
        if match is None:
            continue
        first, last = _lines(tree, comment)
        for name in _NAME.finditer(match[1]):
            start = comment.start + match.start(1) + name.start()
            span = Span(comment.source, start, start + len(name[0]))
            found.append(_Allow(name[0], span, first, last))
    return found


def _lines(tree: syntax.File, comment: Span) -> tuple[int, int]:
    source = comment.source
    if source.line_text(comment.line)[: comment.column - 1].strip():
        return comment.line, comment.line
    line = comment.line + 1
    while line <= source.line_count and _empty(source, line):
        line += 1
    for item in tree.items:
        if item.span.line == line:
            return line, source.line_of(item.span.end)
        if item.span.start < comment.start < item.span.end:
            for statement in getattr(item, "lines", ()):
                if statement.span.line == line:
                    return line, source.line_of(statement.span.end)
    return line, line


def _empty(source: Source, line: int) -> bool:
    text = source.line_text(line).strip()
    return not text or text.startswith("#")


def _unused(allow: _Allow) -> Diagnostic:
    code = BY_NAME.get(allow.name)
    help: str | None = "leave it out"
    if code is None:
        message = f"there is no finding called `{allow.name}`"
        help = did_you_mean(allow.name, BY_NAME) or help
    elif code.severity is Severity.ERROR:
        message = f"`{allow.name}` is an error, and errors cannot be silenced"
    else:
        message = f"there is no `{allow.name}` here to silence"
    return Diagnostic(codes.UNUSED_ALLOW, message, Label(allow.span, "silences nothing"), help=help)
