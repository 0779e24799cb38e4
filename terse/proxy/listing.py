"""The tools as the client knows them: what it is shown of each, and which of the server's a call means."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple

import msgspec

from terse.listing.arguments import mistake, nearest
from terse.listing.choice import Treatment, treatment, upstream_name
from terse.listing.definition import Definition, compact
from terse.listing.in_place import shown
from terse.listing.schema import is_text
from terse.listing.wrapped import Wrapped, found, invocation, names_for, wrappers
from terse.payload.exact import JsonValue, NotExact, dump, parse_unambiguous
from terse.plan.glob import matches
from terse.plan.model import ToolsBlock
from terse.proxy.retrieval import Given, Refused
from terse.proxy.spans import MALFORMED
from terse.proxy.tool_request import ToolRequest, Unclear

SCHEMA_TOOL = "terse_schema"
_SCHEMA_TOOL_SAYS = "Gives a tool's whole description and arguments, of which the list may have a part."
_BATCH = msgspec.json.Decoder(list[msgspec.Raw])

_NAMED = re.compile(rb'"name"[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\\\]|\\\\.)*")')

MAX_TOOLS = 4096
"""Tools whose treatment is remembered: no server has so many."""


class Request(NamedTuple):
    """What becomes of a message from the client.

    Attributes:
        to_server: what is forwarded in its place; nothing, if empty.
        to_client: the answers that we give.
        what, tool: what was answered, and about which tool; of several, what the first one was.
    """

    to_server: bytes
    to_client: bytes = b""
    what: Literal["definition", "refusal"] | None = None
    tool: str = ""


class _Listed(NamedTuple):
    """A tool that the server has listed.

    Attributes:
        treatment: what is done with it; None if no block speaks of it.
        is_shortened: in place, the client is shown less than there is.
    """

    definition: Definition
    treatment: Treatment | None
    is_shortened: bool


class _Made(NamedTuple):
    """A tool's JSON as it is sent, None if it is not; and as it is at `low`, in place."""

    shown: bytes | None
    plain: bytes | None


class Received(NamedTuple):
    """A tool of a page.

    Attributes:
        raw: its JSON as it came.
        with_output: its `outputSchema` stays.
        is_app: it has a user interface, which its client finds by the tool (MCP Apps): it stays in place.
    """

    name: str
    raw: bytes
    with_output: bool
    is_app: bool = False


