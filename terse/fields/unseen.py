"""Fields in a text that is no document: they cannot be found, but their names can be seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from terse.fields.selector import Every, Path, Target
from terse.fields.wildcard import matches

_OPENING = re.compile(r"""^[ \t]*+"?(?:\{|\[[ \t]*+(?:[\[{"'\r]|$))""", re.MULTILINE)
"""A line that begins an object or a list as JSON, JSON lines and Python print them, also inside one JSON
string; not `[INFO]`."""

_NAME = re.compile(r"""(?:(["'])(?P<quoted>[^"'\n]*+)\1|(?<![\w$@.-])(?P<bare>[\w$@.-]++))[ \t]*+:""")
"""What stands before a colon, in quotes (those of JSON inside a string too) or without."""


def may_hold(text: str, target: Target) -> bool:
    """Whether a text that is no document may all the same hold a field that the target speaks of.

    A field counts as held where the text has the shape of data and names the field before a colon. Only the
    last key of a path is looked at: this errs on the side of what is to be kept.
    """
    if not isinstance(target, (Path, Every)) or _OPENING.search(text) is None:
        return False
    glob = target.keys[-1]
    return any(matches(glob, name) for name in _names(text))


def _names(text: str) -> Iterator[str]:
    for found in _NAME.finditer(text):
        name = found["bare"] or found["quoted"].rstrip("\\")
        yield name
        if "\\" in name:
            try:
                yield str(json.loads(f'"{name}"'))
            except ValueError:
                continue
