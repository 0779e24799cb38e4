"""`fold-links`: links that begin alike, and links to issues by number."""

from __future__ import annotations

from terse.folds import references
from terse.tiers.folding import Step, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    written = references.fold(lines)
    return [(references.FORM, written)] if written else "few links begin alike"


TIER = text_tier(
    name="fold-links",
    sentence="Writes what many links begin with once, and links to issues as a sign and a number.",
    reads="`~/` stands for the beginning of an address in the first lines, `#12` for what they say of `#N`.",
    fits=references.addresses,
    fold=_fold,
    after=frozenset({"counts", "padding"}),
    example=Example(
        before=(
            "- [install](https://docs.example.org/en/latest/reference/install.html)\n"
            "- [quickstart](https://docs.example.org/en/latest/reference/quickstart.html)\n"
            "- [client](https://docs.example.org/en/latest/reference/client.html)\n"
            "- [server](https://docs.example.org/en/latest/reference/server.html)\n"
            "- [errors](https://docs.example.org/en/latest/reference/errors.html)\n"
            "- [logging](https://docs.example.org/en/latest/reference/logging.html)\n"
        ),
        after=(
            "[terse: 6 lines; signs stand for the words below]\n"
            "~/ = https://docs.example.org/en/latest/reference/\n"
            "\n"
            "- [install](~/install.html)\n"
            "- [quickstart](~/quickstart.html)\n"
            "- [client](~/client.html)\n"
            "- [server](~/server.html)\n"
            "- [errors](~/errors.html)\n"
            "- [logging](~/logging.html)\n"
        ),
    ),
)
