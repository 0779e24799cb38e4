"""`terse verify` for people: one screen of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from terse.hidden import visible
from terse.report.verified import Check, Saved, Verified

WIDTH = 80
MOST_TOOLS = 6
"""Rows of the table; --json and --html have all."""
_SIGNS = {True: "ok", False: "!!", None: "--"}
_LONGEST_NAME = 36


def render(found: Verified) -> str:
    """A line or two for each promise, and the tools with the most tokens."""
    lines = [headline(found), f"  {subject(found)}", ""]
    for check in found.checks:
        lines += _check(check)
    lines += ["", *_table(found), ""]
    lines += [f"note: {note}" for note in found.notes]
    lines.append(
        f"tokens in {found.counted.vocabulary}; --html FILE: each form as a client sees it; --json: all"
    )
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def headline(found: Verified) -> str:
    """Whether all holds, in one line."""
    broken = [check.name for check in found.checks if check.holds is False]
    open_ones = [check.name for check in found.checks if check.holds is None]
    if broken:
        verdict = f"does not hold: {', '.join(broken)}"
    else:
        verdict = f"{sum(check.holds is True for check in found.checks)} promises checked, all hold"
        if open_ones:
            verdict += f"; not to be told: {', '.join(open_ones)}"
    return f"terse {found.installed.version}: {verdict}"


def subject(found: Verified) -> str:
    """What was run, where, and for how long."""
    return (
        f"{found.source}: {found.calls:,} results; {found.installed.python}, {found.installed.platform}; "
        f"{found.seconds:.1f} s"
    )


def _check(check: Check) -> Iterator[str]:
    head = f"  {_SIGNS[check.holds]}  {check.name:<13} "
    yield from textwrap.wrap(
        check.said, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    )
    for finding in check.findings:
        yield f"      {finding}"


def _table(found: Verified) -> Iterator[str]:
    rows = [_row(each) for each in found.saved[:MOST_TOOLS]]
    if len(found.saved) > MOST_TOOLS:
        rest = found.saved[MOST_TOOLS:]
        name = f"{len(rest)} more tools"
        rows.append(_row(Saved(name, "", *(sum(map(of, rest)) for of in (_results, _received, _sent)))))
    rows.append(_row(found.all))
    headings = ("tool", "results", "tokens", "sent", "saved")
    widths = [max(len(row[at]) for row in (headings, *rows)) for at in range(len(headings))]
    for row in (headings, *rows):
        name, *figures = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"  {'  '.join((name, *figures))}"


def _row(saved: Saved) -> tuple[str, ...]:
    name = saved.tool if len(saved.tool) <= _LONGEST_NAME else f"…{saved.tool[1 - _LONGEST_NAME :]}"
    return name, f"{saved.results:,}", f"{saved.received:,}", f"{saved.sent:,}", f"{saved.percent:.1f}%"


def _results(saved: Saved) -> int:
    return saved.results


def _received(saved: Saved) -> int:
    return saved.received


def _sent(saved: Saved) -> int:
    return saved.sent
