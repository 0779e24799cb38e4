"""The checks, in the order they run. Each is a function from a policy to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from terse.diagnostic import Diagnostic
from terse.language.checks import (
    chain_order,
    collisions,
    contradictions,
    expectations,
    imports,
    kept,
    kinds,
    listing,
    loss,
    names,
    overlaps,
    overrides,
    paths,
    promises,
    quantities,
    reach,
    regexes,
    samples,
    sizes,
    statements,
    steps,
    tool_lists,
    unused,
)
from terse.language.policy import Policy

CHECKS: tuple[Callable[[Policy], Iterable[Diagnostic]], ...] = (
    names.check,
    imports.check,
    statements.check,
    quantities.check,
    sizes.check,
    steps.check,
    chain_order.check,
    unused.check,
    contradictions.check,
    collisions.check,
    reach.check,
    regexes.check,
    kept.check,
    overlaps.check,
    kinds.check,
    paths.check,
    promises.check,
    loss.check,
    overrides.check,
    listing.check,
    expectations.check,
    tool_lists.check,
    samples.check,
)
