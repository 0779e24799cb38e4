"""What is wrong with the arguments of a call, by the tool's schema, said so that a model can put it right.

Only what no server takes is found: an argument that is required and not there, and one that a closed schema
does not name. Types and values are the server's to judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches

from terse.listing.outline import arguments_only
from terse.listing.references import resolved
from terse.listing.schema import Schema, is_text
from terse.payload.exact import JsonValue, dump

MAX_NAMED = 12
"""Arguments that a message lists."""


def mistake(arguments: dict[str, JsonValue], schema: Schema) -> str | None:
    """What is missing or misplaced, with type and nearest name; None where nothing is.

    Args:
        schema: the tool's `inputSchema` as the server has it.
    """
    schema = resolved(schema, schema)
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        required = []
    known = list(properties) if isinstance(properties, dict) else []
    missing = [name for name in required if is_text(name) and name not in arguments]
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    unknown = [name for name in arguments if name not in known] if is_closed or missing else []
    if not missing and not unknown:
        return None
    types = _types(schema)
    said = [f"missing: {', '.join(_named(name, types) for name in missing)}"] if missing else []
    for name in unknown:
        meant = nearest(name, known)
        where = _inside(name, properties) if isinstance(properties, dict) else None
        if where is not None:
            said.append(f"{_quoted(name)} belongs into {_quoted(where)}")
        elif meant is not None:
            said.append(f"there is no {_quoted(name)}: did you mean {_named(meant, types)}?")
        elif is_closed:
            listed = ", ".join(_named(one, types) for one in known[:MAX_NAMED])
            said.append(f"there is no {_quoted(name)}" + (f": there are {listed}" if listed else ""))
    return "; ".join(said) if said else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant: other letters for the same, or a slip."""
    plain = {_plain(one): one for one in known}
    same = plain.get(_plain(name))
    if same is not None:
        return same
    if len(name) > 128:
        return None
    close = get_close_matches(_plain(name), plain, n=1, cutoff=0.7)
    return plain[close[0]] if close else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(".", "")


def _types(schema: Schema) -> dict[str, str]:
    outlined = arguments_only(schema).get("properties")
    types: dict[str, str] = {}
    for name, one in outlined.items() if isinstance(outlined, dict) else ():
        if not isinstance(one, dict):
            continue
        allowed = one.get("enum")
        kind = one.get("type")
        if isinstance(allowed, list) and len(allowed) <= MAX_NAMED:
            types[name] = " | ".join(dump([value])[1:-1] for value in allowed)
        elif is_text(kind):
            types[name] = kind
        elif isinstance(kind, list):
            types[name] = " | ".join(map(str, kind))
    return types


def _named(name: str, types: dict[str, str]) -> str:
    return f"{_quoted(name)} ({types[name]})" if name in types else _quoted(name)


def _inside(name: str, properties: dict[str, JsonValue]) -> str | None:
    """The one argument that is an object with a member of this name."""
    found = [
        outer
        for outer, one in properties.items()
        if isinstance(one, dict) and isinstance(inner := one.get("properties"), dict) and name in inner
    ]
    return found[0] if len(found) == 1 else None


def _quoted(name: str) -> str:
    return json.dumps(name[:80], ensure_ascii=False)
