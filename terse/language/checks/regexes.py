"""Regexes: such that run in linear time, and tell some lines from others."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.fields.regex import Refused, compiled
from terse.fields.selector import LinesMatching
from terse.language import syntax
from terse.language.codes import fields as codes
from terse.language.policy import Policy
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
    # The regex stands at the end of the part, between slashes.
    inside = part.span.text.split("/", 1)[1]
    begin = part.span.end - len(inside)
    whole = Span(part.span.source, begin, part.span.end - 1)
    try:
        regex = compiled(text)
    except Refused as refused:
        span = whole
        # An escaped slash is one character of the regex and two of the file.
        if refused.start < refused.end and "\\/" not in inside:
            span = Span(whole.source, begin + refused.start, begin + refused.end)
        if not refused.is_regex:
            yield Diagnostic(
                codes.NOT_A_REGEX,
                f"this is no regex: {refused.reason}",
                Label(span, "here"),
                help="a character with a meaning stands for itself after `\\`",
            )
        else:
            yield Diagnostic(
                codes.SLOW_REGEX,
                f"this regex is refused: {refused.reason}",
                Label(span, "cannot be run"),
                help="write it without; two `lines matching` can often say the same",
            )
        return
    if regex.found_in(""):
        yield Diagnostic(
            codes.REGEX_MATCHES_EMPTY,
            "this regex is found in the empty line, and so in every line",
            Label(whole, "found in every line"),
            help="say what must stand in the line",
        )
