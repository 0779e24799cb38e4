"""What the language knows of the tiers: names, options, forms, classes. Never how one works.

To import the tiers is to import every encoder there is, which takes longer than a policy takes to check. So
what the language needs of them stands in tiers.json, written by `make docs` from the tiers themselves; a
test fails while it is stale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from terse.guarantee import Guarantee

if TYPE_CHECKING:
    from terse.tiers.spec import Tier

FILE = Path(__file__).with_name("tiers.json")

JSON = "json"
TEXT = "text"
"""The forms that a chain begins with; the others are the tiers' own (`terse.tiers.spec.State`)."""


class OptionSpec(Struct, frozen=True):
    """An option of a tier. `unit` is None for a bare number; the bounds are included."""

    name: str
    default: int
    minimum: int
    maximum: int
    unit: str | None


class TierSpec(Struct, frozen=True):
    """A tier: the forms it takes, the one it leaves (None: the one it took), its class and options."""

    name: str
    takes: tuple[str, ...]
    leaves: str | None
    guarantee: str
    needs_memory: bool
    options: tuple[OptionSpec, ...]

    @property
    def class_(self) -> Guarantee:
        return Guarantee.from_word(self.guarantee)


class Known(Struct, frozen=True):
    """All tiers, in order, and the built-in chains by name."""

    tiers: tuple[TierSpec, ...]
    chains: dict[str, tuple[str, ...]]

    @property
    def by_name(self) -> dict[str, TierSpec]:
        return {tier.name: tier for tier in self.tiers}


@cache
def known() -> Known:
    """The tiers of this terse."""
    return msgspec.json.decode(FILE.read_bytes(), type=Known)


def of_tiers(tiers: Sequence[Tier], chains: Mapping[str, Sequence[Tier]]) -> Known:
    """What the language needs of the tiers themselves."""
    return Known(
        tuple(map(_spec, tiers)),
        {name: tuple(tier.name for tier in steps) for name, steps in chains.items()},
    )


def _spec(tier: Tier) -> TierSpec:
    return TierSpec(
        tier.name,
        tuple(sorted(state.value for state in tier.takes)),
        tier.leaves.value if tier.leaves is not None else None,
        tier.guarantee.word,
        tier.needs_memory,
        tuple(OptionSpec(o.name, o.default, o.minimum, o.maximum, o.unit) for o in tier.options),
    )


def text() -> str:
    """The text of tiers.json, from the tiers themselves."""
    from terse.tiers import CHAINS, TIERS

    data = msgspec.json.encode(of_tiers(TIERS, CHAINS))
    return msgspec.json.format(data, indent=1).decode() + "\n"
