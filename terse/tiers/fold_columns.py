"""`fold-columns`: listings in padded columns, as of `ls`, `ps`, `df` and `kubectl`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from terse.folds import columns
from terse.payload.kind import Kind
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example

_TABBED = re.compile(r"\S\t\S")
_PADDED_WITHIN = 400
"""Columns are padded near the beginning of a line; behind it may stand prose of any length."""

SAID = 3
"""Without padding, so many tokens of each line, by weight, must be the same in all: else it is no listing."""


def _paths(context: Context) -> Sequence[Path]:
    def in_columns(lines: list[str]) -> Step | None:
        written = columns.fold(lines) or columns.fold(lines, padded=False, said=SAID)
        return written_in(columns.FORM, written)

    return [(in_columns,)]


def _is_padded(line: str) -> bool:
    # Most lines have neither sign, and then are not searched.
    head = line[:_PADDED_WITHIN].rstrip()
    words = head.lstrip()
    return (
        ("  " in words and "  " in words.replace(".  ", ". "))  # two spaces may follow a sentence
        or ("\t" in words and _TABBED.search(words) is not None)
        or (head[:1] == " " and words[:1].isdigit())
    )


def _begin_alike(lines: Sequence[str]) -> bool:
    """Whether four lines of five begin with the same word, as those of `git ls-tree` do."""
    words = Counter([line.partition(" ")[0] for line in lines if line])
    del words[""]  # indentation is no word
    return words.total() >= 8 and max(words.values()) * 5 >= sum(map(bool, lines)) * 4


TIER = text_tier(
    name="fold-columns",
    sentence="Takes the padding out of listings in columns, and writes what all lines share once.",
    reads='The first line shows the columns, `"` is the value above.',
    fits=lambda seen: seen.share(_is_padded) >= 0.3 or _begin_alike(seen.lines),
    paths=_paths,
    missing="no columns",
    also=frozenset({Kind.HTML}),
    example=Example(
        before=(
            "total 132\n"
            "drwxr-xr-x 5 root root  4096 Nov 30 05:14 docs\n"
            "-rw-r--r-- 1 root root   456 Nov 30 05:14 LICENSE\n"
            "-rw-r--r-- 1 root root 98765 Nov 30 05:14 poetry.lock\n"
            "-rw-r--r-- 1 root root  1208 Nov 30 05:14 README.md\n"
            "-rw-r--r-- 1 root root   931 Nov 30 05:14 setup.cfg\n"
            "-rw-r--r-- 1 root root    77 Nov 30 05:14 setup.py\n"
        ),
        after=(
            '[terse: 7 lines; columns as in the line below, {>} {<} padded, " is the value above]\n'
            "{} {} root root {>} Nov 30 05:14 {}\n"
            "\n"
            "…total 132\n"
            "drwxr-xr-x 5 4096 docs\n"
            "-rw-r--r-- 1 456 LICENSE\n"
            '" 1 98765 poetry.lock\n'
            '" 1 1208 README.md\n'
            '" 1 931 setup.cfg\n'
            '" 1 77 setup.py\n'
        ),
    ),
)
