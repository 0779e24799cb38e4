"""Where a text can be cut so that the token counts of its parts add up to the count of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

CHUNK = 1 << 17
"""Characters that are tokenized at a time: bounds the memory of a count, whatever the text."""

# Safe cuts, for both vocabularies: after a letter and before what is neither letter, mark nor "'"; after
# a digit and before a non-digit; after a line end and before what is neither white space nor "/".
# ASCII only, so that the test needs no tables: in text of other scripts, line ends and spaces serve.
_SAFE_CUT = re.compile(
    r"(?<=[A-Za-z])(?=[\x00-&(-@\[-`{-\x7f])|(?<=[0-9])(?=[\x00-/:-\x7f])|(?<=[\r\n])(?=[!-.0-~])"
)

# White space as the encodings' patterns know it, without line ends.
_BLANKS = "\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_BLANKS = re.compile(f"[{_BLANKS}]{{256,}}")
_SPACE = re.compile(f"[{_BLANKS}\r\n]")


def chunks(text: str, size: int = CHUNK) -> Iterator[str]:
    """The text in parts of about `size` characters, cut only where counts add up.

    A text without a safe cut comes as one part.
    """
    start = 0
    while len(text) - start > 2 * size:
        cut = _SAFE_CUT.search(text, start + size)
        if cut is None:
            break
        yield text[start : cut.start()]
        start = cut.start()
    yield text[start:] if start else text


def blank_pieces(text: str, limit: int) -> Iterator[tuple[str, bool]]:
    """The text in parts, with each run of `limit` blanks or more that is a piece of its own told apart.

    A run of blanks is a piece up to the blank before the next character, which may join that; up to
    the end of the text at its end. Where a line end follows, it is part of a longer piece, and stays.

    Yields:
        each part, and whether it is one piece of blanks.
    """
    start = 0
    runs = _LONG_BLANKS.finditer(text) if _may_have_run(text, limit) else ()
    for run in runs:
        begin, end = run.span()
        if end - begin < limit or (end < len(text) and _SPACE.match(text, end)):
            continue
        if end < len(text):
            end -= 1
        if start < begin:
            yield text[start:begin], False
        yield text[begin:end], True
        start = end
    if start < len(text):
        yield text[start:], False


def _may_have_run(text: str, limit: int) -> bool:
    # A run of that length takes in one of these places, and has blanks on one side of it for certain.
    around = limit // 2
    return any(
        text[place].isspace()
        and (text[max(0, place - around) : place].isspace() or text[place + 1 : place + around].isspace())
        for place in range(limit - 1, len(text), limit)
    )
