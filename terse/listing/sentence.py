"""Where the first sentence of a description ends."""

from __future__ import annotations

import re

_NO_END = frozenset(
    (
        *("e.g", "i.e", "cf", "vs", "approx", "incl", "excl", "esp", "resp", "viz", "ca"),
        *("dr", "mr", "mrs", "ms", "prof", "st", "inc", "ltd", "corp", "jr", "sr", "dept", "est"),
    )
)
"""Words whose full stop ends no sentence, whatever follows it; in lower case, without the last stop."""

_NO_END_BEFORE_A_NUMBER = frozenset(("no", "nr", "fig", "eq", "sec", "ch", "vol", "p", "pp", "art"))

_STOP = re.compile(r"[.!?]+[\"'”’)\]*_`]*(?=\s)|[。！？]")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘`]*\Z")
_PARAGRAPH_ENDS = re.compile(
    r"\n[ \t]*(?:\n|[-*+•][ \t]|\d+[.)][ \t]|#|```|\||(?:Args|Arguments|Parameters|Params|Returns|Raises|"
    r"Examples?|Notes?|Usage|Yields)[ \t]*:)"
)
_HEADING = re.compile(r"#+[ \t]+")


def first_sentence(text: str) -> str:
    """The first sentence of a text; the first paragraph where it is not clear that one ends before.

    White space in it is single spaces.
    """
    text = text.strip()
    heading = _HEADING.match(text)
    if heading is not None:
        text = text[heading.end() :].partition("\n")[0]
    end = _PARAGRAPH_ENDS.search(text)
    paragraph = " ".join((text if end is None else text[: end.start()]).split())
    for stop in _STOP.finditer(paragraph):
        if _ends_a_sentence(paragraph, stop):
            return paragraph[: stop.end()]
    return paragraph


def _ends_a_sentence(text: str, stop: re.Match[str]) -> bool:
    if stop[0] in "。！？":
        return True
    before = text[: stop.start()]
    following = text[stop.end() :].lstrip()
    if not following or following[0].islower():
        return not following
    # A bracket or a code span that is open goes on behind this.
    span = text[: stop.end()]
    if span.count("(") > span.count(")") or span.count("[") > span.count("]") or span.count("`") % 2:
        return False
    if stop[0][0] != ".":
        return True
    found = _WORD_BEFORE.search(before)
    word = (found[0] if found else "").lower()
    if word in _NO_END or (word in _NO_END_BEFORE_A_NUMBER and following[0].isdigit()):
        return False
    is_initial = len(word) == 1 and found is not None and found[0].isupper()
    is_number_of_a_list = word.isdigit() and word == before.lower()
    return not is_initial and not is_number_of_a_list
