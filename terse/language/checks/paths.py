"""Paths as other tools write them, which find nothing here."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.fields.selector import Every, Path
from terse.language import syntax
from terse.language.codes import fields as codes
from terse.language.policy import Policy

_ROOTS = ("$", "@")


def check(policy: Policy) -> Iterator[Diagnostic]:
    for view in policy.rules:
        for line, _ in view.whens:
            if isinstance(line.condition, syntax.PayloadHas):
                yield from _paths(line.condition.parts)
            elif isinstance(line.condition, (syntax.FieldIs, syntax.FieldSize)):
                yield from _paths((line.condition.field,))
        for act in view.all_acts:
            yield from _paths(act.parts)
    for guard in policy.guards:
        for keep in guard.keeps:
            yield from _paths(keep.parts)


def _paths(parts: tuple[syntax.Part, ...]) -> Iterator[Diagnostic]:
    for part in parts:
        if not isinstance(part.target, (Path, Every)):
            continue
        keys = part.target.keys
        # In quotes it is meant as a key.
        if keys[0] in _ROOTS and not part.span.text.startswith(f'"{keys[0]}"'):
            rest = ".".join(keys[1:])
            yield Diagnostic(
                codes.FOREIGN_PATH,
                f"`{keys[0]}` is a key like any other here, and no sign for the root",
                Label(part.span, "looks for a key of that name"),
                help=f"write `{rest}`; paths begin at the root" if rest else "write `everything`",
            )
        elif "**" in keys:
            after = keys[len(keys) - keys[::-1].index("**") :]
            yield Diagnostic(
                codes.FOREIGN_PATH,
                "`**` is no sign for any depth here: it is one key, like `*`",
                Label(part.span, "goes one level down"),
                help=f"write `every {'.'.join(after)}`" if after else "name the keys",
            )
