"""`fold-lists`: long lists inside a line, their items under what they begin with."""

from __future__ import annotations

from terse.folds import cuts, headings, lists
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    broken = lists.fold(lines)
    if broken is None or sum(map(len, filter(lists.is_long, lines))) * 3 < sum(map(len, lines)):
        return "no long list in a line"
    written = headings.fold(broken, lambda line: cuts.node(line) or cuts.stamp(line) or cuts.folders(line))
    return [(lists.FORM, broken), (headings.FORM, written)] if written else "the items begin differently"


TIER = text_tier(
    name="fold-lists",
    sentence="writes long lists inside a line one item a line, under what the items begin with",
    reads='a line that starts with ", " goes on the line above',
    fits=lambda lines: True,  # the long line may stand anywhere
    fold=_fold,
    example=Example(
        before="Running 24 items: "
        + ", ".join(f"test/inductor/test_kernels.py::KernelTests::test_{name}" for name in "abcdefghijklmnopqrstuvwx")
        + "\n",
        after="",
    ),
)
