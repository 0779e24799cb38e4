"""Numbers that go on by one from line to line, left out before quoted text.

    @77 link "marshal" url="~/marshal.html"
    " and "
    @79 link "pickle" url="~/pickle.html"

The second line stands for `@78 " and "`: a line that starts with `"` has the number after that of the line
above. A line that has no number and starts with `"`, below one that has, or one that starts with `…`, has `…`
before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from terse.folds.frame import VERBATIM, Form, NotFolded, Room

_NUMBERED = re.compile(r"( *)([@#~^&$])(0|[1-9][0-9]{0,6}) (.+)", re.DOTALL)
_QUOTE = '"'

RESTATED = 10
"""The number is written again after so many lines without one, so that no reader counts far."""


def fold(lines: Sequence[str]) -> list[str] | None:
    """The lines with numbers left out, or `None` where fewer than one of ten can be."""
    written: list[str] = []
    sign, number, run, left_out = "", 0, 0, 0
    for line in lines:
        found = _NUMBERED.fullmatch(line)
        if not found:
            taken = line.startswith(VERBATIM) or (sign and line.lstrip(" ").startswith(_QUOTE))
            written.append(VERBATIM + line if taken else line)
            continue
        goes_on = found[2] == sign and int(found[3]) == number + 1
        sign, number = found[2], int(found[3])
        if goes_on and run < RESTATED and found[4].startswith(_QUOTE):
            run += 1
            left_out += 1
            written.append(found[1] + found[4])
        else:
            run = 0
            written.append(line)
    return written if left_out * 10 >= len(lines) else None


def unfold(lines: Sequence[str], room: Room) -> list[str]:
    """The lines with all numbers.

    Raises:
        NotFolded: a number with more than seven digits.
    """
    read: list[str] = []
    sign, number = "", 0
    for line in lines:
        if line.startswith(VERBATIM):
            read.append(line[1:])
            continue
        text = line.lstrip(" ")
        if sign and text.startswith(_QUOTE):
            number += 1
            if number > 9_999_999:
                raise NotFolded("a number too long")
            read.append(f"{line[: len(line) - len(text)]}{sign}{number} {text}")
            continue
        found = _NUMBERED.fullmatch(line)
        if found:
            sign, number = found[2], int(found[3])
        read.append(line)
    return read


FORM = Form(
    name="next numbers",
    phrase='a line that starts with " has the next number',
    unfold=unfold,
)
