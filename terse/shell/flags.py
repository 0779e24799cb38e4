"""The arguments of a tool as flags: what there is, and what a schema says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from terse.listing.arguments import nearest
from terse.listing.references import resolved
from terse.listing.schema import Schema, is_text
from terse.payload.exact import JsonValue, Number, dump

MAX_DEPTH = 3
"""How deep members of objects have flags of their own: --a.b.c"""
MAX_FLAGS = 500

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBERS = ("integer", "number")


class Flag:
    """One argument, or a member of one that is an object.

    Attributes:
        path: the names that lead to it.
        name: how it is written: `--max-results`, `--options.dry-run`.
        schema: what is said of it, with references followed, and an alternative that is only `null` left out.
        kinds: the types that it may have; empty where any is right.
        required: it has to be given, whatever else is.
    """

    __slots__ = ("kinds", "name", "path", "required", "schema")

    def __init__(self, path: tuple[str, ...], schema: Schema, kinds: tuple[str, ...], required: bool) -> None:
        self.path = path
        self.name = f"--{'.'.join(map(kebab, path))}"
        self.schema = schema
        self.kinds = kinds
        self.required = required

    @property
    def is_switch(self) -> bool:
        """It needs no value: --x, --no-x."""
        return self.kinds == ("boolean",)

    @property
    def choices(self) -> list[str]:
        """The values that it is limited to, as they are written; empty where it is not."""
        items = self.schema.get("items")
        schema = items if self.kinds == ("array",) and isinstance(items, dict) else self.schema
        return choices(schema)


class Flags:
    """The flags of one tool.

    Attributes:
        schema: the tool's `inputSchema`.
        all: in the order of the schema, those of an object after it.
        is_open: what is no flag is taken, too: the schema names no argument.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        root = resolved(schema, schema)
        self.all = list(_flags(root, root, (), True, MAX_DEPTH))[:MAX_FLAGS]
        self.is_open = not root.get("properties") and root.get("additionalProperties") is not False
        self._exact = {".".join(flag.path): flag for flag in self.all}
        self._folded: dict[str, Flag | None] = {}
        for flag in self.all:
            folded = fold(".".join(flag.path))
            # Two that differ in nothing but their spelling are each reached by their own.
            self._folded[folded] = None if folded in self._folded else flag

    def named(self, word: str) -> Flag | None:
        """The flag of this name, in any spelling: --max-results, --max_results, --maxResults.

        Args:
            word: without its dashes.
        """
        return self._exact.get(word) or self._folded.get(fold(word))

    def nearest(self, word: str) -> Flag | None:
        """The one that was most likely meant."""
        found = nearest(word, [".".join(flag.path) for flag in self.all])
        return None if found is None else self._exact[found]

    @property
    def required(self) -> list[Flag]:
        """Those arguments that have to be given."""
        return [flag for flag in self.all if flag.required and len(flag.path) == 1]


def kebab(name: str) -> str:
    """A name as flags are written: `maxResults` and `max_results` are `max-results`."""
    return _HUMP.sub("-", name).replace("_", "-").lower()


def fold(name: str) -> str:
    """The same for all spellings of a name."""
    return name.replace("-", "").replace("_", "").lower()


def plain(schema: JsonValue, root: Schema) -> Schema:
    """What is said of a value, with references followed; of alternatives, of which one may be `null`, the one
    that is left."""
    found = resolved(schema, root) if isinstance(schema, dict) else {}
    for word in ("anyOf", "oneOf", "allOf"):
        alternatives = found.get(word)
        if not isinstance(alternatives, list):
            continue
        others = [one for one in alternatives if not (isinstance(one, dict) and one.get("type") == "null")]
        if len(others) == 1 and isinstance(others[0], dict):
            rest = {key: value for key, value in found.items() if key != word}
            return {**resolved(others[0], root), **rest}
    return found


def kinds(schema: Schema, root: Schema) -> tuple[str, ...]:
    """The types that a value may have, `null` left out; empty where any is right."""
    said = schema.get("type")
    if is_text(said):
        return (said,)
    if isinstance(said, list):
        return tuple(each for each in said if is_text(each) and each != "null")
    values = schema.get("enum")
    if isinstance(values, list):
        return tuple(dict.fromkeys(kind_of(value) for value in values if value is not None))
    if "const" in schema:
        return (kind_of(schema["const"]),)
    found: dict[str, None] = {}
    for word in ("anyOf", "oneOf"):
        alternatives = schema.get(word)
        for one in alternatives if isinstance(alternatives, list) else ():
            inner = kinds(resolved(one, root), root) if isinstance(one, dict) and one is not schema else ()
            if not inner and not (isinstance(one, dict) and one.get("type") == "null"):
                return ()
            found.update(dict.fromkeys(kind for kind in inner if kind != "null"))
    if found:
        return tuple(found)
    return ("object",) if isinstance(schema.get("properties"), dict) else ()


def kind_of(value: JsonValue) -> str:
    """The type of a value, as schemas call it."""
    if isinstance(value, Number):
        return "number" if any(sign in value for sign in ".eE") else "integer"
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def is_of(value: JsonValue, allowed: tuple[str, ...]) -> bool:
    """Whether a value has one of these types."""
    kind = kind_of(value)
    if kind == "number" and "integer" in allowed and isinstance(value, Number):
        # 1.0 and 1e3 are whole numbers, too.
        try:
            if float(value).is_integer():
                return True
        except (ValueError, OverflowError):
            return False
    return kind in allowed or (kind == "integer" and "number" in allowed)


def choices(schema: Schema) -> list[str]:
    """The values of an `enum`, as they are written; none without one."""
    values = schema.get("enum")
    if not isinstance(values, list):
        return [written(schema["const"])] if "const" in schema else []
    return [written(value) for value in values if value is not None]


def written(value: JsonValue) -> str:
    """A value as it is written in a shell: a text as it is, all else as JSON."""
    return value if is_text(value) else dump([value])[1:-1]


def _flags(
    schema: Schema, root: Schema, path: tuple[str, ...], is_required: bool, depth: int
) -> Iterator[Flag]:
    properties = schema.get("properties")
    required = schema.get("required")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(one, (dict, bool)):
            continue
        said = plain(one, root)
        has_to = is_required and isinstance(required, list) and name in required
        flag = Flag((*path, name), said, kinds(said, root), has_to)
        yield flag
        if flag.kinds == ("object",) and depth > 1:
            yield from _flags(said, root, flag.path, has_to, depth - 1)
