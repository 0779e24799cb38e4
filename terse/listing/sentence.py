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

LONGEST_WORD = 40
"""Characters before a stop that are looked at."""

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
    done = 0
    opened = dict.fromkeys("([`", 0)
    for stop in _STOP.finditer(paragraph):
        # Counted from stop to stop: a text of many abbreviations is walked once.
        part = paragraph[done : stop.end()]
        done = stop.end()
        opened["("] += part.count("(") - part.count(")")
        opened["["] += part.count("[") - part.count("]")
        opened["`"] += part.count("`")
        # What is open goes on behind this.
        is_inside = opened["("] > 0 or opened["["] > 0 or opened["`"] % 2 == 1
        if _ends_a_sentence(paragraph, stop, is_inside=is_inside):
            return paragraph[: stop.end()]
    return paragraph


def _ends_a_sentence(text: str, stop: re.Match[str], *, is_inside: bool) -> bool:
    if stop[0] in "。！？":
        return True
    # In a paragraph one space follows, and then something.
    following = text[stop.end() + 1 : stop.end() + 2]
    if is_inside or following.islower():
        return False
    if stop[0][0] != ".":
        return True
    before = text[max(0, stop.start() - LONGEST_WORD) : stop.start()]
    found = _WORD_BEFORE.search(before)
    spelt = found[0] if found else ""
    word = spelt.lower()
    if word in _NO_END or (word in _NO_END_BEFORE_A_NUMBER and following.isdigit()):
        return False
    is_initial = len(spelt) == 1 and spelt.isupper()
    is_number_of_a_list = word.isdigit() and len(word) == stop.start()
    return not is_initial and not is_number_of_a_list
