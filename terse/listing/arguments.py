"""What is wrong with the arguments of a call, by the tool's schema, said so that a model can put it right.

Only what no server can have meant to take is found: an argument that is required and not there, one with
nearly the name of another or that belongs into another, and a list or an object where the other, or neither,
is expected. All else is the server's to judge: many leave out what they do not know, and take a number as a
text, or a list as the text of its JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from terse.listing.outline import arguments_only
from terse.listing.references import resolved
from terse.listing.schema import Schema, is_text
from terse.payload.exact import JsonValue, dump

DEPTH = 4
"""How deep in arguments is looked."""

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
    missing = [
        name
        for name in required
        if is_text(name) and name not in arguments and not _has_default(name, properties)
    ]
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    unknown = [name for name in arguments if name not in known] if is_closed or missing else []
    unfit = list(_unfit(arguments, schema, schema, "", DEPTH))
    if not missing and not unknown and not unfit:
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
        elif missing:
            listed = ", ".join(_named(one, types) for one in known[:MAX_NAMED])
            said.append(f"there is no {_quoted(name)}" + (f": there are {listed}" if listed else ""))
    said += unfit[:MAX_NAMED]
    return "; ".join(said) if said else None


def _has_default(name: str, properties: JsonValue) -> bool:
    """Whether the server knows what to take: some writers call such an argument required all the same."""
    one = properties.get(name) if isinstance(properties, dict) else None
    return isinstance(one, dict) and "default" in one


def _unfit(given: dict[str, JsonValue], schema: Schema, root: Schema, path: str, depth: int) -> Iterator[str]:
    """What is missing inside of arguments, and what is of a kind that it cannot be."""
    properties = schema.get("properties")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        if isinstance(one, dict) and name in given:
            yield from _unfit_value(given[name], resolved(one, root), root, f"{path}{name}", depth)


def _unfit_value(value: JsonValue, schema: Schema, root: Schema, path: str, depth: int) -> Iterator[str]:
    kind = schema.get("type")
    if not is_text(kind) or depth == 0:
        return
    found = "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
    is_other = not is_text(value) and value is not None
    if (found and found != kind) or (not found and is_other and kind in ("array", "object")):
        yield f"{_quoted(path)} is to be {kind}"
    elif isinstance(value, dict):
        required = schema.get("required")
        missing = (
            [name for name in required if is_text(name) and name not in value]
            if isinstance(required, list)
            else []
        )
        yield from (f"missing: {_quoted(f'{path}.{name}')}" for name in missing)
        yield from _unfit(value, schema, root, f"{path}.", depth - 1)
    elif isinstance(value, list):
        items = schema.get("items")
        for number, item in enumerate(value[:MAX_NAMED]):
            if isinstance(items, dict):
                yield from _unfit_value(item, resolved(items, root), root, f"{path}[{number}]", depth - 1)


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
