"""Statements that must be there, and those that can be there only once."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import fields, matching, text
from terse.language.policy import Policy

# A second one would be read as "both" by one reader and as "instead" by another.
_ONCE: dict[type[syntax.Node], str] = {
    syntax.On: "on",
    syntax.Use: "use",
    syntax.Fit: "fit",
    syntax.Lose: "lose at most",
    syntax.Spend: "spend at most",
    syntax.Require: "require",
    syntax.NeverStore: "never store",
}
_INSTEAD = {"on": "list all patterns after one `on`", "use": "put the steps together with `then`"}


def check(policy: Policy) -> Iterator[Diagnostic]:
    for path in sorted(policy.loaded.files):
        for item in policy.loaded.files[path].tree.items:
            if isinstance(item, (syntax.Rule, syntax.Guard)):
                yield from _twice(item)
                yield from _without_on(item)
            if isinstance(item, syntax.Guard):
                yield from _restricts_nothing(item)


def _restricts_nothing(guard: syntax.Guard) -> Iterator[Diagnostic]:
    if all(isinstance(line, (syntax.On, syntax.Except, syntax.Because)) for line in guard.lines):
        yield Diagnostic(
            fields.GUARD_WITHOUT_EFFECT,
            f"guard `{guard.name.text}` restricts nothing",
            Label(guard.name.span, "no effect"),
            help="say what it requires, keeps or forbids",
        )


def _twice(item: syntax.Rule | syntax.Guard) -> Iterator[Diagnostic]:
    first: dict[type[syntax.Node], syntax.Node] = {}
    for line in item.lines:
        word = _ONCE.get(type(line))
        if word is None:
            continue
        if type(line) in first:
            yield Diagnostic(
                text.STATEMENT_TWICE,
                f"`{word}` stands twice in `{item.name.text}`",
                Label(line.span, "the second one"),
                (Label(first[type(line)].span, "the first one"),),
                help=_INSTEAD.get(word, "keep one of them"),
            )
        else:
            first[type(line)] = line


def _without_on(item: syntax.Rule | syntax.Guard) -> Iterator[Diagnostic]:
    if not any(isinstance(line, syntax.On) for line in item.lines):
        kind = "rule" if isinstance(item, syntax.Rule) else "guard"
        yield Diagnostic(
            matching.RULE_WITHOUT_ON,
            f"{kind} `{item.name.text}` does not say which calls it is for",
            Label(item.name.span, "has no `on`"),
            help="write `on server/tool`; `on */*` is every call",
        )
