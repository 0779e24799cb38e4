"""`fold-history`: `git log`, its heads on one line."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import history
from terse.payload.kind import Kind
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(history.FORM, history.fold(lines)),)]


TIER = text_tier(
    name="fold-history",
    sentence="Writes the head of each commit of a git log on one line, authors once.",
    reads="`by A` is the author of the legend, no year is that above, `[sum]` adds up the files above it.",
    fits=lambda seen: (
        "<" in seen.sample  # the address of an author
        and (
            sum(1 for line in seen.lines if line.startswith("commit ")) >= 2
            or any(line.startswith("Author: ") for line in seen.lines[:4])
        )
    ),
    paths=_paths,
    missing="no log of commits",
    quoted=False,
    also=frozenset({Kind.DIFF}),  # of `git log -p`, heads are a hundredth
    example=Example(
        before=(
            "commit 9bae96161b45a5bf70011c75b1ef41228d3f4caa\n"
            "Author: Ann Lee <ann.lee@example.org>\n"
            "Date:   Thu Aug 13 14:30:10 2026 +0200\n"
            "\n"
            "    Fix the lexer\n"
            "\n"
            " src/lexer.py | 12 ++++++++----\n"
            " 1 file changed, 8 insertions(+), 4 deletions(-)\n"
            "\n"
            "commit 240d4bcd3e207c7ed1cebd9908be41150c3ea1ab\n"
            "Merge: 04fc0ab 4947083\n"
            "Author: Ann Lee <ann.lee@example.org>\n"
            "Date:   Tue Jul 28 08:48:23 2026 +0200\n"
            "\n"
            "    Merge the docs\n"
        ),
        after=(
            "[terse: 15 lines; commits with their author's letter, no year: as above, "
            "[sum] adds up the lines above]\n"
            "A: Ann Lee <ann.lee@example.org>\n"
            "\n"
            "commit 9bae96161b45a5bf70011c75b1ef41228d3f4caa by A, Aug 13 14:30:10 2026 +0200\n"
            "    Fix the lexer\n"
            "\n"
            " src/lexer.py | 12 ++++++++----\n"
            "[sum]\n"
            "\n"
            "commit 240d4bcd3e207c7ed1cebd9908be41150c3ea1ab merges 04fc0ab 4947083 by A, Jul 28 "
            "08:48:23\n"
            "    Merge the docs\n"
        ),
    ),
)
