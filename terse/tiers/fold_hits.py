"""`fold-hits`: search hits under their files."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import cuts, headings
from terse.tiers.folding import Path, text_tier, written_in
from terse.tiers.spec import Context, Example


def _paths(context: Context) -> Sequence[Path]:
    return [(lambda lines: written_in(headings.FORM, headings.fold(lines, cuts.hit)),)]


TIER = text_tier(
    name="fold-hits",
    sentence="Puts hits of grep and ripgrep under their file.",
    reads="A line that ends in `…` starts the lines below it.",
    fits=lambda seen: seen.share(cuts.hit) >= 0.4,
    paths=_paths,
    missing="few hits share a file",
    quoted=False,
    example=Example(
        before=(
            "src/parsers/grammar.py:12:def parse(text):\n"
            "src/parsers/grammar.py:48:    return parse(rest)\n"
            "src/parsers/grammar.py:90:def parse_all(texts):\n"
            "src/parsers/grammar.py:97:    parse(texts[0])\n"
            "src/parsers/lexer.py:7:from grammar import parse\n"
            "src/parsers/lexer.py:70:    parse(token)\n"
            "src/parsers/lexer.py:71:    parse(token.next)\n"
        ),
        after=(
            "[terse: 7 lines; a line ending in … starts those below]\n"
            "src/parsers/grammar.py:…\n"
            "12:def parse(text):\n"
            "48:    return parse(rest)\n"
            "90:def parse_all(texts):\n"
            "97:    parse(texts[0])\n"
            "src/parsers/lexer.py:…\n"
            "7:from grammar import parse\n"
            "70:    parse(token)\n"
            "71:    parse(token.next)\n"
        ),
    ),
)
