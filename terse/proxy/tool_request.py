"""A call of a tool as the client asks for it: by another name, with other arguments, or answered by us."""

from __future__ import annotations

from terse.proxy.retrieval import Given, OwnCall, Refused
from terse.proxy.spans import MALFORMED, Span, encode_string, envelope, members, string


class Unclear(ValueError):  # noqa: N818 — says what the message is
    """The message could be a call, and is none that everybody reads alike."""


class ToolRequest:
    """A `tools/call` request.

    Attributes:
        name: the tool that is called.
        arguments: as JSON text.
    """

    def __init__(
        self, message: bytes, structure: bytes, found: dict[str, Span], params: dict[str, Span]
    ) -> None:
        """
        Raises:
            MALFORMED, KeyError: it names no tool.
        """
        self.name = string(message, params["name"])
        span = params.get("arguments")
        self.arguments = b"{}" if span is None else message[span.start : span.end]
        self._message = message
        self._structure = structure
        self._found = found
        self._params = params

    @classmethod
    def read(cls, message: bytes) -> ToolRequest | None:
        """The call that a message is; None if it is another message.

        Raises:
            Unclear: see there.
        """
        try:
            structure, found = envelope(message)
            if "method" not in found or string(message, found["method"]) != "tools/call":
                return None
            return cls(message, structure, found, members(structure, *found["params"]))
        except (*MALFORMED, KeyError):
            raise Unclear from None

    def to(self, tool: str, arguments: bytes | None = None) -> bytes:
        """The request as one of another tool; every other byte as it came.

        Args:
            arguments: as JSON text; its own, if None.
        """
        edits = [(self._params["name"], encode_string(tool))]
        if arguments is not None:
            edits.append((self._params["arguments"], arguments))
        pieces: list[bytes] = []
        position = 0
        for span, text in sorted(edits):
            pieces += (self._message[position : span.start], text)
            position = span.end
        return b"".join((*pieces, self._message[position:]))

    def argument(self, name: str) -> bytes:
        """The JSON text of one of its arguments.

        Raises:
            MALFORMED, KeyError: the arguments are no object, or have none of this name.
        """
        span = members(self._structure, *self._params["arguments"])[name]
        return self._message[span.start : span.end]

    def answered(self, answer: Given | Refused) -> bytes:
        """The message that answers it; empty where none is asked for."""
        if "id" not in self._found:
            return b""
        meta = members(self._structure, *self._params["_meta"]) if "_meta" in self._params else {}
        is_modern = "io.modelcontextprotocol/protocolVersion" in meta
        identifier = self._message[slice(*self._found["id"])]
        return OwnCall(identifier, self.name, self.arguments, is_modern=is_modern).answer(answer)
