"""`terse diff` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terse.hidden import visible
from terse.report.differed import Diff, Names, SampleDiff
from terse.report.sizes import percent

MOST_NAMED = 3
"""Rules and guards that are named in the first line; of more the number is told."""
MOST_REASONS = 3
"""Reasons told of one line; a line of a profile has those of every rule that applies it."""


def render(diff: Diff) -> str:
    """A summary, the samples that change, and every new loss with its line and its reason."""
    lines = [headline(diff), tokens_line(diff)]
    if diff.changed:
        lines += ["", *_table(diff)]
    lines += _losses(diff)
    lines += [f"note: {note}" for note in diff.notes]
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def headline(diff: Diff) -> str:
    """`3 of 41 samples change. Guards: unchanged. Rules: 1 added, none unreachable.`"""
    total, number = diff.sample_count, diff.changed_count
    samples = f"{number} of {total} sample{'' if total == 1 else 's'} change{'s' if number == 1 else ''}."
    dead = f"{', '.join(diff.unreachable)} unreachable" if diff.unreachable else "none unreachable"
    tools = f"   Tools: {_counts(diff.tools)}." if diff.tools != Names() else ""
    return f"{samples}   Guards: {_counts(diff.guards)}.   Rules: {_counts(diff.rules)}, {dead}.{tools}"


def _counts(names: Names) -> str:
    """`issue-lists added, 12 changed`: by name where they are few."""
    parts = [
        f"{', '.join(each) if len(each) <= MOST_NAMED else len(each)} {word}"
        for word, each in (("added", names.added), ("removed", names.removed), ("changed", names.changed))
        if each
    ]
    return ", ".join(parts) or "unchanged"


def tokens_line(diff: Diff) -> str:
    """The tokens of all samples, before and after."""
    before, after = diff.tokens_before, diff.tokens_after
    if before == after:
        return f"All samples together: {after:,} tokens, as before."
    word = "fewer" if after < before else "more"
    return (
        f"All samples together: {before:,} → {after:,} tokens, {percent(abs(before - after), before)} {word}."
    )


def cells(sample: SampleDiff) -> tuple[str, str, str]:
    """The rule, the tokens and the class: one value where both versions agree."""
    before, after = sample.before, sample.after
    return (
        _arrow(before.rule or "no rule", after.rule or "no rule"),
        f"{before.tokens:,} → {after.tokens:,}",
        _arrow(before.guarantee, after.guarantee),
    )


def _arrow(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"


def short(path: str) -> str:
    """The path below `samples/`: `github/list_issues/open.json`."""
    return path.rpartition("samples/")[2]


def told_calls(diff: Diff, sample: SampleDiff) -> Sequence[str]:
    """The calls, where the sample stands in several rows and they tell these apart."""
    rows = sum(other.sample == sample.sample for other in diff.samples)
    return sample.calls if rows > 1 else ()


def _table(diff: Diff) -> Iterator[str]:
    rows = [("sample", "rule", "tokens", "class", "")]
    for sample in diff.changed:
        rows.append((short(sample.sample), *cells(sample), "NEW LOSS" if sample.new_losses else ""))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    calls = [(), *(told_calls(diff, sample) for sample in diff.changed)]
    for row, told in zip(rows, calls, strict=True):
        yield "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, [*widths, 0], strict=True))
        for call in told:
            yield f"      {call}"


def _losses(diff: Diff) -> Iterator[str]:
    if not diff.new_losses:
        return
    yield ""
    for names, at, because in grouped(diff):
        yield f"  new loss   {', '.join(names)}   {at}"
        for reason in because[:MOST_REASONS]:
            yield f'             because "{reason}"'
        if not because:
            yield "             the rule gives no reason"


def grouped(diff: Diff) -> list[tuple[list[str], str, list[str]]]:
    """The new losses by the line that takes them: names, the line, and the reasons of the rules."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for loss in diff.new_losses:
        names, reasons = groups.setdefault(loss.at, ([], []))
        names += [loss.name] if loss.name not in names else []
        reasons += [reason for reason in loss.because if reason not in reasons]
    return [(names, at, reasons) for at, (names, reasons) in groups.items()]
