"""`fold-links`: links that begin alike, and links to issues by number."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import references
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(references.FORM, references.fold(lines)),)]


TIER = text_tier(
    name="fold-links",
    sentence="Writes what many links begin with once, and links to issues as a sign and a number.",
    reads="`~/` stands for the beginning of an address in the first lines, `#12` for what they say of `#N`.",
    fits=lambda seen: "/" in seen.sample and references.addresses(seen.sample),
    paths=_paths,
    missing="few links begin alike",
    whole=True,
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
