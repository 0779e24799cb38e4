"""`minify`: JSON without the white space between its tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping

from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

LOOK_CHARACTERS = 512
"""A text without white space between its first tokens is taken to have none further on."""

SURELY = 2
"""The beginning may promise so many times as much as there is."""

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


def without_white_space(text: str) -> str:
    """A JSON text without white space between tokens; every token keeps its bytes."""
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", text)


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    start = draft.text[:LOOK_CHARACTERS]
    shorter = ""
    if len(start) == LOOK_CHARACTERS:
        shorter = without_white_space(start)
        if len(shorter) > LOOK_CHARACTERS - 16:
            return Skip("no white space to drop")
    text = draft.canonical
    if text is None:
        return Skip("no plain JSON")
    fewer = len(draft.text) - len(text)
    if fewer <= 0:
        return Skip("no white space to drop")
    gain = 0.0
    if shorter:
        # What a character of the beginning is worth, all of them are, or nearly.
        gain = fewer * (context.count(start) - context.count(shorter)) / (len(start) - len(shorter)) / SURELY
    return Applied(Draft(State.JSON, text, draft.document), f"{fewer} characters fewer", gain)


TIER = Tier(
    name="minify",
    sentence="Drops the white space between JSON tokens and spells characters out that need no escape.",
    reads="JSON.",
    takes=frozenset({State.JSON}),
    leaves=None,
    run=_run,
    examples=(
        Example('{\n  "id": 1.0,\n  "name": "a  b"\n}', '{"id":1.0,"name":"a  b"}'),
        Example('[ {"k": 1, "k": NaN} ]', '[{"k":1,"k":NaN}]'),
    ),
)
