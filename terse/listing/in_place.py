"""Every tool stays a tool of its own, and says less about itself."""

from __future__ import annotations

from terse.listing.definition import Definition
from terse.listing.outline import arguments_only, nothing_but_type
from terse.listing.plain import lossless, tidy
from terse.listing.schema import Schema, is_text, mapped
from terse.listing.sentence import first_sentence
from terse.payload.exact import JsonValue
from terse.plan.model import Level


def shown(definition: Definition, level: Level, name: str, *, with_output: bool = True) -> Definition:
    """The tool as the client is shown it.

    `low` leaves out what says nothing to a model; `medium` has the first sentence of each description;
    `high` names and types of arguments; `max` the name alone, with a schema that allows every object.
    Annotations, titles for people, icons and `_meta` stay as they are.

    Args:
        name: the name it is shown under.
        with_output: its `outputSchema` stays.
    """
    made: Definition = {}
    for key, value in definition.items():
        match key:
            case "name":
                made[key] = name
            case "description":
                text = _described(value, level)
                if text is not None:
                    made[key] = text
            case "inputSchema":
                tool = definition.get("name")
                made[key] = _schema(value, level, tool if is_text(tool) else name)
            case "outputSchema":
                if with_output:
                    made[key] = value
            case _:
                made[key] = value
    return made


def is_shortened(level: Level) -> bool:
    """Whether something is left out that a model could want: it can be fetched then."""
    return level != "low"


def _described(description: JsonValue, level: Level) -> JsonValue:
    if not is_text(description):
        return description
    match level:
        case "low":
            return tidy(description)
        case "medium":
            return first_sentence(description)
    return None


def _schema(schema: JsonValue, level: Level, tool: str) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    match level:
        case "low":
            return lossless(schema, tool)
        case "medium":
            return _first_sentences(lossless(schema, tool))
        case "high":
            return arguments_only(schema)
    return nothing_but_type(schema)


def _first_sentences(schema: Schema, names: tuple[str, ...] = (), under: str = "") -> Schema:
    made = mapped(schema, _first_sentences)
    description = made.get("description")
    if is_text(description):
        made["description"] = first_sentence(description)
    return made
