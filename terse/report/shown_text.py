"""`terse show` for people: 80 columns, the same in a terminal and in a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from terse.hidden import visible
from terse.report.shown import Shown, ShownGuard, ShownRule, ShownTools

WIDTH = 80
LABEL = 10
"""Columns of the words at the left: `on`, `when`, `why`."""


def render(shown: Shown) -> str:
    """The rules with a number each, first asked first; then the guards and the `tools` blocks."""
    lines = [*_heading(shown), ""]
    for number, rule in enumerate(shown.rules, 1):
        lines += [*_rule(number, rule), ""]
    if shown.rest:
        lines += [*textwrap.wrap(shown.rest, WIDTH), ""]
    for guard in shown.guards:
        lines += [*_guard(guard), ""]
    for block in shown.tools:
        lines += [*_tools(block), ""]
    if shown.listed:
        lines += [*textwrap.wrap(shown.listed, WIDTH), ""]
    return "".join(visible(line).rstrip() + "\n" for line in lines[:-1])


def _heading(shown: Shown) -> Iterator[str]:
    number = len({rule.name for rule in shown.rules})
    rules = f"{number} rule{'' if number == 1 else 's'}"
    what = shown.tool if shown.tool is not None else "all tools"
    if shown.rules:
        yield f"{what}: {rules} of {shown.policy}, in the order in which they are asked"
    else:
        yield f"{what}: no rule of {shown.policy} speaks of it"


def _rule(number: int, rule: ShownRule) -> Iterator[str]:
    head = f"{number}  rule {rule.name}"
    yield f"{head}  {rule.at.rjust(WIDTH - len(head) - 2)}"
    yield from _entry("on", rule.on)
    if rule.excepted:
        yield from _entry("except", rule.excepted)
    for condition in rule.when:
        yield from _entry("when", condition.removeprefix("when "))
    for place, line in enumerate(rule.lines):
        text = line.text if not line.forbidden else f"{line.text}  [left out: {line.forbidden}]"
        yield from _entry("does" if place == 0 else "", text)
    if not rule.lines:
        yield from _entry("does", "nothing: the result passes as it came")
    changed = "" if rule.guarantee == rule.own_guarantee else f" (without the guards {rule.own_guarantee})"
    yield from _entry("class", rule.guarantee + changed)
    yield from _entry("why here", rule.why)
    for reason in rule.because:
        yield from _entry("because", reason)


def _guard(guard: ShownGuard) -> Iterator[str]:
    head = f"guard {guard.name}"
    yield f"{head}  {guard.at.rjust(WIDTH - len(head) - 2)}"
    yield from _entry("on", guard.on)
    if guard.applies is False:
        yield from _entry("", "does not apply")
        return
    yield from _entry("restricts", guard.text)
    for reason in guard.because:
        yield from _entry("because", reason)


def _tools(block: ShownTools) -> Iterator[str]:
    head = "tools"
    yield f"{head}  {block.at.rjust(WIDTH - len(head) - 2)}"
    yield from _entry("on", block.on)
    for place, line in enumerate(block.lines or ("compress low",)):
        yield from _entry("shows" if place == 0 else "", line)
    for reason in block.because:
        yield from _entry("because", reason)


def _entry(label: str, text: str) -> Iterator[str]:
    indent = " " * (3 + LABEL)
    start = f"   {label:{LABEL}}"
    own = len(text) - len(text.lstrip())
    yield from textwrap.wrap(
        text.strip(),
        WIDTH,
        initial_indent=start + " " * own,
        subsequent_indent=indent + " " * (own + 2),
        break_on_hyphens=False,
        break_long_words=False,
    ) or [start]
