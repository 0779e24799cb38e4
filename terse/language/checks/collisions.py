"""Rules that collide on a call."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import matching as codes
from terse.language.conditions import Facts, facts
from terse.language.globs import matches
from terse.language.match import Collision, Entry, collisions
from terse.language.policy import Policy
from terse.source import Span


def check(policy: Policy) -> Iterator[Diagnostic]:
    for found in collisions(policy.entries):
        a, b = found.a, found.b
        if found.same:
            message = f"rules `{a.rule.name}` and `{b.rule.name}` match exactly the same calls"
            help = "join them, or give one of them a `when` of its own"
        else:
            both = f"rules `{a.rule.name}` and `{b.rule.name}` both match `{found.call}`"
            message = f"{both}, and neither is narrower"
            help = _help(found)
        yield Diagnostic(
            codes.SAME_MATCH if found.same else codes.AMBIGUOUS_RULES,
            message,
            Label(_span(b), f"rule `{b.rule.name}`"),
            (Label(_span(a), f"rule `{a.rule.name}`"), *_conditions(found)),
            help=help,
            notes=(f"both take the call {witness(found)}",),
        )


def _span(entry: Entry) -> Span:
    return entry.rule.on[entry.index].span


def _help(found: Collision) -> str:
    a, b = found.a, found.b
    if a.names == b.names:
        return (
            "make the `when` of one say all that the other's says, and more; or make them exclude each other"
        )
    return f"take the call out of one rule, for example `except {b.names}` in rule `{a.rule.name}`"


def _conditions(found: Collision) -> Iterator[Label]:
    for entry in (found.a, found.b):
        for line, _ in entry.rule.whens:
            yield Label(line.span, f"rule `{entry.rule.name}`")


def witness(found: Collision) -> str:
    """A call that both rules take, with arguments that their conditions allow."""
    both = facts((*found.a.rule.conditions, *found.b.rule.conditions))
    arguments = ", ".join(
        f"{name}: {value}" for name, value in sorted(_arguments(both).items()) if value is not None
    )
    return f"`{found.call}({arguments})`" if arguments else f"`{found.call}`"


def _arguments(both: Facts) -> dict[str, str | None]:
    chosen: dict[str, str | None] = {}
    for name, known in both.arguments.items():
        if known.present is False:
            continue
        if known.values is not None:
            fitting = [v for v in sorted(known.values) if all(matches(g, v) for g in known.matched)]
            chosen[name] = f'"{fitting[0]}"' if fitting else None
        elif known.matched:
            chosen[name] = '"' + known.matched[0].replace("*", "x") + '"' if len(known.matched) == 1 else None
        else:
            chosen[name] = '"x"'
    return chosen