class Listing:
    """The `tools` blocks of one connection, and the definitions that the server gave.

    The working thread shows pages, the client's thread asks about calls: each reads and sets single entries
    of what they share.

    Args:
        offers: the client may be offered a tool of ours. If not, what is left out could not be fetched, and
            every tool is shown as at `low`.
        say: told what a user should know, under a word for what it is about.
        shown_as: the client's name of a tool that is shown by this one, where somebody puts the server's name
            before it; None where nobody does.
    """

    def __init__(
        self,
        blocks: Sequence[ToolsBlock],
        server: str,
        *,
        offers: bool,
        say: Callable[[str, str], None] | None = None,
        shown_as: Callable[[str], str] | None = None,
    ) -> None:
        self._blocks = [block for block in blocks if any(matches(one.server, server) for one in block.on)]
        self._server = server
        self._offers = offers
        self._say = say
        self._shown_as: Callable[[str], str] = str if shown_as is None else shown_as
        self._before_wrappers = server if shown_as is None else None
        self._listed: dict[str, _Listed] = {}
        # A client may have the list from an earlier session, and call what it has.
        wraps = offers and any(line.how == "wrapped" for block in self._blocks for line in block.present)
        self._wrappers = names_for(self._before_wrappers, ()) if wraps else None
        # The list is shown as at `low`, in place: it is no longer than with tools of ours in it.
        self._is_plain = False
        self._treatments: dict[str, Treatment | None] = {}
        # Those by which the client was shown the names that it knows.
        self._naming = self._blocks

    def under(self, blocks: Sequence[ToolsBlock]) -> Listing:
        """The same tools under other blocks. Until it has a new list, the client calls what it was shown."""
        is_bare = self._before_wrappers is None
        shown_as = self._shown_as if is_bare else None
        made = Listing(blocks, self._server, offers=self._offers, say=self._say, shown_as=shown_as)
        made._naming, made._is_plain = self._naming, self._is_plain
        made._wrappers = made._wrappers if self._wrappers is None else self._wrappers
        made._listed = {
            tool: one._replace(treatment=made._treatment(tool)) for tool, one in list(self._listed.items())
        }
        return made

    def shows_as(self, other: Listing) -> bool:
        """Whether the tools that the server has listed are shown the same under the blocks of both."""
        if not (self.speaks and other.speaks):
            # Of a list that no block speaks of it is not known what is on it.
            return self.speaks == other.speaks
        return all(
            _look(self._treatment(tool)) == _look(other._treatment(tool)) for tool in list(self._listed)
        )

    def passed(self) -> None:
        """A page of a new list was sent as it came, as no block speaks of it."""
        if not self.speaks:
            self._listed, self._naming, self._wrappers = {}, self._blocks, None

    @property
    def speaks(self) -> bool:
        """Whether any block speaks of this server."""
        return bool(self._blocks)

    @property
    def hides(self) -> bool:
        """Whether any tool could be hidden."""
        return any(block.hide or block.show for block in self._blocks)

    def speaks_of(self, tool: str) -> bool:
        """Whether a block speaks of the tool."""
        return self._treatment(tool) is not None

    # ---- the list ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """The first page of a new list comes."""
        self._listed = {}
        self._naming = self._blocks
        self._is_plain = False

    def page(
        self, tools: Sequence[Received], names: Collection[str], *, is_whole: bool, is_last: bool
    ) -> tuple[list[bytes | None], list[bytes]]:
        """What the client is shown of each tool: its JSON, unchanged where no block speaks of it; None of one
        that is hidden, or reached through ours. Then our tools, at the end of the last page.

        Args:
            names: all names of tools on the pages so far.
            is_whole: there is no other page. A list that ours would make longer has none of them.
        """
        made = [self._shown(tool, names) for tool in tools]
        shown = [one.shown for one in made]
        own = self._own_tools() if is_last else []
        if own and is_whole:
            plain = [one.plain for one in made]
            if _cost(plain) <= _cost([*shown, *own]):
                self._is_plain = True
                self._wrappers = None
                return plain, []
        return shown, own

    def _shown(self, received: Received, names: Collection[str]) -> _Made:
        tool, raw, with_output, is_app = received
        treated = self._treatment(tool)
        if treated is not None and is_app:
            treated = treated._replace(presentation="in place")
        is_hidden = treated is not None and treated.hidden_by is not None
        try:
            definition = parse_unambiguous(raw.decode("utf-8", "surrogatepass"))
        except NotExact:
            definition = {}
        if treated is None or not isinstance(definition, dict) or not definition:
            if isinstance(definition, dict) and definition:
                self._listed[tool] = _Listed(definition, treated, False)
            return _Made(None, None) if is_hidden else _Made(raw, raw)
        if is_hidden:
            self._listed[tool] = _Listed(definition, treated, False)
            return _Made(None, None)
        name = tool if treated.name in names else treated.name
        if name != treated.name:
            self._tell(f"rename {tool}", f"{tool} is not renamed: the server has a tool {treated.name}")
        level = treated.level if self._offers else "low"
        try:
            made, low = shown(definition, level, name, with_output=with_output)
        except Exception as error:
            # Of this tool only: what is hidden is not to be shown because another one cannot be read.
            self._tell(f"shown {tool}", f"the tool {tool} is listed as it came: {type(error).__name__}")
            return _Made(raw, raw)

        def written(definition: Definition) -> bytes:
            text = dump(definition).encode("utf-8", "surrogatepass")
            return text if len(text) < len(raw) or name != tool or not with_output else raw

        plain = written(low)
        sent = plain if made is low else written(made)
        self._listed[tool] = _Listed(definition, treated, sent != plain)
        return _Made(None if self._is_wrapped(treated) else sent, plain)

    def _tell(self, kind: str, message: str) -> None:
        if self._say is not None:
            self._say(kind, message)

    def _is_wrapped(self, treated: Treatment) -> bool:
        return self._has_own and treated.presentation == "wrapped"

    @property
    def _has_own(self) -> bool:
        return self._offers and not self._is_plain

    def _own_tools(self) -> list[bytes]:
        made: list[bytes] = []
        if any(self._is_cut(one) for one in list(self._listed.values())):
            made.append(_schema_definition(self._schema_tool))
        wrapped = self._wrapped()
        self._wrappers = names_for(self._before_wrappers, self._listed) if wrapped else None
        if self._wrappers is not None:
            ours = wrappers(self._wrappers, wrapped, self._shown_as)
            made += [dump(one).encode("utf-8", "surrogatepass") for one in ours]
        return made

    def _is_cut(self, one: _Listed) -> bool:
        """Whether the client is shown the tool by itself, and less than there is."""
        treated = one.treatment
        return self._has_own and one.is_shortened and treated is not None and not self._is_wrapped(treated)

    def _wrapped(self) -> list[Wrapped]:
        made: list[Wrapped] = []
        for tool, one in list(self._listed.items()):
            treated = one.treatment
            if treated is not None and treated.hidden_by is None and self._is_wrapped(treated):
                made.append(Wrapped(self._shown_name(tool), one.definition, treated.level))
        return made

    def _shown_name(self, tool: str) -> str:
        """The name that the client knows a listed tool by: its own where another tool has the new one."""
        treated = self._treatment(tool)
        return tool if treated is None or treated.name in self._listed else treated.name

    # ---- calls -------------------------------------------------------------------------------------

    def request(self, message: bytes) -> Request:
        """What becomes of a message from the client: only calls of tools are ever changed or answered."""
        # A letter of the method may be written as an escape.
        is_known = self.speaks or self._naming or self._wrappers is not None
        if not is_known or not (b"tools/call" in message or b"\\" in message):
            return Request(message)
        if message.lstrip()[:1] == b"[":
            return self._batch(message)
        try:
            call = ToolRequest.read(message)
        except Unclear:
            return self._unclear(message)
        return Request(message) if call is None else self._call(call, message)

    def _call(self, call: ToolRequest, message: bytes) -> Request:
        if self._wrappers is not None and call.name == self._wrappers.invoke:
            return self._invoke(call)
        answer = self._own_answer(call.name, call.arguments)
        if answer is None:
            tool = self._upstream(call.name)
            answer = self._refusal(tool, call.name, call.arguments)
            if answer is None:
                return Request(message if tool == call.name else call.to(tool))
        if isinstance(answer, Refused):
            return Request(b"", call.answered(answer), "refusal", call.name)
        arguments = _object(call.arguments) or {}
        asked = next((said for key in ("tool", "tool_name") if is_text(said := arguments.get(key))), "")
        return Request(b"", call.answered(answer), "definition", asked)

    def _invoke(self, call: ToolRequest) -> Request:
        """A call of our tool that calls others: a call of the other one, or what is wrong with it."""
        given = _object(call.arguments)
        schemas = {one.name: one.definition for one in self._wrapped()}
        asked = None if given is None else invocation(given, schemas)
        if asked is None:
            said = 'Say which tool, and with what: {"tool_name": "…", "tool_input": {…}}.'
            return Request(b"", call.answered(Refused(said)), "refusal", call.name)
        tool = self._asked(asked.tool)
        listed = self._listed.get(tool)
        treated = self._treatment(tool)
        if treated is not None and treated.hidden_by is not None:
            said = _hidden(asked.tool)
        elif listed is None and self._listed:
            said = self._no_such_tool(asked.tool)
        else:
            definition = {} if listed is None else listed.definition
            schema = definition.get("inputSchema")
            wrong = mistake(asked.arguments, schema) if isinstance(schema, dict) else None
            if wrong is None:
                arguments = dump(asked.arguments).encode("utf-8", "surrogatepass")
                return Request(call.to(tool, call.argument("tool_input") if asked.is_as_given else arguments))
            whole = compact({**definition, "name": asked.tool})
            said = f"{asked.tool}: {wrong}. Its definition: {whole}"
        return Request(b"", call.answered(Refused(said)), "refusal", asked.tool)

    def _own_answer(self, name: str, raw: bytes) -> Given | Refused | None:
        """What our tools answer that call no other; None of a tool that is not ours."""
        if not self._offers:
            return None
        wrappers = self._wrappers
        if wrappers is not None and name == wrappers.list_tools:
            search = (_object(raw) or {}).get("search")
            return Given([found(self._wrapped(), search if is_text(search) else "")])
        if name == self._schema_tool:
            return self._definition(raw, "tool")
        if wrappers is not None and name == wrappers.get_schema:
            return self._definition(raw, "tool_name")
        return None

    def _definition(self, raw: bytes, argument: str) -> Given | Refused:
        asked = (_object(raw) or {}).get(argument)
        if not is_text(asked):
            return Refused(f'Say which tool: {{"{argument}": "its name"}}.')
        tool = self._asked(asked)
        listed = self._listed.get(tool)
        if listed is None or (listed.treatment is not None and listed.treatment.hidden_by):
            shown_as = self._shown_as if argument == "tool" else str
            return Refused(self._no_such_tool(asked, shown_as))
        return Given([compact({**listed.definition, "name": asked})])

    def _refusal(self, tool: str, name: str, raw: bytes) -> Refused | None:
        found = self._treatment(tool)
        if found is None:
            return None
        if found.hidden_by is not None:
            return Refused(_hidden(self._shown_as(name)))
        listed = self._listed.get(tool)
        if listed is None or not self._is_cut(listed) or found.level not in ("high", "max"):
            return None
        schema = listed.definition.get("inputSchema")
        arguments = _object(raw)
        if arguments is None or not isinstance(schema, dict):
            return None
        wrong = mistake(arguments, schema)
        if wrong is None:
            return None
        shown, schema_tool = self._shown_as(name), self._shown_as(self._schema_tool)
        return Refused(f"{shown}: {wrong}. {schema_tool} gives the whole definition.")

    def _no_such_tool(self, name: str, shown_as: Callable[[str], str] = str) -> str:
        listed = list(self._listed.items())
        names = [
            shown_as(self._shown_name(tool))
            for tool, one in listed
            if one.treatment is None or one.treatment.hidden_by is None
        ]
        meant = nearest(name, names)
        if not listed:
            return f"{name[:80]} is not known yet: the list of tools was not asked for in this session."
        said = f"There is no tool {name[:80]}"
        return f"{said}: did you mean {meant}?" if meant is not None else f"{said}."

    def _upstream(self, name: str) -> str:
        """The server's name of the tool that the client calls by this one."""
        if name in self._listed:
            return name
        shown = upstream_name(self._naming, self._server, name)
        return shown or upstream_name(self._blocks, self._server, name) or name

    def _asked(self, name: str) -> str:
        """The server's name of a tool that a model asks for, maybe with the server's before it."""
        tool = self._upstream(name)
        if tool in self._listed:
            return tool
        for listed in list(self._listed):
            if self._shown_as(self._shown_name(listed)) == name:
                return listed
        rests = [name.rpartition("__")[2], name.rpartition("/")[2]]
        rests += [name[len(self._server) + 1 :]] if name.startswith(self._server) else []
        known = (self._upstream(rest) for rest in rests)
        return next((one for one in known if one in self._listed), tool)

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

    def _batch(self, message: bytes) -> Request:
        """A list of messages, as MCP had them in 2025-03-26: each is looked at by itself."""
        try:
            listed = [bytes(one) + b"\n" for one in _BATCH.decode(message)]
        except MALFORMED:
            return self._unclear(message)
        asked = [self.request(one) for one in listed]
        if all(done == Request(one) for one, done in zip(listed, asked, strict=True)):
            return Request(message)
        rest = [done.to_server.removesuffix(b"\n") for done in asked if done.to_server]
        to_server = b"[" + b",".join(rest) + b"]\n" if rest else b""
        first = next((done for done in asked if done.what is not None), Request(b""))
        return Request(to_server, b"".join(done.to_client for done in asked), first.what, first.tool)

    def _unclear(self, message: bytes) -> Request:
        """A message that some read one way and some another: it must not name a hidden tool."""
        for quoted in _NAMED.findall(message):
            try:
                name = json.loads(quoted)
            except ValueError:
                continue
            treated = self._treatment(self._upstream(name))
            if treated is not None and treated.hidden_by is not None:
                return Request(b"")
        return Request(message)


def _look(treated: Treatment | None) -> tuple[str, ...]:
    """What a client sees of how a tool is treated."""
    if treated is None:
        return ()
    return (
        ("hidden",) if treated.hidden_by is not None else (treated.level, treated.presentation, treated.name)
    )


def _cost(tools: Sequence[bytes | None]) -> int:
    """How long the tools are, of what clients give a model."""
    cost = 0
    for raw in tools:
        if raw is not None:
            try:
                tool = parse_unambiguous(raw.decode("utf-8", "surrogatepass"))
            except NotExact:
                tool = None
            cost += len(compact(tool)) if isinstance(tool, dict) else len(raw)
    return cost


def _hidden(name: str) -> str:
    return f"The tool {name} is hidden by a policy, and cannot be called."


def _schema_definition(name: str) -> bytes:
    tool = {
        "name": name,
        "description": _SCHEMA_TOOL_SAYS,
        "inputSchema": {
            "type": "object",
            "properties": {"tool": {"type": "string"}},
            "required": ["tool"],
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    return json.dumps(tool, separators=(",", ":")).encode()


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
