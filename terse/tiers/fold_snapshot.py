"""`fold-snapshot`: the element references of page snapshots, by number."""

from __future__ import annotations

from terse.folds import references
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    written = references.fold(lines)
    return [(references.FORM, written)] if written else "few references"


TIER = text_tier(
    name="fold-snapshot",
    sentence="writes the references of a page snapshot as a sign and a number",
    reads="`@12` stands for what the first line says, with 12 for N",
    fits=references.occur,
    fold=_fold,
    example=Example(
        before=(
            '- list [ref=e2]:\n  - listitem [ref=e3]:\n    - link "Home" [ref=e4]\n  - listitem [ref=e5]:\n'
            '    - link "Docs" [ref=e6]\n  - listitem [ref=e7]:\n    - link "Blog" [ref=e8]\n'
            '  - listitem [ref=e9]:\n    - link "Jobs" [ref=e10]\n  - listitem [ref=e11]:\n'
            '    - link "News" [ref=e12]\n'
        ),
        after=(
            "[terse: 11 lines; signs stand for the words below]\n@N = [ref=eN]\n\n"
            '- list @2:\n  - listitem @3:\n    - link "Home" @4\n  - listitem @5:\n'
            '    - link "Docs" @6\n  - listitem @7:\n    - link "Blog" @8\n'
            '  - listitem @9:\n    - link "Jobs" @10\n  - listitem @11:\n    - link "News" @12\n'
        ),
    ),
)
