"""`tools` blocks: what is shown, hidden, renamed and compressed does not contradict itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import tools as codes
from terse.language.globs import Names, Zone, covers_pattern, matches, meet, meet_pattern, outside
from terse.language.policy import Policy
from terse.language.views import all_of, names_of, narrowed, words_of

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
    yield from _beyond_the_block(policy)
    yield from _hidden_and_shown(shown, hidden)
    yield from _renames(policy)
    yield from _renames_of_hidden(policy, hidden)
    yield from _levels(policy)
    yield from _presentations(policy)
    yield from _shows(policy)
    yield from _rules_for_hidden(policy, hidden)


def _named(policy: Policy, kind: type[syntax.Show] | type[syntax.Hide]) -> Iterator[_Named]:
    for _, block in policy.tools:
        for line in all_of(block.lines, kind):
            for word in line.tools:
                yield from (_Named(names, word, line) for names in narrowed(block, word))


def _lines(policy: Policy, kind: type[L]) -> Iterator[tuple[Names, L]]:
    """The lines of one kind with each pattern of their block."""
    for _, block in policy.tools:
        for line in all_of(block.lines, kind):
            for pattern in block.patterns:
                yield names_of(pattern), line


def _beyond_the_block(policy: Policy) -> Iterator[Diagnostic]:
    for _, block in policy.tools:
        for word in (word for line in block.lines for word in words_of(line)):
            taken = narrowed(block, word)
            # Part of a pattern, and not all of its tools: it would mean one thing here and another there.
            partly = [
                pattern
                for pattern in block.patterns
                if meet(names_of(pattern).tool, word.text) is not None
                and not any(names.server == names_of(pattern).server for names in taken)
            ]
            if taken and not partly:
                continue
            pattern = (partly or block.patterns)[0]
            yield Diagnostic(
                codes.NOT_OF_THE_BLOCK,
                f"`{word.text}` is no name of a tool of `{names_of(pattern)}`"
                if not partly
                else f"`{word.text}` reaches beyond the tools of `{names_of(pattern)}`",
                Label(word.span, "not of this block" if not partly else "not only of this block"),
                (Label(pattern.span, "the block speaks of these"),),
                help=f"write it in a block `tools {pattern.server}/*`"
                if not partly
                else f"name tools that `{pattern.tool}` matches, or write it in a block "
                f"`tools {pattern.server}/*`",
            )


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


def _renames_of_hidden(policy: Policy, hidden: Sequence[_Named]) -> Iterator[Diagnostic]:
    for _, block in policy.tools:
        for line in all_of(block.lines, syntax.Rename):
            for names in narrowed(block, line.tool):
                hide = next((one for one in hidden if covers_pattern(one.names, names)), None)
                if hide is not None:
                    yield Diagnostic(
                        codes.RENAME_OF_HIDDEN,
                        f"`{line.tool.text}` is renamed here and hidden elsewhere; hiding wins",
                        Label(line.span, "does nothing"),
                        (Label(hide.word.span, "hidden here"),),
                        help="leave out one of the two",
                    )
                    break


def _levels(policy: Policy) -> Iterator[Diagnostic]:
    entries: list[tuple[Names, syntax.Compress]] = []
    for _, block in policy.tools:
        for line in all_of(block.lines, syntax.Compress):
            named = [names for word in line.tools for names in narrowed(block, word)]
            if not line.tools:
                named = list(map(names_of, block.patterns))
            entries += [(names, line) for names in named]
    for tool, first, second in _ties(entries, lambda line: line.level.text):
        yield Diagnostic(
            codes.TWO_LEVELS,
            f"`{tool}` is compressed to `{first.level.text}` and to `{second.level.text}`",
            Label(second.span, "neither is narrower"),
            (Label(first.span, "the other level"),),
            help="narrow one of them, or add a line for the tools that both speak of",
        )


def _presentations(policy: Policy) -> Iterator[Diagnostic]:
    for tool, first, second in _ties(list(_lines(policy, syntax.Present)), lambda line: line.how.text):
        yield Diagnostic(
            codes.TWO_PRESENTATIONS,
            f"`{tool}` is presented {first.how.text} and {second.how.text}",
            Label(second.span, "neither is narrower"),
            (Label(first.span, "the other presentation"),),
            help="narrow one of the blocks, or add one for the tools that both speak of",
        )


def _shows(policy: Policy) -> Iterator[Diagnostic]:
    blocks = {id(line): block for _, block in policy.tools for line in all_of(block.lines, syntax.Show)}
    for tool, first, second in _ties(list(_lines(policy, syntax.Show)), lambda line: id(blocks[id(line)])):
        yield Diagnostic(
            codes.TWO_SHOWS,
            f"two blocks say whether `{tool}` is shown",
            Label(second.span, "neither is narrower"),
            (Label(first.span, "the other block"),),
            help="put the two in one block, or narrow one of them",
        )


def _ties(entries: Sequence[tuple[Names, L]], value: Callable[[L], Hashable]) -> Iterator[tuple[Names, L, L]]:
    """Two lines that say different things of one tool, neither with a narrower pattern; and that tool."""
    told: set[tuple[int, int]] = set()
    for (a, first), (b, second) in combinations(entries, 2):
        if value(first) == value(second) or (id(first), id(second)) in told:
            continue
        if a != b and (covers_pattern(a, b) or covers_pattern(b, a)):
            continue
        # A third, narrower line may take every tool that both speak of.
        others = [
            Zone(names)
            for names, _ in entries
            if names not in (a, b) and (covers_pattern(a, names) or covers_pattern(b, names))
        ]
        tool = outside((a, b), others)
        if tool is not None:
            told.add((id(first), id(second)))
            yield tool, first, second


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
