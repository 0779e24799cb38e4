"""The tools as the client knows them: what it is shown of each, and which of the server's a call means."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from terse.listing.arguments import mistake, nearest
from terse.listing.choice import Treatment, treatment, upstream_name
from terse.listing.definition import Definition, compact
from terse.listing.in_place import shown
from terse.payload.exact import JsonValue, NotExact, dump, parse_unambiguous
from terse.plan.glob import matches
from terse.plan.model import ToolsBlock
from terse.proxy.retrieval import Given, OwnCall, Refused
from terse.proxy.spans import MALFORMED, Span, encode_string, envelope, members, string

SCHEMA_TOOL = "terse_schema"
_SCHEMA_TOOL_SAYS = (
    "Gives the full definition of one of these tools, of which only a part is listed: what it does, and its "
    "arguments. Call it before the first use of a tool that is not clear."
)
_CALL = "tools/call"
_BATCH = msgspec.json.Decoder(list[msgspec.Raw])

_NAMED = re.compile(rb'"name"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\\\]|\\\\.)*")')

MAX_TOOLS = 4096
"""Tools whose treatment is remembered: no server has so many."""


class Request(NamedTuple):
    """What becomes of a message from the client.

    Attributes:
        to_server: what is forwarded in its place; nothing, if empty.
        to_client: the answers that we give.
    """

    to_server: bytes
    to_client: bytes = b""


class _Listed(NamedTuple):
    """A tool that the server has listed.

    Attributes:
        treatment: what is done with it; None if no block speaks of it.
        is_shortened: the client was shown less than there is.
    """

    definition: Definition
    treatment: Treatment | None
    is_shortened: bool


class Listing:
    """The `tools` blocks of one connection, and the definitions that the server gave.

    The working thread shows pages, the client's thread asks about calls: each reads and sets single entries
    of what they share.

    Args:
        offers: the client may be offered a tool of ours. If not, what is left out could not be fetched, and
            every tool is shown as at `low`.
    """

    def __init__(self, blocks: Sequence[ToolsBlock], server: str, *, offers: bool) -> None:
        self._blocks = [block for block in blocks if any(matches(one.server, server) for one in block.on)]
        self._server = server
        self._offers = offers
        self._listed: dict[str, _Listed] = {}
        self._treatments: dict[str, Treatment | None] = {}

    @property
    def speaks(self) -> bool:
        """Whether any block speaks of this server."""
        return bool(self._blocks)

    def speaks_of(self, tool: str) -> bool:
        """Whether a block speaks of the tool."""
        return self._treatment(tool) is not None

    # ---- the list ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """The first page of a new list comes."""
        self._listed = {}

    def shown(self, tool: str, raw: bytes, names: Collection[str], *, with_output: bool) -> bytes | None:
        """What the client is shown of a tool: its JSON, unchanged where no block speaks of it; None: nothing.

        Args:
            raw: its JSON as it came.
            names: all names of tools on the pages so far.
            with_output: its `outputSchema` stays.
        """
        found = self._treatment(tool)
        try:
            definition = parse_unambiguous(raw.decode("utf-8", "surrogatepass"))
        except NotExact:
            definition = {}
        if not isinstance(definition, dict) or not definition:
            return None if found is not None and found.hidden_by else raw
        is_shortened = False
        made = raw
        if found is not None and found.hidden_by is None:
            name = tool if found.name in names else found.name
            level = found.level if self._offers else "low"
            text = dump(shown(definition, level, name, with_output=with_output))
            if level != "low":
                is_shortened = text != dump(shown(definition, "low", name, with_output=with_output))
            written = text.encode("utf-8", "surrogatepass")
            if len(written) < len(raw) or name != tool or not with_output:
                made = written
        self._listed[tool] = _Listed(definition, found, is_shortened)
        return None if found is not None and found.hidden_by else made

    def own_tools(self) -> list[bytes]:
        """Our tools that stand at the end of the list."""
        if not any(one.is_shortened for one in list(self._listed.values())):
            return []
        return [
            json.dumps(
                {
                    "name": self._schema_tool,
                    "description": _SCHEMA_TOOL_SAYS,
                    "inputSchema": {
                        "type": "object",
                        "properties": {"tool": {"type": "string", "description": "its name"}},
                        "required": ["tool"],
                    },
                    "annotations": {"readOnlyHint": True, "openWorldHint": False},
                },
                separators=(",", ":"),
            ).encode()
        ]

    # ---- calls -------------------------------------------------------------------------------------

    def request(self, message: bytes) -> Request:
        """What becomes of a message from the client: only calls of tools are ever changed or answered."""
        if not self._may_be_a_call(message):
            return Request(message)
        if message.lstrip()[:1] == b"[":
            return self._batch(message)
        try:
            structure, found = envelope(message)
            if "method" not in found or string(message, found["method"]) != _CALL:
                return Request(message)
            params = members(structure, *found["params"])
            name = string(message, params["name"])
        except (*MALFORMED, KeyError):
            return self._unreadable(message)
        return self._call(message, structure, found, params, name)

    def _call(
        self,
        message: bytes,
        structure: bytes,
        found: dict[str, Span],
        params: dict[str, Span],
        name: str,
    ) -> Request:
        span = params.get("arguments")
        raw = b"{}" if span is None else message[span.start : span.end]
        answer = self._own_answer(name, raw)
        tool = name
        if answer is None:
            tool = self._upstream(name)
            answer = self._refusal(tool, name, raw)
        if answer is not None:
            if "id" not in found:
                return Request(b"")
            meta = members(structure, *params["_meta"]) if "_meta" in params else {}
            is_modern = "io.modelcontextprotocol/protocolVersion" in meta
            identifier = message[slice(*found["id"])]
            return Request(b"", OwnCall(identifier, name, raw, is_modern=is_modern).answer(answer))
        if tool != name:
            at = params["name"]
            return Request(message[: at.start] + encode_string(tool) + message[at.end :])
        return Request(message)

    def _own_answer(self, name: str, raw: bytes) -> Given | Refused | None:
        if not self._offers or name != self._schema_tool:
            return None
        arguments = _object(raw)
        asked = arguments.get("tool") if arguments is not None else None
        if not isinstance(asked, str):
            return Refused('Say which tool: {"tool": "its name"}.')
        tool = self._upstream(asked)
        listed = self._listed.get(tool)
        if listed is None or (listed.treatment is not None and listed.treatment.hidden_by):
            return Refused(self._no_such_tool(asked))
        return Given([compact({**listed.definition, "name": asked})])

    def _refusal(self, tool: str, name: str, raw: bytes) -> Refused | None:
        found = self._treatment(tool)
        if found is None:
            return None
        if found.hidden_by is not None:
            return Refused(f"The tool {name} is hidden by a policy, and cannot be called.")
        listed = self._listed.get(tool)
        if listed is None or not listed.is_shortened or found.level not in ("high", "max"):
            return None
        schema = listed.definition.get("inputSchema")
        arguments = _object(raw)
        if arguments is None or not isinstance(schema, dict):
            return None
        wrong = mistake(arguments, schema)
        if wrong is None:
            return None
        return Refused(f"{name}: {wrong}. {self._schema_tool} gives the whole definition.")

    def _no_such_tool(self, name: str) -> str:
        shown_names = [
            tool if one.treatment is None else one.treatment.name
            for tool, one in list(self._listed.items())
            if one.treatment is None or one.treatment.hidden_by is None
        ]
        meant = nearest(name, shown_names)
        said = f"There is no tool {name[:80]}"
        return f"{said}: did you mean {meant}?" if meant is not None else f"{said}."

    def _upstream(self, name: str) -> str:
        """The server's name of the tool that the client calls by this one."""
        if name in self._listed:
            return name
        return upstream_name(self._blocks, self._server, name) or name

    def _treatment(self, tool: str) -> Treatment | None:
        if tool not in self._treatments:
            found = treatment(self._blocks, self._server, tool)
            if len(self._treatments) >= MAX_TOOLS:
                return found
            self._treatments[tool] = found
        return self._treatments[tool]

    @property
    def _schema_tool(self) -> str:
        name, number = SCHEMA_TOOL, 1
        while name in self._listed:
            number += 1
            name = f"{SCHEMA_TOOL}_{number}"
        return name

    def _may_be_a_call(self, message: bytes) -> bool:
        # A letter of the method may be written as an escape.
        return self.speaks and (b"tools/call" in message or b"\\" in message)

    def _batch(self, message: bytes) -> Request:
        """A list of messages, as MCP had them in 2025-03-26: each is looked at by itself."""
        try:
            listed = [bytes(one) + b"\n" for one in _BATCH.decode(message)]
        except MALFORMED:
            return self._unreadable(message)
        asked = [self.request(one) for one in listed]
        if all(done == Request(one) for one, done in zip(listed, asked, strict=True)):
            return Request(message)
        rest = [done.to_server.removesuffix(b"\n") for done in asked if done.to_server]
        to_server = b"[" + b",".join(rest) + b"]\n" if rest else b""
        return Request(to_server, b"".join(done.to_client for done in asked))

    def _unreadable(self, message: bytes) -> Request:
        """A message that some read one way and some another: it must not name a hidden tool."""
        for found in _NAMED.findall(message):
            try:
                name = json.loads(found)
            except ValueError:
                continue
            treated = self._treatment(self._upstream(name))
            if treated is not None and treated.hidden_by is not None:
                return Request(b"")
        return Request(message)


def _object(raw: bytes) -> dict[str, JsonValue] | None:
    """The arguments of a call; None if they are none that we understand."""
    text = raw.decode("utf-8", "surrogatepass")
    if text.strip() == "null":
        return {}
    try:
        value = parse_unambiguous(text)
    except NotExact:
        return None
    return value if isinstance(value, dict) else None
