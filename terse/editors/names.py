"""Which name of a rule file stands at a place, and where it is defined."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from terse.editors.project import Project
from terse.language import syntax
from terse.language.parse import parse_text
from terse.source import Source, Span
from terse.tiers import BY_NAME

N = TypeVar("N", bound=syntax.Node)


class Kind(StrEnum):
    """What a name names."""

    CHAIN = "chain"
    PROFILE = "profile"
    RULE = "rule"
    GUARD = "guard"
    TIER = "tier"
    OPTION = "option"
    FILE = "file"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Name:
    """A name at a place. `of` is the tier, for an option."""

    kind: Kind
    text: str
    span: Span
    of: str = ""


def name_at(source: Source, offset: int) -> Name | None:
    """The name that the place is in; None where there is none."""
    for name in _names(parse_text(source).file):
        if name.span.start <= offset <= name.span.end:
            return name
    return _in_heading(source, offset)


_HEADING = re.compile(r"(?:override[ \t]+)?(rule|guard|chain|profile)[ \t]+([a-z][a-z0-9_-]*)")


def _in_heading(source: Source, offset: int) -> Name | None:
    """The name that an item begins with: it is there before the item can be read as a whole."""
    line = source.line_of(min(offset, len(source.text)))
    found = _HEADING.match(source.line_text(line))
    if found is None:
        return None
    start = source.start_of(line)
    span = Span(source, start + found.start(2), start + found.end(2))
    return Name(Kind(found[1]), found[2], span) if span.start <= offset <= span.end else None


def definition(project: Project, path: str, name: Name) -> Span | None:
    """Where it is defined; None for what is no rule file's to define. A file's is its beginning."""
    if name.kind is Kind.FILE:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name.text))
        source = project.source(target)
        return Span(source, 0, 0) if source is not None else None
    defined = [item for item in project.items(path) if isinstance(item, Named) and _defines(item, name)]
    # Of a rule that is overridden, a test speaks of the override; the override, of the rule it replaces.
    for item in sorted(defined, key=_is_override, reverse=not _is_at(defined, name)):
        return item.name.span
    return None


Named = syntax.Chain | syntax.Profile | syntax.Rule | syntax.Guard
_KINDS: dict[type[Named], Kind] = {
    syntax.Chain: Kind.CHAIN,
    syntax.Profile: Kind.PROFILE,
    syntax.Rule: Kind.RULE,
    syntax.Guard: Kind.GUARD,
}


def _defines(item: Named, name: Name) -> bool:
    return _KINDS[type(item)] is name.kind and item.name.text == name.text


def _is_override(item: Named) -> bool:
    return isinstance(item, syntax.Rule) and item.override is not None


def _is_at(items: Iterable[Named], name: Name) -> bool:
    """Whether the name is the one in an override itself."""
    return any(_is_override(item) and item.name.span == name.span for item in items)


def _names(file: syntax.File) -> Iterator[Name]:
    for item in file.items:
        match item:
            case syntax.Import(path=path):
                yield Name(Kind.FILE, path.text, path.span)
            case syntax.Chain(name=word, steps=steps):
                yield Name(Kind.CHAIN, word.text, word.span)
                yield from _steps(steps)
            case syntax.Profile(name=word):
                yield Name(Kind.PROFILE, word.text, word.span)
            case syntax.Guard(name=word, lines=lines):
                yield Name(Kind.GUARD, word.text, word.span)
                for line in _of(lines, syntax.NeverUse):
                    yield from (Name(Kind.TIER, tier.text, tier.span) for tier in line.tiers)
            case syntax.Rule(name=word, lines=lines):
                yield Name(Kind.RULE, word.text, word.span)
                for use in _of(lines, syntax.Use):
                    yield from _steps(use.steps)
                for apply in _of(lines, syntax.Apply):
                    yield from (Name(Kind.PROFILE, each.text, each.span) for each in apply.profiles)
            case syntax.Test(lines=lines):
                for given in _of(lines, syntax.Given):
                    yield Name(Kind.FILE, given.file.text, given.file.span)
                for expect in _of(lines, syntax.Expect):
                    if isinstance(expect.expectation, syntax.ExpectRule):
                        word = expect.expectation.name
                        yield Name(Kind.RULE, word.text, word.span)
    for comment in file.comments:
        if re.match(r"#\s*allow\b", comment.text):
            for found in re.finditer(r"[a-z][a-z0-9-]+", comment.text):
                start = comment.start + found.start()
                yield Name(Kind.CODE, found[0], Span(comment.source, start, start + len(found[0])))


def _steps(steps: Iterable[syntax.Step]) -> Iterator[Name]:
    for step in steps:
        kind = Kind.TIER if step.name.text in BY_NAME else Kind.CHAIN
        yield Name(kind, step.name.text, step.name.span)
        for option in step.options:
            yield Name(Kind.OPTION, option.name.text, option.name.span, step.name.text)


def _of(lines: Iterable[syntax.Node], kind: type[N]) -> Iterator[N]:
    return (line for line in lines if isinstance(line, kind))
