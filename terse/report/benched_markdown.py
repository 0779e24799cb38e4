"""`terse bench` as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from terse.report.benched import Bench
from terse.report.benched_text import (
    AGAINST_HEADINGS,
    against_lines,
    files_table,
    furthest_behind,
    groups_table,
    headline,
    verdict_lines,
)
from terse.report.differed_markdown import code, plain


def render(bench: Bench) -> str:
    """The sums first, then the comparison, then a row per file."""
    lines = ["### terse bench", "", f"{plain(headline(bench))}.", ""]
    lines += _table(*groups_table(bench))
    lines += [f"- {plain(line)}" for line in verdict_lines(bench)]
    if bench.peers is not None:
        lines += [f"- {plain(line)}" for line in against_lines(bench)]
        behind = furthest_behind(bench)
        if behind:
            lines += ["", *_table(AGAINST_HEADINGS, behind, files=True)]
    if lines[-1]:
        lines.append("")
    lines += _table(*files_table(bench), files=True)
    lines += [f"> note: {plain(note)}" for note in bench.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


_WORDS = ("", "file", "kind", "by")


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, files: bool = False) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|" + "|".join("---" if heading in _WORDS else "---:" for heading in headings) + "|"
    for first, *rest in rows:
        yield f"| {' | '.join([code(first) if files else plain(first), *map(plain, rest)])} |"
    yield ""
