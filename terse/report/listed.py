"""What `terse tools` has to tell, whatever the output."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool of a server, and what a client is shown of it.

    Attributes:
        name: the server's name of it.
        shown_as: the name it is shown under.
        level: how much of it is shown; empty where no `tools` block speaks of it.
        presentation: `in place` or `wrapped`.
        hidden_by: the line that hides it, as `path:line`; else empty.
        received: tokens of its definition as the server sends it.
        shown: tokens of its definition, or of its line in the list of wrapped tools; 0 where it is hidden.
    """

    name: str
    shown_as: str
    level: str
    presentation: str
    hidden_by: str
    received: int
    shown: int


@dataclass(frozen=True, slots=True)
class ListSize:
    """What a whole list costs.

    Attributes:
        how: what made it: `rules`, or a presentation with a level.
        tokens: those of the list, our tools included.
        net: with those of the definitions that are fetched later.
    """

    how: str
    tokens: int
    net: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A server's list of tools.

    Attributes:
        policy: the rules in words.
        received: tokens of the list as the server sends it.
        fetched: how many definitions `net` has in it, each of average size.
        by_rules: what the rules make of it; None where no block speaks of any of the tools.
        sizes: each presentation at each level, for all tools.
    """

    server: str
    policy: str
    received: int
    fetched: int
    tools: tuple[ListedTool, ...]
    by_rules: ListSize | None
    sizes: tuple[ListSize, ...]
