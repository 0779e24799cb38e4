"""`fold-columns`: listings in padded columns, as of `ls`, `ps`, `df` and `kubectl`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds import columns
from terse.payload.kind import Kind
from terse.tiers.folding import Path, share, text_tier, written_in
from terse.tiers.spec import Context, Example

_PADDED = re.compile(r"\S(?: {2,}|\t)\S|^ +[0-9]| {2,}[0-9]")


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(columns.FORM, columns.fold(lines)),)]


TIER = text_tier(
    name="fold-columns",
    sentence="Takes the padding out of listings in columns, and writes what all lines share once.",
    reads='The first line shows the columns, `"` is the value above.',
    fits=lambda lines: share(lines, _PADDED.search) >= 0.3,
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
