"""Whether arguments are valid by the schema of their tool."""

from __future__ import annotations

import json
from collections.abc import Iterable

from terse.listing.references import resolved
from terse.listing.schema import Schema
from terse.payload.exact import JsonValue, dump
from terse.shell.flags import kebab
from terse.shell.unusable import Wrong

_REMARKS = frozenset(
    (
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"),
        *("type", "enum", "format"),
    )
)
_ROOT = frozenset(
    ("type", "properties", "required", "additionalProperties", "$schema", "title", "description")
)


def check(arguments: dict[str, JsonValue], schema: Schema, *, is_sure: bool) -> None:
    """Check arguments by the whole of JSON Schema.

    Args:
        is_sure: each is one value of its flag, of the right type. Where the schema says no more than that,
            nothing is left to check, and the validator is not imported: it takes twice as long as a call.

    Raises:
        Wrong: they are not valid. The message says which, and why.
    """
    if _says_nothing(schema) or (is_sure and _says_no_more(schema, arguments)):
        return
    from jsonschema.exceptions import SchemaError, best_match
    from jsonschema.validators import Draft202012Validator, validator_for

    plain = json.loads(dump(schema))
    try:
        kind = validator_for(plain, default=Draft202012Validator)
        kind.check_schema(plain)
        error = best_match(kind(plain).iter_errors(json.loads(dump(arguments))))
    except (SchemaError, RecursionError):
        # What the schema means, the server has to say.
        return
    except Exception as failure:
        if type(failure).__module__.startswith(("referencing", "jsonschema")):
            return
        raise
    if error is not None:
        raise Wrong(f"{_where(error.absolute_path)}{_first_line(error.message)}")


def _says_nothing(schema: Schema) -> bool:
    """Every object is right."""
    return schema.keys() <= {"type", "$schema", "title", "description"} and schema.get("type") == "object"


def _says_no_more(schema: Schema, arguments: dict[str, JsonValue]) -> bool:
    if not _ROOT.issuperset(schema) or isinstance(schema.get("additionalProperties"), dict):
        return False
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        return False
    return all(_is_plain(properties.get(name), schema) for name in arguments)


def _is_plain(one: JsonValue, root: Schema) -> bool:
    if not isinstance(one, dict):
        return False
    if "$ref" in one:
        one = resolved(one, root)
    items = one.get("items")
    if one.get("type") == "array" and isinstance(items, dict):
        return _REMARKS.issuperset(one.keys() - {"items"}) and _REMARKS.issuperset(items)
    return _REMARKS.issuperset(one)


def _where(path: Iterable[str | int]) -> str:
    said = "".join(f"[{part}]" if isinstance(part, int) else f".{kebab(part)}" for part in path)
    return f"--{said[1:]}: " if said else ""


def _first_line(message: str) -> str:
    line = message.splitlines()[0] if message else "not valid"
    return line if len(line) <= 300 else f"{line[:300]}…"
