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
    sentence="writes what many links begin with once, and links to issues as a sign and a number",
    reads="`~/` stands for the beginning of an address in the first lines, `#12` for what they say of `#N`",
    fits=references.addresses,
    fold=_fold,
    after=frozenset({"counts", "padding"}),
    example=Example(
        before="".join(
            f"- [{name}](https://docs.example.org/en/latest/reference/{name}.html)\n"
            for name in ("install", "quickstart", "client", "server", "errors", "logging", "testing", "changelog")
        ),
        after="",
    ),
)
