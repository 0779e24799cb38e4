"""A call as the rule language writes it, `server/tool(argument: value)`: of `call` lines and of `--call`."""

from __future__ import annotations

import re

from terse.language import syntax
from terse.language.parse import parse_text
from terse.payload.call import Call
from terse.payload.exact import JsonValue, Number, is_number
from terse.source import Source

SHAPE = "write server/tool(argument: value, …), or server/tool"

_NO_ARGUMENTS = re.compile(r"\(\s*\)\s*\Z")
"""Parentheses around nothing, as programmers write a call."""

# The language has calls only in tests, so a call on its own is read as the one line of one.
_BEFORE = 'terse 1\ntest "a call" {\n  call '
_AFTER = "\n}\n"
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}


class BadCall(ValueError):  # noqa: N818 — says what the text is
    """The text is no call. The message says what is wrong, where, and what to write; one line."""


def parse_call(text: str) -> Call:
    """The call that `text` writes.

    Raises:
        BadCall: it is none, or it names more than one tool.
    """
    if not text.strip():
        raise BadCall(f"it is empty: {SHAPE}")
    written = _NO_ARGUMENTS.sub("", text) if text.count("(") == 1 else text
    parsed = parse_text(Source("--call", f"{_BEFORE}{written}{_AFTER}"))
    for diagnostic in parsed.diagnostics:
        at = min(max(diagnostic.primary.span.start - len(_BEFORE), 0), len(text)) + 1
        raise BadCall(f"{diagnostic.message} at character {at}: {SHAPE}")
    match parsed.file.items:
        case (syntax.Test(lines=(syntax.CallLine() as line,)),):
            return call_of(line)
    raise BadCall(f"it is more than one call: {SHAPE}")


def call_of(line: syntax.CallLine) -> Call:
    """The call that a `call` line makes.

    Raises:
        BadCall: its server or tool is a pattern, or an argument stands twice.
    """
    for name in (line.pattern.server, line.pattern.tool):
        if "*" in name:
            raise BadCall(f"`{name}` is a pattern, and a call has one server and one tool: {SHAPE}")
    return Call(line.pattern.server, line.pattern.tool, _members(line.arguments))


def value_of(value: syntax.Value) -> JsonValue:
    """The JSON value: a bare word is a number, `true`, `false` or `null` where it is spelt so, else a text.

    Raises:
        BadCall: an object names a member twice.
    """
    match value:
        case syntax.ListValue(items=items):
            return [value_of(item) for item in items]
        case syntax.ObjectValue(members=members):
            return _members(members)
        case syntax.Bare(text=text) if text in _WORDS:
            return _WORDS[text]
        case syntax.Bare(text=text) if is_number(text):
            return Number(text)
    return value.text


def _members(arguments: tuple[syntax.Argument, ...]) -> dict[str, JsonValue]:
    members: dict[str, JsonValue] = {}
    for argument in arguments:
        if argument.name.text in members:
            raise BadCall(f"`{argument.name.text}` stands in it twice: {SHAPE}")
        members[argument.name.text] = value_of(argument.value)
    return members
