"""The units of the rule language, and what each place for a quantity takes."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from terse.language import syntax
from terse.plan import model

_BASE: dict[str, tuple[model.Unit, int]] = {
    "kB": ("bytes", 1000),
    "MB": ("bytes", 1_000_000),
    "ms": ("ms", 1),
    "%": ("percent", 1),
}
_SINGULARS: dict[str, tuple[model.Unit, int]] = {
    "token": ("tokens", 1),
    "character": ("characters", 1),
    "line": ("lines", 1),
    "row": ("rows", 1),
    "call": ("calls", 1),
    "byte": ("bytes", 1),
    "second": ("ms", 1000),
    "minute": ("ms", 60_000),
}
for _word, _meaning in _SINGULARS.items():
    _BASE[_word] = _BASE[_word + "s"] = _meaning

UNIT_WORDS = tuple(sorted(_BASE))

LARGEST = 10**12
"""No size, count or time in a rule is larger; more is a slip of the finger."""


class Place(NamedTuple):
    """A place where a quantity stands: how it is named in messages, and the units it takes."""

    name: str
    units: tuple[model.Unit, ...]


PAYLOAD_SIZE = Place("the size of a payload", ("tokens", "characters", "bytes", "lines"))
FIELD_SIZE = Place("the size of a field", ("tokens", "characters", "bytes", "lines"))
SHORTEN_TO = Place("`shorten … to`", ("characters", "tokens", "lines", "rows"))
FIT_IN = Place("`fit in`", ("tokens",))
LOSE = Place("`lose at most`", ("percent",))
SPEND = Place("`spend at most`", ("ms",))
WITHIN = Place("`within`", ("calls",))
SESSION = Place("the size of a session", ("tokens",))
EXPECT_SIZE = Place("`expect over` and `expect under`", ("tokens",))
SAVING = Place("`expect saving`", ("percent",))


def number(quantity: syntax.Quantity) -> Decimal:
    """The number as it stands, with `k` worked in: `1.5k` is 1500."""
    digits = quantity.number.replace("_", "")
    if digits.endswith("k"):
        return Decimal(digits[:-1]) * 1000
    return Decimal(digits)


def base_unit(quantity: syntax.Quantity) -> model.Unit | None:
    """The unit that the quantity counts in: `seconds` count in ms. None when it names none."""
    return _BASE[quantity.unit][0] if quantity.unit is not None else None


def amount(quantity: syntax.Quantity) -> Decimal:
    """How many of its base unit: `2 seconds` is 2000."""
    factor = _BASE[quantity.unit][1] if quantity.unit is not None else 1
    return number(quantity) * factor


def in_bounds(quantity: syntax.Quantity) -> bool:
    """Whether it is a whole number of its base unit, at least 1 and at most `LARGEST`."""
    value = amount(quantity)
    return 1 <= value <= LARGEST and value == value.to_integral_value()


def compiled(quantity: syntax.Quantity, place: Place) -> model.Quantity | None:
    """The quantity as the plan has it; None when the place does not take it (a finding says so)."""
    unit = base_unit(quantity)
    if unit is None or unit not in place.units or not in_bounds(quantity):
        return None
    return model.Quantity(int(amount(quantity)), unit)
