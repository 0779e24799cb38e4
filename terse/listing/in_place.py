"""Every tool stays a tool of its own, and says less about itself."""

from __future__ import annotations

from terse.listing.definition import Definition
from terse.listing.outline import arguments_only, nothing_but_type
from terse.listing.plain import lossless, tidy
from terse.listing.schema import Schema, is_text, mapped
from terse.listing.sentence import first_sentence
from terse.payload.exact import JsonValue
from terse.plan.model import Level


def shown(
    definition: Definition, level: Level, name: str, *, with_output: bool = True
) -> tuple[Definition, Definition]:
    """The tool as the client is shown it, and as it is at `low`; one and the same if that is the level.

    `low` leaves out what says nothing to a model; `medium` has the first sentence of each description;
    `high` names and types of arguments; `max` the name alone, with a schema that allows every object.
    Annotations, titles for people, icons and `_meta` stay as they are.

    Args:
        name: the name it is shown under.
        with_output: its `outputSchema` stays.
    """
    tool = definition.get("name")
    own = tool if is_text(tool) else name
    low: Definition = {}
    for key, value in definition.items():
        if key == "name":
            low[key] = name
        elif key == "description" and is_text(value):
            low[key] = tidy(value)
        elif key == "inputSchema" and isinstance(value, dict):
            low[key] = lossless(value, own)
        elif key != "outputSchema" or with_output:
            low[key] = value
    if level == "low":
        return low, low
    made: Definition = {}
    for key, value in low.items():
        if key == "description" and is_text(value):
            if level == "medium":
                made[key] = first_sentence(value)
        elif key == "inputSchema" and isinstance(value, dict):
            made[key] = _shorter(value, definition[key], level)
        else:
            made[key] = value
    return made, low


def _shorter(low: Schema, schema: JsonValue, level: Level) -> Schema:
    if level == "medium":
        return _first_sentences(low)
    whole = schema if isinstance(schema, dict) else low
    return arguments_only(whole) if level == "high" else nothing_but_type(whole)


def _first_sentences(schema: Schema, names: tuple[str, ...] = (), under: str = "") -> Schema:
    made = mapped(schema, _first_sentences)
    description = made.get("description")
    if is_text(description):
        made["description"] = first_sentence(description)
    return made
