"""The answer to a tool call: which of its texts the model reads, and how to replace them in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from terse.payload.blocks import PLAIN
from terse.proxy.spans import MALFORMED, Span, encode_string, member, members, objects, string

if TYPE_CHECKING:
    from terse.proxy.rewriting import Rewriter
    from terse.proxy.wire import JsonRpcId, ToolCall


class TextPart(NamedTuple):
    """One text of a result that the model reads: where its JSON string lies in the message, and the text."""

    span: Span
    text: str


class Answer:
    """A message from the server that answers a call of a tool.

    Nothing but the envelope was looked at when this is made; `texts` looks into the result.

    Attributes:
        message: the message's bytes as they came, line end included.
        tool: the name of the tool that was called.
        arguments: the call's arguments as JSON text; `{}` if it had none.
        number: which call of its tool it answers, from 1; None if nobody counted.
        client: the name of the client that called, as it gives it.
        call: the call, where it was seen.
        request: the id of the request that it answers, where that is known.
    """

    __slots__ = (
        *("_result", "_structure", "arguments", "call", "client", "message", "number", "request", "tool"),
    )

    def __init__(
        self,
        message: bytes,
        structure: bytes,
        result: Span,
        tool: str,
        arguments: bytes,
        number: int | None = None,
        client: str | None = None,
        call: ToolCall | None = None,
        request: JsonRpcId | None = None,
    ) -> None:
        self.message = message
        self.request = request
        self.call = call
        self.client = client
        self._structure = structure
        self.tool = tool
        self.arguments = arguments
        self.number = number
        self._result = result

    def touched_by(self, rewriter: Rewriter) -> bool:
        """Whether the rewriter could change it."""
        return rewriter.touches(self.tool, len(self.message))

    def rewritten_by(self, rewriter: Rewriter) -> bytes:
        """What the rewriter makes of it."""
        return rewriter.rewrite(self)

    def whole_result(self) -> bytes | None:
        """The tool's result as it came; None where it is not complete, or not what MCP says a result is."""
        try:
            if self._complete_result() is None:
                return None
            span = self._result
            found = members(self._structure, *span)
            if "content" not in found and "taskId" in found and "result" in found:
                span = found["result"]
            return self._bytes(span)
        except MALFORMED:
            return None

    def texts(self) -> tuple[list[TextPart], bool]:
        """The texts a plan may rewrite, in order, and whether the result says `isError`.

        These are the text blocks of `content` and the texts of embedded resources in it, but for blocks that
        are meant for the user alone. `structuredContent` is left as it is. A result that is not complete
        (input required, a task under way), or not what MCP says a result is, has no texts.
        """
        try:
            result = self._complete_result()
            if result is None or "content" not in result:
                return [], False
            parts = list(self._content_texts(result["content"]))
            return parts, "isError" in result and self._bytes(result["isError"]) == b"true"
        except MALFORMED:
            return [], False

    def with_texts(self, replacements: Mapping[Span, str], *, without_structured: bool = False) -> bytes:
        """The message with the strings at the spans replaced; every other byte is the one that came.

        Args:
            without_structured: the member `structuredContent` is left out.

        Raises:
            ValueError: a text cannot be written as JSON so that it reads back as it is.
        """
        pieces = {span: _encoded(text) for span, text in replacements.items()}
        return self._spliced(pieces, without_structured)

    def is_texts_alone(self) -> bool:
        """Whether each block of the result is one of its `texts`, and says nothing more: then one text can
        stand for all of them."""
        try:
            result = self._complete_result()
            if result is None or "content" not in result:
                return False
            return all(
                block.keys() == PLAIN
                and string(self.message, block["type"]) == "text"
                and any(self._text(block["text"]))
                for block in objects(self._structure, result["content"])
            )
        except MALFORMED:
            return False

    def with_one_text(self, text: str, *, without_structured: bool = False) -> bytes:
        """The message with one text block in place of all its blocks.

        Args:
            without_structured: as in `with_texts`.

        Raises:
            ValueError: the text cannot be written as JSON so that it reads back as it is.
        """
        result = self._complete_result()
        assert result is not None, "INVARIANT: only a result of texts alone is written as one"
        piece = b'[{"type":"text","text":' + _encoded(text) + b"}]"
        return self._spliced({result["content"]: piece}, without_structured)

    def _spliced(self, pieces: dict[Span, bytes], without_structured: bool) -> bytes:
        result = self._complete_result() if without_structured else None
        if result is not None:
            pieces = {**pieces, member(self.message, result, "structuredContent"): b""}
        message = memoryview(self.message)
        spliced: list[bytes | memoryview] = []
        position = 0
        for span in sorted(pieces):
            spliced += (message[position : span.start], pieces[span])
            position = span.end
        spliced.append(message[position:])
        return b"".join(spliced)

    def structured(self) -> Span | None:
        """Where the value of `structuredContent` lies; None where there is none, it is null, or an error."""
        try:
            result = self._complete_result()
        except MALFORMED:
            return None
        if result is None or "structuredContent" not in result:
            return None
        span = result["structuredContent"]
        is_error = "isError" in result and self._bytes(result["isError"]) != b"false"
        return None if is_error or self._bytes(span) == b"null" else span

    def _bytes(self, span: Span) -> bytes:
        return self.message[span.start : span.end]

    def _complete_result(self) -> dict[str, Span] | None:
        """The members of the tool's result, or None if it is not complete.

        In the tasks extension of 2026-07-28 the tool's result is the `result` member of what `tasks/get`
        answers, once the task is completed.
        """
        result = members(self._structure, *self._result)
        if not self._says_complete(result):
            return None
        if "content" not in result and "taskId" in result and "result" in result:
            result = members(self._structure, *result["result"])
            return result if self._says_complete(result) else None
        return result

    def _says_complete(self, result: dict[str, Span]) -> bool:
        return "resultType" not in result or string(self.message, result["resultType"]) == "complete"

    def _content_texts(self, content: Span) -> Iterator[TextPart]:
        for block in objects(self._structure, content):
            if "type" not in block or self._is_for_the_user_only(block):
                continue
            kind = string(self.message, block["type"])
            if kind == "text" and "text" in block:
                yield from self._text(block["text"])
            elif kind == "resource" and "resource" in block:
                resource = members(self._structure, *block["resource"])
                if "text" in resource:
                    yield from self._text(resource["text"])

    def _text(self, span: Span) -> Iterator[TextPart]:
        # One text that is not valid (UTF-8, say) is no reason to leave the others.
        try:
            yield TextPart(span, string(self.message, span))
        except MALFORMED:
            return

    def _is_for_the_user_only(self, block: dict[str, Span]) -> bool:
        if "annotations" not in block:
            return False
        try:
            annotations = members(self._structure, *block["annotations"])
        except MALFORMED:
            return False
        return (
            "audience" in annotations
            and b"".join(self._bytes(annotations["audience"]).split()) == b'["user"]'
        )


def _encoded(text: str) -> bytes:
    encoded = encode_string(text)
    if string(encoded, Span(0, len(encoded))) != text:
        raise ValueError("the text does not read back from JSON as it is")
    return encoded
