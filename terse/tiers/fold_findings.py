"""`fold-findings`: what compilers and linters found, under the files, messages by pattern."""

from __future__ import annotations

import re

from terse.folds import cluster, cuts, headings
from terse.tiers.folding import Step, share, shortest, text_tier
from terse.tiers.spec import Context, Example

_FINDING = re.compile(
    r"(?:[A-Za-z]:)?[^\s:()]{1,200}(?::[0-9]+(?::[0-9]+)?:? |\([0-9]+(?:,[0-9]+)?\): )"
    r"(?:(?:fatal )?(?:error|warning|note|info|hint)|[A-Z]{1,5}[0-9]{2,5}|\[?[A-Za-z-]+\]?)\b"
)


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    def under_files(held: list[str]) -> Step | None:
        written = headings.fold(held, cuts.hit)
        return (headings.FORM, written) if written else None

    def by_pattern(held: list[str]) -> Step | None:
        return cluster.fold(held, context.count, context.expired)

    steps = shortest(lines, context, [(under_files,), (by_pattern,), (under_files, by_pattern)])
    return steps or "few findings share a file or a message"


TIER = text_tier(
    name="fold-findings",
    sentence="puts findings of compilers and linters under their file, and their messages under a letter",
    reads="a line that ends in `…` starts the lines below it; a letter stands for a message with `{}` to fill",
    fits=lambda lines: share(lines, _FINDING.match) >= 0.5,
    fold=_fold,
    example=Example(
        before="".join(
            f'src/app/{name}.py:{line}: error: Function is missing a return type annotation  [no-untyped-def]\n'
            for name, numbers in (("models", (3, 9, 27, 30)), ("views", (5, 8, 14, 70)))
            for line in numbers
        ),
        after=(
            "[terse: 8 lines; a line ending in … starts those below; "
            'a line "B x y" fills the {} of pattern B, one without letter those of A, " is the value above]\n'
            "A: {}: error: Function is missing a return type annotation  [no-untyped-def]\n\n"
            "…src/app/models.py:…\n3\n9\n27\n30\n…src/app/views.py:…\n5\n8\n14\n70\n"
        ),
    ),
)
