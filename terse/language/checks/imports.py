"""Imports that nothing is used of."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language import syntax
from terse.language.codes import files as codes
from terse.language.policy import Policy


def check(policy: Policy) -> Iterator[Diagnostic]:
    chains, profiles = policy.chains_in_use, policy.profiles_in_use
    for path in sorted(policy.loaded.files):
        for item, target in policy.loaded.files[path].imports:
            files = {target, *policy.loaded.reach(target)}
            if not any(_matters(policy, file, chains, profiles) for file in files):
                yield Diagnostic(
                    codes.UNUSED_IMPORT,
                    f"nothing of `{item.path.text}` is used",
                    Label(item.span, "imported here"),
                    help="leave the import out",
                )


def _matters(policy: Policy, path: str, chains: set[str], profiles: set[str]) -> bool:
    for item in policy.loaded.files[path].tree.items:
        match item:
            case syntax.Rule() | syntax.Guard() | syntax.Tools():
                return True
            case syntax.Chain() if item.name.text in chains:
                return True
            case syntax.Profile() if item.name.text in profiles:
                return True
    return False
