"""`embedded`: JSON inside a JSON string is written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from terse.layout.document import Embedded, Plain
from terse.layout.embedded import unspell
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier

LOOK_CHARACTERS = 1_000_000
"""A text without a string that holds JSON in so many characters is taken to have none further on."""


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None or not isinstance(document.root, Plain):
        return Skip("no plain JSON")
    if document.legend or document.embedded or document.filled:
        return Skip("has references or templates already")
    if draft.state is State.JSON and not _may_hold(draft.text):
        return Skip("no string that holds JSON")
    work = _Embedded()
    value = work.value(document.root.value)
    if not work.found:
        return Skip("no string that holds JSON")
    changed = replace(document, root=Plain(value), embedded=True)
    return Applied(
        Draft(State.LAYOUT, None, changed, context.cost),
        f"{work.found} string{'s' if work.found > 1 else ''}",
    )


def _may_hold(text: str) -> bool:
    """Whether a string of a JSON text may hold JSON: what is looked for is dear in a text full of quotes."""
    return text.find('"{', 0, LOOK_CHARACTERS) >= 0 or text.find('"[', 0, LOOK_CHARACTERS) >= 0


class _Embedded:
    def __init__(self) -> None:
        self.found = 0

    def value(self, value: Any) -> Any:
        """The value with every string that holds JSON opened; the value itself where there is none."""
        if type(value) is str:
            held = unspell(value)
            if held is None:
                return value
            self.found += 1
            return Embedded(self.value(held[0]), held[1])
        if isinstance(value, dict):
            made = {key: self.value(item) for key, item in value.items()}
            return made if any(made[key] is not value[key] for key in made) else value
        if isinstance(value, list):
            items = list(map(self.value, value))
            return items if any(one is not other for one, other in zip(items, value, strict=True)) else value
        return value


TIER = Tier(
    name="embedded",
    sentence="Writes JSON that stands in a string as JSON, if the string can be rebuilt to the character.",
    reads="`result: json 30 rows of …` or `json{id=1}`: a string that holds that JSON "
    "(`json_spaced`, `json_indent2`: so spelt).",
    takes=frozenset({State.JSON, State.LAYOUT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            r'{"result":"{\"id\":7,\"tags\":[\"a\",\"b\"],\"note\":null}","ok":true}',
            "JSON outline:\nresult=json{id=7 tags=[a b] note=null} ok=true",
        ),
    ),
)
