"""Words of a command line as the arguments of a tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from terse.listing.references import resolved
from terse.listing.schema import Schema
from terse.payload.exact import JsonValue, NotExact, Number, dump, is_number, parse_unambiguous
from terse.shell.flags import Flag, Flags, choices, is_of, kinds, plain
from terse.shell.unusable import Wrong

OWN = {"--json": False, "--raw": False, "--help": False, "-h": False, "--output": True, "--wait": True}
"""Options of `terse cli` that may stand after the tool, where the tool has no argument of that name; and
whether they have a value."""
WHOLE = "--arguments"
NOUNS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "string": "a text",
    "null": "null",
}
MAX_CHOICES = 20

Read = Callable[[str], str]
"""What a value of `@FILE` or `-` stands for; raises `Unusable`."""


class Given:
    """What the words say.

    Attributes:
        arguments: of the tool.
        own: options of `terse cli`, with their values.
        is_sure: they fit the schema, if only flags were given and the schema says no more than flags know.
    """

    def __init__(self) -> None:
        self.arguments: dict[str, JsonValue] = {}
        self.own: dict[str, str] = {}
        self.is_sure = True


def given(words: Sequence[str], flags: Flags, read: Read) -> Given:
    """What the words after a tool's name say.

    Raises:
        Wrong: they do not fit: the message has the flag, its type, and the nearest name.
        Unusable: a file or stdin cannot be read.
    """
    return _Reader(flags, read).given(words)


class _Reader:
    def __init__(self, flags: Flags, read: Read) -> None:
        self._flags = flags
        self._read = read
        self._root = resolved(flags.schema, flags.schema)
        self._made = Given()
        self._whole: str | None = None

    def given(self, words: Sequence[str]) -> Given:
        alone: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if not word.startswith("-") or word == "-" or is_number(word):
                alone.append(word)
            else:
                self._option(word, rest)
        if "--help" in self._made.own or "-h" in self._made.own:
            return self._made
        self._add_whole()
        self._add_alone(alone)
        return self._made

    def _option(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        bare = name.lstrip("-")
        flag = self._flags.named(bare) if name.startswith("--") else None
        if flag is not None and not (flag.is_switch and not equals):
            self._set(flag, self._value(flag, name, equals, value, rest))
        elif flag is not None:
            self._put(flag.path, True)
        elif name.startswith("--no-") and not equals and (switch := self._switch(bare[3:])) is not None:
            self._put(switch.path, False)
        elif name in OWN:
            self._own(name, equals, value, rest)
        elif name == WHOLE:
            if self._whole is not None:
                raise Wrong(f"{WHOLE} is given twice")
            self._whole = self._text(value if equals else _next(name, rest))
        else:
            self._unknown(name, bare, equals, value, rest)

    def _own(self, name: str, equals: str, value: str, rest: list[str]) -> None:
        if not OWN[name] and equals:
            raise Wrong(f"{name} has no value")
        self._made.own[name] = (value if equals else _next(name, rest)) if OWN[name] else ""

    def _switch(self, bare: str) -> Flag | None:
        flag = self._flags.named(bare)
        return flag if flag is not None and "boolean" in flag.kinds else None

    def _value(self, flag: Flag, name: str, equals: str, value: str, rest: list[str]) -> str:
        if not equals:
            if not rest or (rest[0].startswith("--") and len(rest[0]) > 2):
                hint = f": a value that begins with -- is written {name}=--…" if rest else ""
                raise Wrong(f"{name} needs a value, {described(flag)}{hint}")
            value = rest.pop(0)
        return self._text(value)

    def _text(self, value: str) -> str:
        if value.startswith("@@"):
            return value[1:]
        return self._read(value) if value == "-" or (value.startswith("@") and len(value) > 1) else value

    def _set(self, flag: Flag, text: str) -> None:
        if flag.kinds != ("array",):
            self._put(flag.path, self._fitting(flag, text, flag.schema))
            return
        items = flag.schema.get("items")
        item = plain(items, self._root) if isinstance(items, dict) else {}
        made = _json(text) if text.lstrip().startswith("[") else None
        if isinstance(made, list) and kinds(item, self._root) != ("array",):
            values = made
            self._made.is_sure = False
        else:
            values = [self._fitting(flag, text, item)]
        known = self._at(flag.path)
        if isinstance(known, list):
            known.extend(values)
        else:
            self._put(flag.path, values)

    def _fitting(self, flag: Flag, text: str, schema: Schema) -> JsonValue:
        """
        Raises:
            Wrong: it cannot be a value of that schema.
        """
        allowed = kinds(schema, self._root)
        value = _converted(text, allowed)
        if value is _NONE:
            wanted = " or ".join(NOUNS.get(kind, kind) for kind in allowed)
            raise Wrong(f"{flag.name} {_shown(text)}: write {wanted}")
        known = choices(schema)
        if known and text not in known and ("enum" in schema or "const" in schema):
            values = schema.get("enum")
            if not isinstance(values, list) or value not in values:
                raise Wrong(_no_choice(flag, text, known))
        if set(allowed) & {"array", "object"}:
            self._made.is_sure = False
        return value

    def _at(self, path: tuple[str, ...]) -> JsonValue:
        here: JsonValue = self._made.arguments
        for name in path:
            if not isinstance(here, dict) or name not in here:
                return None
            here = here[name]
        return here

    def _put(self, path: tuple[str, ...], value: JsonValue) -> None:
        here = self._made.arguments
        for depth, name in enumerate(path[:-1], 1):
            inner = here.setdefault(name, {})
            if not isinstance(inner, dict):
                raise Wrong(f"--{'.'.join(path[:depth])} is given whole, and a member of it as well")
            here = inner
        if len(path) > 1:
            self._made.is_sure = False
        if path[-1] in here:
            raise Wrong(f"--{'.'.join(path)} is given twice")
        here[path[-1]] = value

    def _unknown(self, name: str, bare: str, equals: str, value: str, rest: list[str]) -> None:
        outer, _, inner = bare.partition(".")
        flag = self._flags.named(outer)
        may_have_more = (
            flag is not None
            and inner
            and (not flag.kinds or "object" in flag.kinds)
            and flag.schema.get("additionalProperties") is not False
        )
        if name.startswith("--") and bare and (may_have_more or self._flags.is_open):
            path = (*flag.path, *inner.split(".")) if flag is not None else tuple(bare.split("."))
            self._made.is_sure = False
            text = self._text(value if equals else _next(name, rest))
            self._put(path, _converted(text, ()))
            return
        meant = self._flags.nearest(bare)
        if meant is not None:
            raise Wrong(f"there is no {name}: did you mean {meant.name} ({described(meant)})?")
        shown = ", ".join(each.name for each in self._flags.all if len(each.path) == 1)
        raise Wrong(f"there is no {name}" + (f": there are {shown}" if shown else ": the tool takes nothing"))

    def _add_whole(self) -> None:
        if self._whole is None:
            return
        whole = _json(self._whole)
        if not isinstance(whole, dict):
            raise Wrong(f'{WHOLE}: write a JSON object, such as {{"name": "value"}}')
        twice = next((name for name in whole if name in self._made.arguments), None)
        if twice is not None:
            raise Wrong(f"{twice} is in {WHOLE} and given as a flag as well")
        self._made.arguments = {**whole, **self._made.arguments}
        self._made.is_sure = not whole and self._made.is_sure

    def _add_alone(self, words: list[str]) -> None:
        missing = [flag for flag in self._flags.required if flag.path[0] not in self._made.arguments]
        if len(words) == 1 and len(self._flags.required) == len(missing) == 1:
            self._set(missing[0], self._text(words[0]))
            return
        if words:
            flag = missing[0].name if missing else next((each.name for each in self._flags.all), "")
            raise Wrong(
                f"it is not clear what {_shown(words[0])} is: "
                + (f"write {flag} VALUE" if flag else "the tool takes nothing")
            )
        if missing:
            raise Wrong(f"missing: {', '.join(f'{flag.name} ({described(flag)})' for flag in missing)}")


class _None:
    pass


_NONE: JsonValue = _None()  # type: ignore[assignment]
"""In place of a value: there is none that the text could be."""


def _converted(text: str, allowed: tuple[str, ...]) -> JsonValue:
    """The value that a text stands for, where these types are right: JSON where it is JSON of one of them,
    the text itself where a text is right; where any type is right, whichever it is."""
    if allowed == ("string",):
        return text
    stripped = text.strip()
    if is_number(stripped):
        value: JsonValue = Number(stripped)
    else:
        made = _json(stripped)
        if made is _NONE:
            return text if not allowed or "string" in allowed else _NONE
        value = made
    if not allowed or is_of(value, allowed):
        return value
    return text if "string" in allowed else _NONE


def _json(text: str) -> JsonValue:
    try:
        made = parse_unambiguous(f"[{text}]")
    except NotExact:
        return _NONE
    return made[0] if isinstance(made, list) and len(made) == 1 else _NONE


def described(flag: Flag) -> str:
    """What values a flag has, in a few words."""
    known = flag.choices
    if known and flag.kinds != ("array",):
        return _one_of(known)
    nouns = " or ".join(flag.kinds) or "any value"
    return f"list of {_one_of(known)}" if known else nouns


def _one_of(known: list[str]) -> str:
    more = " | …" if len(known) > MAX_CHOICES else ""
    return " | ".join(known[:MAX_CHOICES]) + more


def _no_choice(flag: Flag, text: str, known: list[str]) -> str:
    from terse.listing.arguments import nearest

    meant = nearest(text, known)
    hint = f"did you mean {meant}?" if meant is not None else f"write one of {_one_of(known)}"
    return f"{flag.name} {_shown(text)}: {hint}"


def _next(name: str, rest: list[str]) -> str:
    if not rest:
        raise Wrong(f"{name} needs a value")
    return rest.pop(0)


def _shown(text: str) -> str:
    return dump([text[:60] + "…" if len(text) > 60 else text])[1:-1]
