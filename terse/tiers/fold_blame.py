"""`fold-blame`: `git blame` by commit."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import commits
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(commits.FORM, commits.fold(lines)),)]


TIER = text_tier(
    name="fold-blame",
    sentence="Writes the commits of a blame once, and each line with the letter of its commit.",
    reads="The legend says which commit a letter is; a line without one is of the commit above it.",
    fits=lambda seen: any(map(commits.is_blame, seen.lines[:4])),
    paths=_paths,
    missing="no blame",
    quoted=False,
    example=Example(
        before=(
            "8a002847 (Ann Lee   2021-06-27 23:31:46 +0300  7) import os\n"
            "8a002847 (Ann Lee   2021-06-27 23:31:46 +0300  8) import re\n"
            "77d82777 (Ben Okoro 2022-08-12 12:49:42 -0700  9) import sys\n"
            "8a002847 (Ann Lee   2021-06-27 23:31:46 +0300 10) \n"
            "8a002847 (Ann Lee   2021-06-27 23:31:46 +0300 11) ROOT = os.curdir\n"
            "77d82777 (Ben Okoro 2022-08-12 12:49:42 -0700 12) ARGS = sys.argv\n"
        ),
        after=(
            "[terse: 6 lines; lines of a blame by the letter of their commit, no letter: as above]\n"
            "A: 8a002847 (Ann Lee   2021-06-27 23:31:46 +0300\n"
            "B: 77d82777 (Ben Okoro 2022-08-12 12:49:42 -0700\n"
            "\n"
            "A 7) import os\n"
            "8) import re\n"
            "B 9) import sys\n"
            "A 10) \n"
            "11) ROOT = os.curdir\n"
            "B 12) ARGS = sys.argv\n"
        ),
    ),
)
