"""`fold-snapshot`: the element references of page snapshots, by number."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import numbering, references
from terse.tiers.folding import Path, Step, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    def by_sign(lines: list[str]) -> Step | None:
        return written_in(references.FORM, references.fold(lines))

    def by_next_number(lines: list[str]) -> Step | None:
        return written_in(numbering.FORM, numbering.fold(lines))

    return [(by_sign, by_next_number), (by_sign,)]


TIER = text_tier(
    name="fold-snapshot",
    sentence="Writes the references of a page snapshot as a sign and a number.",
    reads="`@12` stands for what the first line says, with 12 for N; quotes alone have the next number.",
    fits=lambda seen: references.occur(seen.sample),
    paths=_paths,
    missing="few references",
    example=Example(
        before=(
            "- list [ref=e2]:\n"
            "  - listitem [ref=e3]:\n"
            '    - link "Home" [ref=e4]\n'
            "  - listitem [ref=e5]:\n"
            '    - link "Docs" [ref=e6]\n'
            "  - listitem [ref=e7]:\n"
            '    - link "Blog" [ref=e8]\n'
            "  - listitem [ref=e9]:\n"
            '    - link "Jobs" [ref=e10]\n'
            "  - listitem [ref=e11]:\n"
            '    - link "News" [ref=e12]\n'
            "  - listitem [ref=e13]:\n"
            '    - link "Help" [ref=e14]\n'
            "  - listitem [ref=e15]:\n"
            '    - link "Shop" [ref=e16]\n'
            "  - listitem [ref=e17]:\n"
            '    - link "Team" [ref=e18]\n'
            "  - listitem [ref=e19]:\n"
            '    - link "Press" [ref=e20]\n'
            "  - listitem [ref=e21]:\n"
            '    - link "Legal" [ref=e22]\n'
        ),
        after=(
            "[terse: 21 lines; signs stand for the words below]\n"
            "@N = [ref=eN]\n"
            "\n"
            "- list @2:\n"
            "  - listitem @3:\n"
            '    - link "Home" @4\n'
            "  - listitem @5:\n"
            '    - link "Docs" @6\n'
            "  - listitem @7:\n"
            '    - link "Blog" @8\n'
            "  - listitem @9:\n"
            '    - link "Jobs" @10\n'
            "  - listitem @11:\n"
            '    - link "News" @12\n'
            "  - listitem @13:\n"
            '    - link "Help" @14\n'
            "  - listitem @15:\n"
            '    - link "Shop" @16\n'
            "  - listitem @17:\n"
            '    - link "Team" @18\n'
            "  - listitem @19:\n"
            '    - link "Press" @20\n'
            "  - listitem @21:\n"
            '    - link "Legal" @22\n'
        ),
    ),
)
