"""`terse diff` as a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from terse.report.differed import Diff
from terse.report.differed_text import MOST_REASONS, cells, grouped, headline, short, tokens_line, told_calls

MOST_ROWS = 100
"""Samples in the table; GitHub refuses comments over 65,536 characters."""

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")


def render(diff: Diff) -> str:
    """New losses first: they are what a reviewer has to judge; then the table."""
    lines = [f"**terse diff** {code(diff.before)} → {code(diff.after)}", ""]
    lines += [plain(" ".join(headline(diff).split())) + " " + plain(tokens_line(diff)), ""]
    lines += _losses(diff)
    lines += _table(diff)
    lines += [f"> note: {plain(note)}" for note in diff.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def _losses(diff: Diff) -> Iterator[str]:
    if not diff.new_losses:
        yield "No new loss."
        yield ""
        return
    yield "### New loss"
    yield ""
    for names, at, because in grouped(diff):
        reasons = "".join(f"; because “{plain(reason)}”" for reason in because[:MOST_REASONS])
        yield f"- {', '.join(map(code, names))} ({code(at)}){reasons}"
        if not because:
            yield "  - the rule gives no reason"
    yield ""


def _table(diff: Diff) -> Iterator[str]:
    if not diff.changed:
        return
    yield "| sample | rule | tokens | class | |"
    yield "|---|---|---:|---|---|"
    for sample in diff.changed[:MOST_ROWS]:
        rule, tokens, guarantee = cells(sample)
        call = "".join(f"<br>{code(call)}" for call in told_calls(diff, sample))
        mark = "**new loss**" if sample.new_losses else ""
        yield f"| {code(short(sample.sample))}{call} | {plain(rule)} | {tokens} | {guarantee} | {mark} |"
    yield ""
    more = len(diff.changed) - MOST_ROWS
    if more > 0:
        yield f"and {more} more."
        yield ""


def plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _one_line(text))


def code(text: str) -> str:
    # A pipe ends a table's cell even in code.
    fence = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{_one_line(text).replace('|', chr(92) + '|')}{pad}{fence}"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
