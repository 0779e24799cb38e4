"""`fold-hits`: search hits under their files."""

from __future__ import annotations

from terse.folds import cuts, headings
from terse.tiers.folding import Step, share, text_tier
from terse.tiers.spec import Context, Example


def _fold(lines: list[str], context: Context) -> list[Step] | str:
    written = headings.fold(lines, cuts.hit)
    return [(headings.FORM, written)] if written else "few hits share a file"


TIER = text_tier(
    name="fold-hits",
    sentence="puts hits of grep and ripgrep under their file",
    reads="a line that ends in `…` starts the lines below it",
    fits=lambda lines: share(lines, cuts.hit) >= 0.4,
    fold=_fold,
    quoted=False,
    example=Example(
        before=(
            "src/parsers/grammar.py:12:def parse(text):\nsrc/parsers/grammar.py:48:    return parse(rest)\n"
            "src/parsers/grammar.py:90:def parse_all(texts):\nsrc/parsers/grammar.py:97:    parse(texts[0])\n"
            "src/parsers/lexer.py:7:from grammar import parse\nsrc/parsers/lexer.py:70:    parse(token)\n"
            "src/parsers/lexer.py:71:    parse(token.next)\n"
        ),
        after=(
            "[terse: 7 lines; a line ending in … starts those below]\n"
            "src/parsers/grammar.py:…\n12:def parse(text):\n48:    return parse(rest)\n90:def parse_all(texts):\n"
            "97:    parse(texts[0])\nsrc/parsers/lexer.py:…\n7:from grammar import parse\n70:    parse(token)\n"
            "71:    parse(token.next)\n"
        ),
    ),
)
