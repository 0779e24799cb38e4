"""The proxy's own tool: it gives what was set aside. Its definition, calls of it, and their answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from terse.fields.marks import RETRIEVE
from terse.memory.store import Store
from terse.payload.exact import JsonValue, NotExact, dump, parse
from terse.proxy.spans import MALFORMED, encode_string, envelope, members, string

if TYPE_CHECKING:
    from terse.proxy.rewriting import Rewriter
    from terse.proxy.wire import ToolCall

PAGE_TOKENS = 20_000
PAGE_CHARACTERS = 45_000
"""Bounds of one answer. Claude Code cuts a result at 25,000 tokens and moves one of over 50,000 characters
to a file (docs of October 2026; issues 42869 and 45766 of github.com/anthropics/claude-code)."""

LONG_PIECE = 2_000
"""Characters of a line or row beyond which a search gives what stands around the text only."""

_RANGE = re.compile(r"\s*([0-9]{1,12})\s*(?:(-|–|\.\.|:)\s*([0-9]{1,12})?)?\s*")
_UNITS = ("lines", "rows", "characters")
_ARGUMENTS = frozenset(("handle", "search", *_UNITS))
_DESCRIPTION = (
    "Gives the original of what a tool result says was set aside, such as "
    "`[4,110 characters set aside: {name} h482913007]`. Whole, or a part of it."
)
_PROPERTIES = {
    "handle": "h and nine digits, as the result has it",
    "lines": "only these lines: 20-80, 20 or 20-",
    "rows": "only these rows of a list: 1-50",
    "characters": "only these characters: 1-4000",
    "search": "only lines (of a list: rows) that contain this text, with their numbers",
}


def free_name(taken: Collection[str]) -> str:
    """The tool's name: one that no tool of the server has."""
    name, number = RETRIEVE, 1
    while name in taken:
        number += 1
        name = f"{RETRIEVE}_{number}"
    return name


