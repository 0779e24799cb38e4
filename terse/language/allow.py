"""`# allow NAME`: comments that silence a warning or a note where it is meant.

At the end of a line it speaks of that line; on lines of its own, of the statement or block below.
Errors are never silenced. One that silences nothing is a finding itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
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
    allows: dict[tuple[str, str], list[_Allow]] = defaultdict(list)
    for file in files:
        for allow in _allows(file.tree):
            allows[file.path, allow.name].append(allow)
    if not allows:
        return list(found)
    used: set[int] = set()
    left = []
    for diagnostic in found:
        span = diagnostic.primary.span
        silencing = [
            allow
            for allow in allows.get((span.source.path, diagnostic.code.name), ())
            if allow.first_line <= span.line <= allow.last_line
        ]
        if silencing and diagnostic.severity < Severity.ERROR:
            used.update(map(id, silencing))
        else:
            left.append(diagnostic)
    left += [_unused(allow) for own in allows.values() for allow in own if id(allow) not in used]
    return left


def _allows(tree: syntax.File) -> list[_Allow]:
    found: list[_Allow] = []
    blocks = _blocks(tree)
    following = 0
    # From the last to the first, so that what stands below a comment is known when it is reached.
    for comment in reversed(tree.comments):
        line = comment.line
        alone = not comment.source.line_text(line)[: comment.column - 1].strip()
        below = line + 1
        if alone:
            while below <= comment.source.line_count and not comment.source.line_text(below).strip():
                below += 1
            if _is_comment(comment.source, below):
                below = following
            following = below
        match = _ALLOW.match(comment.text)
        if match is None:
            continue
        first, last = blocks.get(below, (below, below)) if alone else (line, line)
        for name in _NAME.finditer(match[1]):
            start = comment.start + match.start(1) + name.start()
            span = Span(comment.source, start, start + len(name[0]))
            found.append(_Allow(name[0], span, first, last))
    return found


def _blocks(tree: syntax.File) -> dict[int, tuple[int, int]]:
    """The lines of each statement and block, by the line it begins in."""
    found: dict[int, tuple[int, int]] = {}
    line_of = tree.source.line_of
    for item in tree.items:
        for node in (*getattr(item, "lines", ()), item):
            found[node.span.line] = (node.span.line, line_of(node.span.end))
    return found


def _is_comment(source: Source, line: int) -> bool:
    return line <= source.line_count and source.line_text(line).lstrip().startswith("#")


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
