"""What the `tools` blocks of a plan say of one tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from terse.plan.glob import matches
from terse.plan.model import Compress, Level, Pattern, Present, Presentation, Show, ToolsBlock

L = TypeVar("L", Compress, Present, Show)


class Treatment(NamedTuple):
    """What is done with a tool that a block speaks of.

    Attributes:
        level: how much of its definition is shown.
        presentation: whether it stays a tool of its own.
        name: the name it is shown under.
        hidden_by: the line that hides it, as `path:line`; None for a tool that is shown.
        because: the reasons of the blocks that speak of it.
    """

    level: Level
    presentation: Presentation
    name: str
    hidden_by: str | None
    because: tuple[str, ...] = ()


def treatment(blocks: Iterable[ToolsBlock], server: str, tool: str) -> Treatment | None:
    """What the blocks say of the tool of this upstream name; None where none speaks of it."""
    own = [block for block in blocks if _match(block.on, server, tool) is not None]
    if not own:
        return None
    level = _narrowest((line for block in own for line in block.compress), server, tool)
    presentation = _narrowest((line for block in own for line in block.present), server, tool)
    renames = (line for block in own for line in block.rename if _match(line.on, server, tool) is not None)
    rename = next(renames, None)
    return Treatment(
        "low" if not level else level[0].level,
        "in place" if not presentation else presentation[0].how,
        tool if rename is None else rename.to,
        _hidden_by(own, server, tool),
        tuple(reason for block in own for reason in block.because),
    )


def _hidden_by(blocks: Sequence[ToolsBlock], server: str, tool: str) -> str | None:
    for block in blocks:
        for line in block.hide:
            if _match(line.on, server, tool) is not None:
                return line.at
    shows = _narrowest((line for block in blocks for line in block.show), server, tool)
    if shows and not any(_match(line.tools, server, tool) for line in shows):
        return shows[0].at
    return None


def _narrowest(lines: Iterator[L], server: str, tool: str) -> list[L]:
    """The lines whose pattern is the narrowest of those that match; several `show` lines of one block.

    INVARIANT: checks.listing has found that of two patterns that match one tool, one is narrower, or the
    lines say the same.
    """
    matching = [(found, line) for line in lines if (found := _match(line.on, server, tool)) is not None]
    if not matching:
        return []
    best = min(_breadth(found) for found, _ in matching)
    return [line for found, line in matching if _breadth(found) == best]


def _match(patterns: Iterable[Pattern], server: str, tool: str) -> Pattern | None:
    """The narrowest of the patterns that match."""
    found = [one for one in patterns if matches(one.server, server) and matches(one.tool, tool)]
    return min(found, key=_breadth, default=None)


def _breadth(pattern: Pattern) -> tuple[int, int]:
    # INVARIANT: a strictly narrower pattern has more letters than the broader one, or as many and fewer
    # stars; the order of rules rests on the same (terse.language.match.order).
    text = pattern.server + pattern.tool
    stars = text.count("*")
    return stars - len(text), stars


def upstream_name(blocks: Iterable[ToolsBlock], server: str, shown: str) -> str | None:
    """The upstream name of the tool that a `rename` shows under this name; None if there is none."""
    for block in blocks:
        for line in block.rename:
            if line.to == shown:
                for pattern in line.on:
                    if matches(pattern.server, server):
                        return pattern.tool
    return None
