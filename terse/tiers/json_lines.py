"""`json-lines`: one JSON document a line becomes a list to lay out."""

from __future__ import annotations

from collections.abc import Mapping

from terse.layout.document import Document, Plain
from terse.layout.embedded import STYLES, spell
from terse.layout.forms import JsonLines
from terse.payload.exact import JsonValue, NotExact, parse
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    text = draft.text
    if not text.startswith(("{", "[")):
        return Skip("no JSON lines")
    ended = text.endswith("\n")
    lines = text[:-1].split("\n") if ended else text.split("\n")
    if len(lines) < 2 or any(not line.startswith(("{", "[")) for line in lines[:50]):
        return Skip("no JSON lines")
    values: list[JsonValue] = []
    style = ""
    for line in lines:
        try:
            value = parse(line)
        except NotExact:
            return Skip("a line that is no JSON")
        if not values:
            style = next((style for style in STYLES if spell(value, style) == line), "")
        if spell(value, style) != line:
            # One style has to do for all: most often it only failed on the first line's few signs.
            found = next((style for style in STYLES if spell(value, style) == line), None)
            if found is None or any(
                spell(known, found) != before for known, before in zip(values, lines, strict=False)
            ):
                return Skip("lines spelt in different ways")
            style = found
        values.append(value)
    document = Document(Plain(values), form=JsonLines(style, ended))
    return Applied(Draft(State.LAYOUT, None, document, context.cost), f"{len(values)} lines")


TIER = Tier(
    name="json-lines",
    sentence="Takes a text of one JSON document a line as a list, for the steps after it to lay out.",
    reads="`JSON lines outline: …`: the text was one JSON document a line (`spaced`: with a space after `,` "
    "and `:`; `ended`: with a line end after the last).",
    takes=frozenset({State.TEXT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            '{"t":1,"event":"start"}\n{"t":2,"event":"stop"}\n',
            "JSON lines outline (ended): [{t=1 event=start},{t=2 event=stop}]",
        ),
    ),
)
