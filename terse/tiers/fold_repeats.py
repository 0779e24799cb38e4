"""`fold-repeats`: repeated lines as a count."""

from __future__ import annotations

from terse.folds import runs
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    written = runs.fold(lines)
    return [(runs.FORM, written)] if written else "no line repeats at once"


TIER = text_tier(
    name="fold-repeats",
    sentence="writes lines that repeat one after another once, with a count",
    reads="`[×6]` says how often the line above stands there, `[last 2 lines ×3]` the same of two lines",
    fits=lambda lines: True,
    fold=_fold,
    example=Example(
        before="connecting to the database\n" + "still waiting for the database to answer\n" * 12 + "connected\n",
        after=(
            "[terse: 14 lines; [×6] says how often the line above stands there]\n"
            "connecting to the database\nstill waiting for the database to answer\n[×12]\nconnected\n"
        ),
    ),
)
