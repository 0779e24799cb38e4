"""The answer to a tool call: which of its texts the model reads, and how to replace them in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from terse.proxy.spans import MALFORMED, Span, encode_string, members, objects, string


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
    """

    __slots__ = ("_result", "_structure", "arguments", "message", "number", "tool")

    def __init__(
        self,
        message: bytes,
        structure: bytes,
        result: Span,
        tool: str,
        arguments: bytes,
        number: int | None = None,
    ) -> None:
        self.message = message
        self._structure = structure
        self.tool = tool
        self.arguments = arguments
        self.number = number
        self._result = result

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

    def with_texts(self, replacements: Mapping[Span, str]) -> bytes:
        """The message with the strings at the spans replaced; every other byte is the one that came.

        Raises:
            ValueError: a text cannot be written as JSON so that it reads back as it is.
        """
        pieces: list[bytes | memoryview] = []
        message = memoryview(self.message)
        position = 0
        for span in sorted(replacements):
            encoded = encode_string(replacements[span])
            if string(encoded, Span(0, len(encoded))) != replacements[span]:
                raise ValueError("the text does not read back from JSON as it is")
            pieces += (message[position : span.start], encoded)
            position = span.end
        pieces.append(message[position:])
        return b"".join(pieces)

    def with_one_text(self, text: str) -> bytes | None:
        """The message with one text block in place of all its blocks; None where a block is more than a text.

        Raises:
            ValueError: the text cannot be written as JSON so that it reads back as it is.
        """
        result = self._complete_result()
        if result is None or "content" not in result:
            return None
        span = result["content"]
        for block in objects(self._structure, span):
            if block.keys() != {"type", "text"} or string(self.message, block["type"]) != "text":
                return None
        encoded = encode_string(text)
        if string(encoded, Span(0, len(encoded))) != text:
            raise ValueError("the text does not read back from JSON as it is")
        start, end = self.message[: span.start], self.message[span.end :]
        return b"".join((start, b'[{"type":"text","text":', encoded, b"}]", end))

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
