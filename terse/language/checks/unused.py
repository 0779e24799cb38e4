"""Chains and profiles that no rule uses."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.language.codes import chains as codes
from terse.language.policy import Policy


def check(policy: Policy) -> Iterator[Diagnostic]:
    files = policy.loaded.files
    for name, chains in policy.chain_items.items():
        path, chain = chains[0]
        if files[path].entry and name not in policy.chains_in_use and not policy.is_taken(name):
            yield Diagnostic(
                codes.UNUSED_CHAIN,
                f"no rule uses chain `{name}`",
                Label(chain.name.span, "not used"),
                help="use it, or leave it out",
            )
    for name, profiles in policy.profile_items.items():
        path, profile = profiles[0]
        if files[path].entry and name not in policy.profiles_in_use:
            yield Diagnostic(
                codes.UNUSED_PROFILE,
                f"no rule applies profile `{name}`",
                Label(profile.name.span, "not used"),
                help="apply it, or leave it out",
            )
