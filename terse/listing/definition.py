"""A tool's definition as a server sends it, and its compact form."""

from __future__ import annotations

from terse.payload.exact import JsonValue, dump

Definition = dict[str, JsonValue]

FOR_THE_MODEL = ("name", "description", "inputSchema")
"""What clients give a model of a tool; the rest is for people and programs."""


def compact(definition: Definition) -> str:
    """What is for the model, as JSON without white space: the values are the server's own."""
    return dump({key: definition[key] for key in FOR_THE_MODEL if key in definition})
