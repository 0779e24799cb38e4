"""`minify`: JSON without the white space between its tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping

from terse.layout.document import Plain
from terse.payload.exact import dump
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

LOOK_CHARACTERS = 512
"""A text without white space between its first tokens is taken to have none further on."""

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


def without_white_space(text: str) -> str:
    """A JSON text without white space between tokens; every token keeps its bytes."""
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", text)


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    start = draft.text[:LOOK_CHARACTERS]
    if len(start) == LOOK_CHARACTERS and len(without_white_space(start)) > LOOK_CHARACTERS - 16:
        return Skip("no white space to drop")
    document = draft.document
    if document is None or not isinstance(document.root, Plain):
        return Skip("no plain JSON")
    text = dump(document.root.value)  # type: ignore[arg-type]
    if len(text) >= len(draft.text):
        return Skip("no white space to drop")
    return Applied(Draft(State.JSON, text, document), f"{len(draft.text) - len(text)} characters fewer")


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
