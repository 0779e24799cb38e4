"""Help pages of a server and of its tools."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from terse.listing.schema import Schema, is_text
from terse.listing.sentence import first_sentence
from terse.payload.exact import dump
from terse.shell.arguments import described
from terse.shell.flags import Flag, Flags, kebab, written
from terse.shell.tools import Tool

WIDTH = 100
MAX_ROW = 160
MAX_SAID = 1200


def tools_page(command: str, tools: Sequence[Tool]) -> str:
    """The tools of a server, one a line: name, arguments that have to be given, first sentence.

    Args:
        command: what is written before a tool: `terse cli NAME`.
    """
    lines = [f"Usage: {command} TOOL [--FLAG VALUE]…", ""]
    rows = [(_call(tool), first_sentence(tool.description)) for tool in tools]
    widest = min(40, max((len(call) for call, _ in rows), default=0))
    lines += [_cut(f"  {call.ljust(widest)}  {said}".rstrip()) for call, said in rows]
    if not rows:
        lines.append("  the server has no tools")
    lines += ["", f"{command} TOOL --help shows the flags of a tool."]
    return _safe("\n".join(lines) + "\n")


def tool_page(command: str, tool: Tool) -> str:
    """What a tool does, and its flags: types, values, defaults, those that have to be given."""
    flags = Flags(tool.schema)
    required = " ".join(f"{flag.name} {_noun(flag)}" for flag in flags.required)
    usage = f"Usage: {command} {kebab(tool.name)}{f' {required}' if required else ''}"
    optional = len(flags.all) > len(flags.required)
    lines = [f"{usage} [--FLAG VALUE]…" if optional else usage, ""]
    if tool.description:
        lines += [*_wrapped(tool.description), ""]
    for title, chosen in (
        ("Required:", [flag for flag in flags.all if flag.required]),
        ("Optional:", [flag for flag in flags.all if not flag.required]),
    ):
        if chosen:
            lines += [title, *(line for flag in chosen for line in _flag(flag)), ""]
    lines += [
        "A list is given by repeating its flag, an object as JSON or by its members; a value may be @FILE,",
        "or - for stdin. --arguments takes all of them as JSON. terse cli --help says more.",
    ]
    return _safe("\n".join(lines) + "\n")


def _call(tool: Tool) -> str:
    return " ".join((kebab(tool.name), *(flag.name for flag in Flags(tool.schema).required)))


def _noun(flag: Flag) -> str:
    return (flag.path[-1] if flag.kinds != ("boolean",) else "true|false").upper().replace("-", "_")


def _flag(flag: Flag) -> Iterator[str]:
    head = f"  {flag.name}"
    if flag.is_switch:
        head += f", --no-{flag.name[2:]}"
    facts = [_type(flag)]
    if flag.schema.get("default") is not None:
        facts.append(f"default {_cut(written(flag.schema['default']))}")
    facts += _bounds(flag.schema)
    yield f"{head}  ({'; '.join(facts)})"
    said = flag.schema.get("description")
    if is_text(said) and said.strip():
        yield from (f"      {line}" for line in _wrapped(said, WIDTH - 6))


def _type(flag: Flag) -> str:
    if flag.kinds != ("array",):
        return described(flag)
    items = flag.schema.get("items")
    if flag.choices or not isinstance(items, dict):
        return described(flag).replace("array", "list") + "; may be repeated"
    kind = items.get("type")
    members = items.get("properties")
    if isinstance(members, dict) and members:
        return f"list of objects with {', '.join(members)}; may be repeated"
    return f"list{f' of {kind}' if is_text(kind) else ''}; may be repeated"


_BOUNDS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "over {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "under {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "{} characters or more"),
    ("maxLength", "{} characters at most"),
    ("pattern", "like {}"),
    ("format", "{}"),
    ("minItems", "{} or more"),
    ("maxItems", "{} at most"),
)


def _bounds(schema: Schema) -> list[str]:
    return [text.format(_cut(written(schema[word]))) for word, text in _BOUNDS if word in schema]


def _wrapped(text: str, width: int = WIDTH) -> list[str]:
    first, _, rest = text.strip().partition("\n")
    text = f"{first}\n{textwrap.dedent(rest)}"
    if len(text) > MAX_SAID:
        text = f"{text[:MAX_SAID]}…"
    lines: list[str] = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return lines


def _cut(line: str) -> str:
    return line if len(line) <= MAX_ROW else f"{line[:MAX_ROW]}…"


def _safe(text: str) -> str:
    """What a server says of itself cannot move the cursor of a terminal, or change its colours."""
    return "".join(sign if sign.isprintable() or sign == "\n" else dump([sign])[2:-2] for sign in text)
