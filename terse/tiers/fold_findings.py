"""`fold-findings`: what compilers and linters found, under the files, messages by pattern."""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds import cluster, cuts, headings
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example

_FINDING = re.compile(
    r"(?:[A-Za-z]:)?[^\s:()]{1,200}(?::[0-9]+(?::[0-9]+)?:? |\([0-9]+(?:,[0-9]+)?\): )"
    r"(?:(?:fatal )?(?:error|warning|note|info|hint)|[A-Z]{1,5}[0-9]{2,5}|\[?[A-Za-z-]+\]?)\b"
)


def _is_finding(line: str) -> bool:
    return (":" in line or "(" in line) and _FINDING.match(line) is not None


def _paths(context: Context) -> Sequence[Path]:
    def under_files(lines: list[str]) -> Step | None:
        return written_in(headings.FORM, headings.fold(lines, cuts.hit))

    def by_pattern(lines: list[str]) -> Step | None:
        return cluster.fold(lines, context.count)

    return [(under_files,), (by_pattern,), (under_files, by_pattern)]


TIER = text_tier(
    name="fold-findings",
    sentence="Puts findings of compilers and linters under their file, their messages under a letter.",
    reads="A line that ends in `…` starts those below; a letter stands for a message with `{}` to fill.",
    fits=lambda seen: seen.share(_is_finding) >= 0.5,
    paths=_paths,
    missing="few findings share a file or a message",
    example=Example(
        before=(
            "src/app/models.py:3: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/models.py:9: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/models.py:27: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/models.py:30: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/views.py:5: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/views.py:8: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/views.py:14: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "src/app/views.py:70: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
        ),
        after=(
            '[terse: 8 lines; a line "B x y" fills the {} of pattern B, one without letter those of '
            'A, " is the value above]\n'
            "A: src/app/{}.py:{}: error: Function is missing a return type annotation  "
            "[no-untyped-def]\n"
            "\n"
            "models 3\n"
            '" 9\n'
            '" 27\n'
            '" 30\n'
            "views 5\n"
            "views 8\n"
            "views 14\n"
            "views 70\n"
        ),
    ),
)
