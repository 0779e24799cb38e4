"""`terse bench` for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from terse.hidden import visible
from terse.report.benched import CLOSE, SMALL, Bench, Exactness, Group, exactness_words

FILE_HEADINGS = ("file", "kind", "raw", "minified", "emitted", "saved", "ms", "")
GROUP_HEADINGS = ("", "files", "raw", "minified", "emitted", "saved", "of raw", "median", "mean", "ms")
AGAINST_HEADINGS = ("file", "minified", "emitted", "saved", "best public", "by", "points behind")

_LONGEST_NAME = 40
MOST_BEHIND = 10
"""Files behind their best public format that are listed; the JSON has all."""


def render(bench: Bench) -> str:
    """A row per file, a row per kind, the comparison with public formats, and every broken promise."""
    lines = [headline(bench), ""]
    headings, rows = files_table(bench)
    lines += _columns(headings, map(_short, rows), left=2)
    lines += ["", *_columns(*groups_table(bench))]
    if bench.peers is not None:
        lines += ["", *against_lines(bench)]
        behind = furthest_behind(bench)
        if behind:
            lines += ["", *_columns(AGAINST_HEADINGS, map(_short, behind))]
    lines += ["", *verdict_lines(bench)]
    lines += [f"note: {note}" for note in bench.notes]
    return "".join(visible(line).rstrip() + "\n" for line in lines)


def headline(bench: Bench) -> str:
    """What was measured, and how."""
    texts, files = len(bench.texts), len(bench.all.files)
    what = f"{files:,} file{'' if files == 1 else 's'}"
    if texts != files:
        what += f" with {texts:,} texts"
    times = "time of one run" if bench.runs == 1 else f"time the median of {bench.runs} runs"
    said = [what, f"rules {bench.policy}", f"tokens in {bench.vocabulary}", *([times] if bench.runs else [])]
    return ", ".join(said)


Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Headings and rows."""


def files_table(bench: Bench) -> Table:
    return _timed(bench, FILE_HEADINGS, [file_cells(file) for file in bench.all.files])


def groups_table(bench: Bench) -> Table:
    return _timed(bench, GROUP_HEADINGS, [group_cells(group) for group in (*bench.groups, bench.all)])


def _timed(bench: Bench, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The table; without its times where none were taken."""
    if bench.runs:
        return headings, rows
    at = headings.index("ms")
    return [*headings[:at], *headings[at + 1 :]], [[*row[:at], *row[at + 1 :]] for row in rows]


def file_cells(file: Group) -> tuple[str, ...]:
    words = exactness_words(file.texts)
    if any(text.is_larger for text in file.texts):
        words = f"larger, {words}"
    return (
        file.name,
        file.kinds,
        f"{file.raw:,}",
        f"{file.minified:,}",
        f"{file.emitted:,}",
        _percent(file.saved),
        _milliseconds(file.milliseconds),
        words,
    )


def group_cells(group: Group) -> tuple[str, ...]:
    return (
        group.name,
        f"{len(group.files):,}",
        f"{group.raw:,}",
        f"{group.minified:,}",
        f"{group.emitted:,}",
        _percent(group.saved),
        _percent(group.saved_of_raw),
        _percent(group.median),
        _percent(group.mean),
        _milliseconds(group.milliseconds),
    )


def against_lines(bench: Bench) -> Iterator[str]:
    """How many files are even with their best public format, and the sums of both."""
    rows, counted = bench.against, bench.against_counted
    if not rows:
        yield "no file stands in the table of public formats"
        return
    for family in ("json", "text"):
        those = [row for row in counted if row.file.texts[0].family == family]
        if those:
            close = sum(row.is_close for row in those)
            part = _percent(100 * close / len(those))
            yield (
                f"{family}: {close} of {len(those)} files of {SMALL} tokens or more ({part}) are no more "
                f"than {CLOSE:g} points behind their best public format"
            )
    best = sum(row.peer.tokens for row in rows)
    ours = sum(row.file.emitted for row in rows)
    yield f"{len(rows)} files: best public format of each {best:,} tokens, terse {ours:,}"


def furthest_behind(bench: Bench) -> Sequence[tuple[str, ...]]:
    """The files that are not even with their best public format, the furthest first."""
    behind = sorted((row for row in bench.against_counted if not row.is_close), key=lambda row: -row.behind)
    return [
        (
            row.file.name,
            f"{row.file.minified:,}",
            f"{row.file.emitted:,}",
            _percent(row.file.saved),
            _percent(row.peer_saved),
            row.peer.name,
            f"{row.behind:.1f}",
        )
        for row in behind[:MOST_BEHIND]
    ]


def verdict_lines(bench: Bench) -> Iterator[str]:
    """Whether all came back, and each text that did not."""
    for text in bench.failures:
        where = f"{text.file} {text.part}".rstrip()
        if text.is_larger:
            yield f"larger: {where}: {text.raw:,} → {text.emitted:,} tokens"
        if text.fault or text.exactness is Exactness.WRONG:
            yield f"{text.exactness.value}: {where}: {text.fault}"
    if not bench.failures:
        reduced = sum(text.exactness is Exactness.BY_RULE for text in bench.texts)
        said = f"{reduced:,} reduced by a rule, and the others" if reduced else f"all of {len(bench.texts):,}"
        yield f"no text is larger than received; {said} decode to what was received"
    if bench.over_budget:
        kept = "were cut short by it" if bench.budget else "would have been cut short by it"
        yield f"{bench.over_budget:,} took longer than their rule's budget of time, and {kept}"


def _percent(value: float) -> str:
    return f"{value:.1f}%"


def _milliseconds(value: float) -> str:
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def _short(cells: Sequence[str]) -> Sequence[str]:
    name = cells[0]
    return (name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}", *cells[1:])


def _columns(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Rows as columns; the first `left` and a last one without a heading flush left, the rest right."""
    table = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(
            cell.ljust(width) if at < left or not heading else cell.rjust(width)
            for at, (cell, width, heading) in enumerate(zip(row, widths, headings, strict=True))
        ).rstrip()
