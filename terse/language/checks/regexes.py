"""Regexes: linear in time, and telling some lines from others."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.fields.selector import LinesMatching
from terse.language import syntax
from terse.language.codes import fields as codes
from terse.language.policy import Policy
from terse.language.regex import fault, matches_empty
from terse.source import Span


def check(policy: Policy) -> Iterator[Diagnostic]:
    for path in sorted(policy.loaded.files):
        for item in policy.loaded.files[path].tree.items:
            if isinstance(item, (syntax.Rule, syntax.Guard, syntax.Profile, syntax.Test)):
                for part in _parts(item.lines):
                    if isinstance(part.target, LinesMatching):
                        yield from _regex(part, part.target.regex)


def _parts(lines: tuple[syntax.Node, ...]) -> Iterator[syntax.Part]:
    for line in lines:
        match line:
            case syntax.Keep() | syntax.Remove() | syntax.SetAside() | syntax.Shorten():
                yield from line.parts
            case syntax.Fit():
                yield from _parts(line.lines)
            case syntax.When(condition=syntax.PayloadHas(parts=parts)):
                yield from parts
            case syntax.Expect(expectation=syntax.ExpectKeeps(parts=parts)):
                yield from parts


def _regex(part: syntax.Part, text: str) -> Iterator[Diagnostic]:
    found = fault(text)
    # The regex stands at the end of the part, between slashes.
    begin = part.span.end - len(part.span.text.split("/", 1)[1])
    if found is not None:
        span = Span(part.span.source, begin, part.span.end - 1)
        if found.start is not None and "\\/" not in span.text:
            span = Span(part.span.source, begin + found.start, begin + max(found.end, found.start + 1))
        yield Diagnostic(
            codes.SLOW_REGEX,
            found.message,
            Label(span, found.label),
            help=found.help,
        )
    elif matches_empty(text):
        yield Diagnostic(
            codes.REGEX_MATCHES_EMPTY,
            "this regex matches the empty text, and so every line",
            Label(Span(part.span.source, begin - 1, part.span.end), "found in every line"),
            help="say what must stand in the line",
        )
