"""Quantities: each in a unit that its place takes, and within bounds."""

from __future__ import annotations

from collections.abc import Iterator

from terse.diagnostic import Diagnostic, Label
from terse.fields.selector import CodeBlocks, LinesMatching, TerminalCodes
from terse.language import syntax, units
from terse.language.codes import fields as codes
from terse.language.policy import Policy
from terse.language.units import Place


def check(policy: Policy) -> Iterator[Diagnostic]:
    for path in sorted(policy.loaded.files):
        for item in policy.loaded.files[path].tree.items:
            if not isinstance(item, (syntax.Rule, syntax.Guard, syntax.Profile, syntax.Test)):
                continue
            for line in item.lines:
                for quantity, place in _quantities(line):
                    yield from _check(quantity, place)
                for inner in line.lines if isinstance(line, syntax.Fit) else (line,):
                    if isinstance(inner, syntax.Shorten):
                        yield from _shorten(inner)


def _quantities(line: syntax.Node) -> Iterator[tuple[syntax.Quantity, Place]]:
    match line:
        case syntax.When(condition=condition):
            yield from _of_condition(condition)
        case syntax.Shorten(to=to):
            yield to, units.SHORTEN_TO
        case syntax.Remove(over=over) | syntax.SetAside(over=over) if over is not None:
            yield over, units.FIELD_SIZE
        case syntax.Fit(size=size, lines=lines):
            yield size, units.FIT_IN
            for inner in lines:
                yield from _quantities(inner)
        case syntax.Lose(share=share):
            yield share, units.LOSE
        case syntax.Spend(time=time):
            yield time, units.SPEND
        case syntax.Expect(expectation=syntax.ExpectSize(quantity=quantity)):
            yield quantity, units.EXPECT_SIZE
        case syntax.Expect(expectation=syntax.ExpectSaving(share=share)):
            yield share, units.SAVING


def _of_condition(condition: syntax.Condition) -> Iterator[tuple[syntax.Quantity, Place]]:
    match condition:
        case syntax.PayloadSize(quantity=quantity):
            yield quantity, units.PAYLOAD_SIZE
        case syntax.FieldSize(quantity=quantity):
            yield quantity, units.FIELD_SIZE
        case syntax.CallRepeats(within=within) if within is not None:
            yield within, units.WITHIN
        case syntax.SessionSize(quantity=quantity):
            yield quantity, units.SESSION


def _check(quantity: syntax.Quantity, place: Place) -> Iterator[Diagnostic]:
    unit = units.base_unit(quantity)
    if unit is None or unit not in place.units:
        what = f"`{quantity.unit}`" if quantity.unit else f"`{quantity.number}` without a unit"
        yield Diagnostic(
            codes.WRONG_UNIT,
            f"{place.name} is not measured in {what}"
            if quantity.unit
            else f"{place.name} needs a unit after `{quantity.number}`",
            Label(quantity.span, f"takes {_either(place.units)}"),
            help=f"for example `{_example(quantity, place)}`",
        )
    elif unit == "percent":
        if not 0 <= units.amount(quantity) <= 100:
            yield Diagnostic(
                codes.PERCENT_OUT_OF_RANGE,
                f"`{_short(quantity.span.text)}` is not between 0% and 100%",
                Label(quantity.span, "of all tokens"),
            )
    elif not units.in_bounds(quantity):
        value = units.amount(quantity)
        if value < 1:
            why = "is less than 1"
        elif value > units.LARGEST:
            why = f"is more than {units.LARGEST:,}"
        else:
            why = "is not a whole number"
        yield Diagnostic(
            codes.SIZE_OUT_OF_RANGE,
            f"`{_short(quantity.span.text)}` {why}",
            Label(quantity.span, f"a whole number of {unit}, at least 1"),
        )


def _shorten(line: syntax.Shorten) -> Iterator[Diagnostic]:
    if line.end is not None and line.both_ends is not None:
        yield Diagnostic(
            codes.MIXED_SHORTEN,
            f"`{line.end.text}` and `from both ends` exclude each other",
            Label(line.both_ends, "two ends"),
            (Label(line.end.span, "one end"),),
            help="leave one of them out",
        )
    if units.base_unit(line.to) == "rows":
        for part in line.parts:
            if isinstance(part.target, (LinesMatching, CodeBlocks, TerminalCodes)):
                yield Diagnostic(
                    codes.MIXED_SHORTEN,
                    f"`{part.span.text}` is text and has no rows",
                    Label(line.to.span, "rows are parts of lists"),
                    (Label(part.span, "text"),),
                    help="shorten it to characters, tokens or lines",
                )


def _either(names: tuple[str, ...]) -> str:
    shown = ["%" if name == "percent" else name for name in names]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]


def _example(quantity: syntax.Quantity, place: Place) -> str:
    unit = place.units[0]
    return f"{quantity.number}%" if unit == "percent" else f"{quantity.number} {unit}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
