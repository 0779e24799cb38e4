"""`prose-json`: a JSON document between lines of other text is laid out where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from terse.layout.document import Document, Plain
from terse.layout.embedded import STYLES, spell
from terse.layout.forms import Prose
from terse.payload.exact import parse_at
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

MAX_LINES = 20
"""Lines before the JSON. A document further down is one of many, or an example in a page."""
MIN_SHARE = 0.5
"""The JSON is at least this part of the text."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    text = draft.text
    at = 0
    for _ in range(MAX_LINES + 1):
        if text.startswith(("{", "["), at):
            found = parse_at(text, at)
            if found is not None and (found[1] - at) >= MIN_SHARE * len(text):
                break
        at = text.find("\n", at) + 1
        if at == 0:
            return Skip("no JSON after a few lines")
    else:
        return Skip("no JSON after a few lines")
    value, end = found
    if end < len(text) and text[end] != "\n":
        return Skip("text on the JSON's last line")
    if not value or at == 0:
        return Skip("no line before the JSON")
    style = next((style for style in STYLES if spell(value, style) == text[at:end]), None)
    if style is None:
        return Skip("JSON spelt in a way of its own")
    head = tuple(text[: at - 1].split("\n"))
    tail = tuple(text[end + 1 :].split("\n")) if end < len(text) else ()
    document = Document(Plain(value), form=Prose(head, tail, style))
    return Applied(Draft(State.LAYOUT, None, document, context.cost), f"JSON after {len(head)} lines")


TIER = Tier(
    name="prose-json",
    sentence="Takes the JSON that stands below a few lines of text, for the steps after it to lay out.",
    reads="`1 line, then JSON:`: that line of text follows, then the JSON that stood below it "
    "(`indent2`: so spelt; `then 1 line`: of text after the JSON, given here before it).",
    takes=frozenset({State.TEXT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            'Found 2 issues:\n[\n  {\n    "id": 1\n  },\n  {\n    "id": 2\n  }\n]',
            "1 line, then JSON (indent2):\nFound 2 issues:\nJSON outline: [{id=1},{id=2}]",
        ),
    ),
)
