"""A page of the server's tools: what it says of them, and how the client is shown it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from terse.proxy.spans import Span, member, members, string, whole_objects
from terse.proxy.wire import LISTS

if TYPE_CHECKING:
    from terse.proxy.rewriting import Rewriter
    from terse.proxy.wire import JsonRpcId


class Tool(NamedTuple):
    """A tool on a page.

    Attributes:
        span: where it lies.
        schema: where the member `outputSchema` lies, one of its commas with it; None if there is none.
        is_app: a user interface is shown for its results, made from `structuredContent` (MCP Apps).
    """

    name: str
    span: Span
    schema: Span | None
    is_app: bool


class ToolList:
    """An answer to `tools/list`.

    Attributes:
        message: the message's bytes as they came, line end included.
        is_first: the client asked for the first page.
        client: the client's name, as it gives it.
        request: the id of the request that it answers, where that is known.
    """

    tool = LISTS
    call = None

    def __init__(
        self,
        message: bytes,
        structure: bytes,
        result: Span,
        is_first: bool,
        client: str | None,
        request: JsonRpcId | None = None,
    ) -> None:
        self.request = request
        self.message = message
        self.is_first = is_first
        self.client = client
        self._structure = structure
        self._result = result

    def touched_by(self, rewriter: Rewriter) -> bool:
        """Whether the rewriter could change it."""
        return rewriter.touches_lists(self.client)

    def rewritten_by(self, rewriter: Rewriter) -> bytes:
        """What the rewriter makes of it."""
        return rewriter.rewrite_list(self)

    def tools(self) -> list[Tool]:
        """
        Raises:
            MALFORMED, KeyError: it is no list of tools.
        """
        listed = members(self._structure, *self._result)["tools"]
        return [self._tool(span, found) for span, found in whole_objects(self._structure, listed)]

    def is_last(self) -> bool:
        """Whether no page follows."""
        result = members(self._structure, *self._result)
        return "nextCursor" not in result or self.message[slice(*result["nextCursor"])] == b"null"

    def with_changes(self, taken_out: Iterable[Span], added: Sequence[bytes]) -> bytes:
        """The message without some spans, and with more tools at the end. Every other byte but `cacheScope`
        is as it came.

        Args:
            added: the tools, as JSON.
        """
        edits = [(span, b"") for span in taken_out]
        if added:
            listed = members(self._structure, *self._result)["tools"]
            end = Span(listed.end - 1, listed.end - 1)
            comma = b"," if whole_objects(self._structure, listed) else b""
            edits.append((end, comma + b",".join(added)))
        return self._edited(edits)

    def with_tools(self, tools: Sequence[bytes]) -> bytes:
        """The message with these tools, as JSON, in the place of its own. Every other byte but `cacheScope`
        is as it came."""
        listed = members(self._structure, *self._result)["tools"]
        return self._edited([(listed, b"[" + b",".join(tools) + b"]")])

    def _edited(self, edits: list[tuple[Span, bytes]]) -> bytes:
        result = members(self._structure, *self._result)
        scope = result.get("cacheScope")
        if scope is not None and self.message[slice(*scope)] == b'"public"':
            # What the client is shown depends on its name and on our rules: nobody else is to be served it.
            edits.append((scope, b'"private"'))
        pieces: list[bytes] = []
        position = 0
        for span, text in sorted(edits):
            pieces += (self.message[position : span.start], text)
            position = span.end
        pieces.append(self.message[position:])
        return b"".join(pieces)

    def _tool(self, span: Span, found: dict[str, Span]) -> Tool:
        schema = None
        if "outputSchema" in found and self.message[slice(*found["outputSchema"])] != b"null":
            schema = member(self.message, found, "outputSchema")
        name = string(self.message, found["name"])
        return Tool(name, span, schema, "_meta" in found and self._is_app(found["_meta"]))

    def _is_app(self, span: Span) -> bool:
        if self.message[slice(*span)] == b"null":
            return False
        # Parsed as the client will: what is said twice, or in escapes, is not to be overlooked.
        meta = json.loads(self.message[slice(*span)])
        shown = meta.get("ui")
        return "ui/resourceUri" in meta or (isinstance(shown, dict) and "resourceUri" in shown)
