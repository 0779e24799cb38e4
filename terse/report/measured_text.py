"""`terse measure` for people, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from terse.hidden import visible
from terse.report.differed_markdown import code, plain
from terse.report.measured import Group, Measure, Outstanding
from terse.report.sizes import count, percent

MOST_ROWS = 30
"""Tools of a table; the JSON has all."""
_LONGEST_NAME = 40


class Section(NamedTuple):
    """A table, or lines of text where it has no headings."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    after: Sequence[str] = ()


def render(measure: Measure) -> str:
    """The sums, a table by tool, by kind and by server, and what stands out."""
    lines = [headline(measure), *sums(measure)]
    for section in sections(measure):
        lines += ["", section.title]
        if section.headings:
            lines += _columns(section.headings, section.rows)
        else:
            lines += [f"  {row[0]}" for row in section.rows]
        lines += section.after
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def render_markdown(measure: Measure) -> str:
    """The same as a page."""
    lines = ["### terse measure", "", f"{plain(headline(measure))}.", ""]
    lines += [f"- {plain(line)}" for line in sums(measure)]
    for section in sections(measure):
        lines += ["", f"#### {plain(section.title)}", ""]
        if section.headings:
            lines.append(f"| {' | '.join(section.headings)} |")
            lines.append("|" + "|".join(["---", *["---:"] * (len(section.headings) - 1)]) + "|")
            lines += [f"| {' | '.join([code(row[0]), *map(plain, row[1:])])} |" for row in section.rows]
        else:
            lines += [f"- {plain(row[0])}" for row in section.rows]
        lines += [f"\n{plain(line)}" for line in section.after]
    return "\n".join(lines) + "\n"


def headline(measure: Measure) -> str:
    """What was measured, and how."""
    tally = measure.tally
    said = [
        _number(measure.files, "file"),
        _number(tally.sessions, "session"),
        _number(measure.all.sums.calls, "call"),
        f"rules {measure.policy}",
    ]
    if measure.against is not None:
        said.append(f"against {measure.against}")
    return ", ".join([*said, f"a client that shows {measure.client}", f"tokens in {measure.vocabulary}"])


def sums(measure: Measure) -> Iterator[str]:
    """What was saved: gross and net, with memory and without, and against other rules."""
    whole = measure.all.sums
    yield (
        f"saved: {count(whole.saved)} of {count(whole.before)} tokens "
        f"({percent(whole.saved, whole.before)}), net {count(measure.net)} "
        f"({percent(measure.net, whole.before)})"
    )
    yield (
        f"without memory of earlier results: {count(whole.saved_alone)} "
        f"({percent(whole.saved_alone, whole.before)}), net {count(measure.net_alone)}"
    )
    if measure.against is not None:
        more = whole.against - whole.after
        words = "fewer" if more >= 0 else "more"
        yield f"against {measure.against}: {count(abs(more))} tokens {words} of {count(whole.against)} there"
    added = measure.tally.added
    charged = [f"{count(added)} for our own tools in lists of tools"] if added else []
    if whole.aside:
        charged.append(
            f"{count(measure.fetched)} for {measure.fetched_percent:g}% of the {count(whole.aside)} tokens "
            "that were set aside, fetched later"
        )
    if charged:
        yield f"net is less {', and '.join(charged)}"
    repeats = whole.repeats
    if repeats:
        same, changed = count(repeats["same"]), count(repeats["changed"])
        yield f"calls made before: {same} gave the same, {changed} something else"


def sections(measure: Measure) -> Iterator[Section]:
    """All that is told of it, one after another."""
    if not measure.all.sums.calls:
        return
    against = measure.against is not None
    left = len(measure.tools) - MOST_ROWS
    more = (f"{left:,} more tools are in --output json",) if left > 0 else ()
    rows = [*measure.tools[:MOST_ROWS], measure.all]
    yield Section("by tool", *_table("tool", rows, against=against), more)
    yield Section("by kind", *_table("kind", measure.kinds, against=against))
    if len(measure.servers) > 1:
        yield Section("by server", *_table("server", measure.servers[:MOST_ROWS], against=against))
    whole = measure.all.sums
    if whole.unchanged:
        unchanged = [
            (f"{why}: {_number(number, 'call')}, {count(whole.unchanged_tokens[why])} tokens",)
            for why, number in whole.unchanged.most_common()
        ]
        yield Section("sent as they came", (), unchanged)
    if measure.without_rule:
        names = [
            (f"{each.name}: {count(each.sums.before)} tokens",) for each in measure.without_rule[:MOST_ROWS]
        ]
        yield Section("tools that no rule matches", (), names)
    tally = measure.tally
    yield from _outstanding("largest results that were sent as they came", tally.untouched, "tokens")
    yield from _outstanding("largest losses", tally.losses, "tokens lost")
    yield from _outstanding("slowest", tally.slowest, "ms")
    if tally.problems:
        more = (f"{tally.more_problems:,} more failed",) if tally.more_problems else ()
        yield Section("failed", (), [(problem,) for problem in tally.problems], more)
    notes = list(measure.notes)
    if tally.resumed:
        notes.append(f"{tally.resumed:,} sessions went on as new ones: too many went on at once")
    if notes:
        yield Section("left out", (), [(note,) for note in notes])


def _outstanding(title: str, found: Sequence[Outstanding], unit: str) -> Iterator[Section]:
    shown = [each for each in found if each.size >= 1]
    if shown:
        yield Section(
            title, (), [(f"{each.size:,.0f} {unit}: {each.name} ({each.place})",) for each in shown]
        )


def _table(
    first: str, groups: Sequence[Group], *, against: bool
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    headings = [first, "calls", "changed", "received", "sent", "saved", "median", "alone"]
    headings += ["against", "change"] if against else []
    return [*headings, "lost", "aside", "ms"], [_cells(group, against=against) for group in groups]


def _cells(group: Group, *, against: bool) -> list[str]:
    sums = group.sums
    cells = [
        group.name,
        count(sums.calls),
        count(sums.changed),
        count(sums.before),
        count(sums.after),
        percent(sums.saved, sums.before),
        "–" if sums.median is None else f"{sums.median}%",
        percent(sums.saved_alone, sums.before),
    ]
    if against:
        cells += [count(sums.against), f"{sums.after - sums.against:+,}"]
    return [*cells, count(sums.lost), count(sums.aside), f"{sums.milliseconds / max(1, sums.calls):,.1f}"]


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    shown = [[_short(row[0]), *row[1:]] for row in rows]
    widths = [max(len(row[at]) for row in (headings, *shown)) for at in range(len(headings))]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (headings, *shown)
    ]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
