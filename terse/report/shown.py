"""What `terse show` has to tell, whatever the output."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a rule that does something, in the language's words.

    Attributes:
        forbidden: why it does nothing for the tool that was asked about: a guard; else empty.
    """

    text: str
    at: str
    forbidden: str = ""


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule where it stands in the order.

    Attributes:
        on: its patterns that match the tool; where no tool was asked for, the one that stands here.
        excepted: the exception that takes the tool away from it; else empty.
        when: its `when` lines.
        lines: what it does: field lines, then steps.
        guarantee: its static class, as the guards leave it.
        own_guarantee: its static class without them.
        why: why it stands before what comes after it.
    """

    name: str
    at: str
    on: str
    excepted: str
    when: tuple[str, ...]
    lines: tuple[ShownLine, ...]
    guarantee: str
    own_guarantee: str
    why: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownGuard:
    """A guard. `applies` is whether it speaks of the tool; None where no tool was asked for."""

    name: str
    at: str
    applies: bool | None
    on: str
    text: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownTools:
    """A `tools` block: what a client is shown of the tools that it speaks of."""

    at: str
    on: str
    lines: tuple[str, ...]
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """Rules in the order in which they are asked, and the guards.

    Attributes:
        policy: the rules in words: `policies/`.
        tool: `server/tool`, or None for all.
        tools: the `tools` blocks, of a tool those that speak of it.
        listed: what they make of the tool together, in words; empty where no tool was asked for.
        rest: what happens to a call that no rule takes; empty where the last one takes every call.
    """

    policy: str
    tool: str | None
    rules: tuple[ShownRule, ...]
    guards: tuple[ShownGuard, ...]
    rest: str
    tools: tuple[ShownTools, ...] = ()
    listed: str = ""
