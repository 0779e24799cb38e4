"""`fold-repeats`: repeated lines as a count."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import runs
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(runs.FORM, runs.fold(lines)),)]


TIER = text_tier(
    name="fold-repeats",
    sentence="Writes lines that repeat one after another once, with a count.",
    reads="`[×6]` says how often the line above stands there, `[last 2 lines ×3]` the same of two lines.",
    fits=lambda seen: True,
    paths=_paths,
    missing="no line repeats at once",
    whole=True,
    example=Example(
        before=(
            "connecting to the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "still waiting for the database\n"
            "connected\n"
        ),
        after=(
            "[terse: 9 lines; [×6] says how often the line above stands there]\n"
            "connecting to the database\n"
            "still waiting for the database\n"
            "[×7]\n"
            "connected\n"
        ),
    ),
)
