"""`tools` blocks: what is shown, hidden, renamed and compressed does not contradict itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import tools as codes
from terse.language.globs import Names, Zone, covers_pattern, matches, meet_pattern, outside
from terse.language.policy import Policy
from terse.language.views import all_of, names_of

_TOOL_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")

L = TypeVar("L", bound=syntax.ToolsLine)


class _Named(NamedTuple):
    """One name of one line, for one pattern of its block."""

    names: Names
    word: syntax.Word
    line: syntax.ToolsLine


def check(policy: Policy) -> Iterator[Diagnostic]:
    shown = list(_named(policy, syntax.Show))
    hidden = list(_named(policy, syntax.Hide))
    yield from _hidden_and_shown(shown, hidden)
    yield from _renames(policy)
    yield from _levels(policy)
    yield from _rules_for_hidden(policy, hidden)


def _named(policy: Policy, kind: type[syntax.Show] | type[syntax.Hide]) -> Iterator[_Named]:
    for pattern, line in _lines(policy, kind):
        for word in line.tools:
            yield _Named(Names(pattern.server, word.text), word, line)


def _lines(policy: Policy, kind: type[L]) -> Iterator[tuple[Names, L]]:
    """The lines of one kind with each pattern of their block."""
    for _, block in policy.tools:
        for line in all_of(block.lines, kind):
            for pattern in block.patterns:
                yield names_of(pattern), line


def _hidden_and_shown(shown: Sequence[_Named], hidden: Sequence[_Named]) -> Iterator[Diagnostic]:
    told: set[int] = set()
    for show in shown:
        hide = next((one for one in hidden if covers_pattern(one.names, show.names)), None)
        if hide is not None and id(show.word) not in told:
            told.add(id(show.word))
            yield Diagnostic(
                codes.HIDDEN_AND_SHOWN,
                f"`{show.word.text}` is shown here and hidden elsewhere; hiding wins",
                Label(show.word.span, "never shown"),
                (Label(hide.word.span, "hidden here"),),
                help="leave out one of the two",
            )


def _renames(policy: Policy) -> Iterator[Diagnostic]:
    renames = list(_lines(policy, syntax.Rename))
    seen: set[int] = set()
    for _, line in renames:
        if id(line) not in seen:
            seen.add(id(line))
            yield from _names(line)
    told: set[int] = set()
    for (a, first), (b, second) in combinations(renames, 2):
        if (
            first is second
            or id(second) in told
            or meet_pattern(Names(a.server, "*"), Names(b.server, "*")) is None
        ):
            continue
        if first.to.text == second.to.text and first.tool.text != second.tool.text:
            told.add(id(second))
            yield _collision(f"two tools would be called `{second.to.text}`", first.to, second.to)
        elif first.tool.text == second.tool.text and first.to.text != second.to.text:
            told.add(id(second))
            yield _collision(f"`{second.tool.text}` is renamed twice", first.tool, second.tool)
    yield from _taken(policy, renames)


def _names(line: syntax.Rename) -> Iterator[Diagnostic]:
    if "*" in line.tool.text:
        yield Diagnostic(
            codes.BAD_TOOL_NAME,
            f"`{line.tool.text}` is a pattern, and a rename is of one tool",
            Label(line.tool.span, "not one tool"),
            help="write one `rename` for each tool",
        )
    if _TOOL_NAME.fullmatch(line.to.text) is None:
        yield Diagnostic(
            codes.BAD_TOOL_NAME,
            f"no tool can be called `{line.to.text}`"
            if len(line.to.text) <= 128
            else "no tool can have so long a name",
            Label(line.to.span, "not a tool's name"),
            help="1 to 128 of A-Z, a-z, 0-9, `.`, `_` and `-`",
        )


def _collision(message: str, first: syntax.Word, second: syntax.Word) -> Diagnostic:
    return Diagnostic(
        codes.RENAME_COLLIDES,
        message,
        Label(second.span, "and here"),
        (Label(first.span, "here"),),
        help="keep one of them",
    )


def _taken(policy: Policy, renames: Sequence[tuple[Names, syntax.Rename]]) -> Iterator[Diagnostic]:
    """New names that another tool of the server has, by `tools.lock`."""
    gone = {line.tool.text for _, line in renames}
    told: set[int] = set()
    for pattern, line in renames:
        for server, tools in policy.workspace.tools.items():
            name = line.to.text
            if (
                id(line) not in told
                and matches(pattern.server, server)
                and name in tools
                and name not in gone
            ):
                told.add(id(line))
                yield Diagnostic(
                    codes.RENAME_COLLIDES,
                    f"server `{server}` has a tool `{name}` already",
                    Label(line.to.span, "taken"),
                    help="choose a name that no tool of the server has",
                )


def _levels(policy: Policy) -> Iterator[Diagnostic]:
    entries: list[tuple[Names, syntax.Compress]] = []
    for pattern, line in _lines(policy, syntax.Compress):
        narrowed = [Names(pattern.server, tool.text) for tool in line.tools]
        entries += [(names, line) for names in narrowed or [pattern]]
    told: set[tuple[int, int]] = set()
    for (a, first), (b, second) in combinations(entries, 2):
        if first.level.text == second.level.text or (id(first), id(second)) in told:
            continue
        if a != b and (covers_pattern(a, b) or covers_pattern(b, a)):
            continue
        # A third, narrower line may take every tool that both speak of.
        others = [
            Zone(names)
            for names, line in entries
            if names not in (a, b) and (covers_pattern(a, names) or covers_pattern(b, names))
        ]
        tool = outside((a, b), others)
        if tool is not None:
            told.add((id(first), id(second)))
            yield Diagnostic(
                codes.TWO_LEVELS,
                f"`{tool}` is compressed to `{first.level.text}` and to `{second.level.text}`",
                Label(second.span, "neither is narrower"),
                (Label(first.span, "the other level"),),
                help="narrow one of them, or add a line for the tools that both speak of",
            )


def _rules_for_hidden(policy: Policy, hidden: Sequence[_Named]) -> Iterator[Diagnostic]:
    zones = [Zone(one.names) for one in hidden]
    for view in policy.rules:
        near = [one for one in hidden if any(meet_pattern(one.names, names) for names in view.names)]
        if not near or not view.names:
            continue
        excepted = [Zone(names) for names in view.without]
        if all(outside((names,), [*zones, *excepted]) is None for names in view.names):
            yield Diagnostic(
                codes.RULE_FOR_HIDDEN_TOOL,
                f"all tools of rule `{view.name}` are hidden, so it never applies",
                Label(view.on[0].span, "cannot be called"),
                (Label(near[0].word.span, "hidden here"),),
                help="leave the rule out, or do not hide the tool",
            )