def definition(name: str) -> str:
    """The tool as `tools/list` has it: JSON text, the same for the same name."""
    properties = {key: {"type": "string", "description": said} for key, said in _PROPERTIES.items()}
    tool = {
        "name": name,
        "description": _DESCRIPTION.format(name=name),
        "inputSchema": {"type": "object", "properties": properties, "required": ["handle"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    return json.dumps(tool, separators=(",", ":"))


class OwnCall:
    """A call of the tool.

    Attributes:
        message: what is sent if it cannot be answered in time.
        tool: the name that was called.
        arguments: as JSON text.
        client, call: not known.
    """

    client: str | None = None
    call: ToolCall | None = None

    def __init__(self, identifier: bytes, tool: str, arguments: bytes, *, is_modern: bool) -> None:
        """
        Args:
            identifier: the request's id, as the client spelt it.
            is_modern: the request is one of 2026-07-28 or later, in which a result says that it is complete.
        """
        self.tool = tool
        self.arguments = arguments
        self._identifier = identifier
        self._is_modern = is_modern
        self.message = self.answer(Refused(f"{tool} is busy: call it again."))

    def touched_by(self, rewriter: Rewriter) -> bool:
        """It is: nobody else answers."""
        return True

    def rewritten_by(self, rewriter: Rewriter) -> bytes:
        """The answer."""
        return rewriter.retrieve(self)

    def answer(self, given: Given | Refused) -> bytes:
        """The message that answers the call."""
        texts = given.texts if isinstance(given, Given) else [str(given)]
        blocks = b",".join(b'{"type":"text","text":' + encode_string(text) + b"}" for text in texts)
        complete = b'"resultType":"complete",' if self._is_modern else b""
        error = b',"isError":true' if isinstance(given, Refused) else b""
        return b"".join(
            (
                b'{"jsonrpc":"2.0","id":',
                self._identifier,
                b',"result":{',
                complete,
                b'"content":[',
                blocks,
                b"]",
                error,
                b"}}\n",
            )
        )


def own_call(message: bytes, tool: str) -> OwnCall | None:
    """The call of our tool that the message is; None if it is another message."""
    try:
        structure, found = envelope(message)
        if string(message, found["method"]) != "tools/call" or "id" not in found:
            return None
        params = members(structure, *found["params"])
        if string(message, params["name"]) != tool:
            return None
        meta = members(structure, *params["_meta"]) if "_meta" in params else {}
    except (*MALFORMED, KeyError):
        return None
    arguments = message[slice(*params["arguments"])] if "arguments" in params else b"{}"
    identifier = message[slice(*found["id"])]
    return OwnCall(identifier, tool, arguments, is_modern="io.modelcontextprotocol/protocolVersion" in meta)


class Given(NamedTuple):
    """What the tool gives: the text that was asked for, then what there is to say about it."""

    texts: list[str]


class Refused(Exception):  # noqa: N818 — says what happened to the call
    """The tool cannot give that. The message is for the model: one sentence that says what to do."""


class _Part(NamedTuple):
    """Lines or rows `first` to `last`, counted from 1, of a text that has `of` of them."""

    unit: str
    pieces: list[str]
    first: int
    last: int
    of: int


class _Asker(NamedTuple):
    """What is needed to say how the next page is asked for."""

    handle: str
    tool: str
    count: Callable[[str], int]

    def next_page(self, unit: str, first: int, end: int, of: int, last: int) -> str:
        rest = f"{end + 1}-" if last == of else f"{end + 1}-{last}"
        return (
            f"[{unit} {first:,} to {end:,} of {of:,}; for the next call {self.tool} with "
            f'"handle": "{self.handle}", "{unit}": "{rest}"]'
        )


def retrieve(raw: bytes, store: Store, count: Callable[[str], int], tool: str) -> Given:
    """What a call of the tool gives.

    Args:
        raw: the arguments, as JSON text.
        count: tokens of a text.
        tool: the tool's name, for what is said.

    Raises:
        Refused: there is no such handle, or the arguments make no sense.
    """
    arguments = _arguments(raw)
    handle = arguments["handle"]
    text = store.get(handle)
    if text is None:
        raise Refused(
            f"Nothing is kept under {handle[:40]}: check it, or call the tool again whose result had it."
        )
    asker = _Asker(handle, tool, count)
    units = [unit for unit in _UNITS if unit in arguments]
    if len(units) > 1:
        raise Refused(f"Give only one of {', '.join(units)}.")
    if units == ["characters"]:
        if "search" in arguments:
            raise Refused("Search within lines or rows, not within characters.")
        first, last = _range(arguments["characters"], "characters", len(text))
        return _characters(text, first, last, asker)
    if not arguments.keys() - {"handle"} and _taken(text, count) == len(text):
        return Given([text])
    rows = None if units == ["lines"] else _rows(text)
    if units == ["rows"] and rows is None:
        raise Refused(f"{handle} is no list, so it has no rows: ask for lines or characters.")
    unit, pieces = ("lines", _lines(text)) if rows is None else ("rows", rows)
    first, last = _range(arguments[unit], unit, len(pieces)) if units else (1, len(pieces))
    part = _Part(unit, pieces[first - 1 : last], first, last, len(pieces))
    if "search" in arguments:
        return Given([_found(part, arguments["search"], count)])
    taken = _taken_pieces(part, count)
    if not taken:
        # One line or row alone is longer than an answer.
        before = sum(map(len, pieces[: first - 1])) + (first if unit == "rows" else 0)
        end = before + sum(map(len, part.pieces)) + (last - first if unit == "rows" else 0)
        return _characters(text, before + 1, end, asker)
    given, end = _joined(unit, part.pieces[:taken]), first + taken - 1
    return Given([given] if end == last else [given, asker.next_page(unit, first, end, part.of, last)])


def _arguments(raw: bytes) -> dict[str, str]:
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not isinstance(given.get("handle"), str):
        raise Refused('Say which handle: {"handle": "h482913007"}.')
    unknown = [str(key)[:40] for key in given if key not in _ARGUMENTS]
    if unknown:
        raise Refused(f"There is no argument {unknown[0]}: use handle, lines, rows, characters and search.")
    # A line number may well come as a number.
    return {key: str(value) for key, value in given.items() if value not in (None, "")}


def _range(said: str, unit: str, count: int) -> tuple[int, int]:
    """
    Raises:
        Refused: it is no range, or lies beyond the end.
    """
    found = _RANGE.fullmatch(said)
    if found is None or int(found[1]) < 1 or (found[3] and int(found[3]) < int(found[1])):
        raise Refused(f"Write {unit} as 20-80, 20 or 20-, counted from 1.")
    first = int(found[1])
    last = first if found[2] is None else int(found[3]) if found[3] else count
    if first > count:
        raise Refused(f"There are {count:,} {unit}: ask for some of these.")
    return first, min(last, count)


def _lines(text: str) -> list[str]:
    """The lines with their ends: joined, they are the text. Only "\\n" ends one."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last or not lines else [])


def _rows(text: str) -> list[str] | None:
    """The rows of a JSON list, each as it stands in it; None if the text is no compact list."""
    if not text.startswith("["):
        return None
    try:
        value: JsonValue = parse(text)
    except NotExact:
        return None
    if not isinstance(value, list) or len(value) < 2:
        return None
    rows = [_dump(row) for row in value]
    return rows if f"[{','.join(rows)}]" == text else None


def _dump(row: JsonValue) -> str:
    # As a list of one: what is written of a value by itself may be no JSON text.
    return dump([row])[1:-1]


def _joined(unit: str, pieces: list[str]) -> str:
    return f"[{','.join(pieces)}]" if unit == "rows" else "".join(pieces)


def _characters(text: str, first: int, last: int, asker: _Asker) -> Given:
    asked = text[first - 1 : last]
    taken = _taken(asked, asker.count)
    if taken == len(asked):
        return Given([asked])
    end = first + taken - 1
    return Given([asked[:taken], asker.next_page("characters", first, end, len(text), last)])


def _taken(text: str, count: Callable[[str], int]) -> int:
    """How many of its characters one answer holds; one at least."""
    taken = min(len(text), PAGE_CHARACTERS)
    # A token is a byte at least, and a character has four bytes at most.
    while taken > PAGE_TOKENS // 4 and (tokens := count(text[:taken])) > PAGE_TOKENS:
        taken = min(taken - 1, taken * PAGE_TOKENS // tokens)
    return taken


def _taken_pieces(part: _Part, count: Callable[[str], int]) -> int:
    """How many of the pieces one answer holds."""
    taken = size = 0
    for piece in part.pieces:
        size += len(piece) + 1
        if size > PAGE_CHARACTERS:
            break
        taken += 1
    while taken and (tokens := count(_joined(part.unit, part.pieces[:taken]))) > PAGE_TOKENS:
        taken = min(taken - 1, taken * PAGE_TOKENS // tokens)
    return taken


def _found(part: _Part, wanted: str, count: Callable[[str], int]) -> str:
    """The pieces that contain the text, each with its number."""
    hits = [number for number, piece in enumerate(part.pieces, part.first) if wanted in piece]
    if not hits:
        return f"None of the {len(part.pieces):,} {part.unit} contains it. Upper and lower case differ."
    said = [f"{number}: {_around(part.pieces[number - part.first], wanted)}" for number in hits]
    kept = _taken_pieces(_Part("lines", said, 1, len(said), len(said)), count)
    said = [line.removesuffix("\n") for line in said[:kept]]
    if kept < len(hits):
        said.append(
            f"[{len(hits) - kept:,} more from {part.unit[:-1]} {hits[kept]:,} on: search with "
            f'"{part.unit}": "{hits[kept]}-"]'
        )
    return "\n".join(said)


def _around(piece: str, wanted: str) -> str:
    """A piece that was found; of a very long one, what stands around the text."""
    if len(piece) <= LONG_PIECE:
        return piece
    at = piece.index(wanted)
    start, end = max(0, at - LONG_PIECE // 4), at + len(wanted) + LONG_PIECE // 4
    return f"(its characters {start + 1:,} to {min(end, len(piece)):,}) {piece[start:end]}"
