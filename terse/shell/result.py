"""The result of a call as a command's output."""

from __future__ import annotations

import binascii
import json

from terse.payload.exact import NotExact, dump, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Blob:
    """An image, a sound, a file.

    Attributes:
        kind: its media type.
        data: its bytes; None where they are not what they are said to be.
        name: what the server calls it; "" without a name.
    """

    __slots__ = ("data", "kind", "name")

    def __init__(self, kind: object, data: object, name: object = "") -> None:
        self.kind = kind if isinstance(kind, str) and kind else "application/octet-stream"
        self.name = name if isinstance(name, str) else ""
        try:
            self.data = binascii.a2b_base64(data, strict_mode=True) if isinstance(data, str) else None
        except (binascii.Error, ValueError):
            self.data = None


class Output:
    """What is printed of a result.

    Attributes:
        text: its texts, one under the other, each with a line end.
        blobs: what is no text.
        is_error: the tool says that it failed.
    """

    __slots__ = ("blobs", "is_error", "text")

    def __init__(self, raw: bytes, result: dict[str, Any]) -> None:
        """
        Args:
            raw: the message that has the result.
        """
        self.is_error = result.get("isError") is True
        self.blobs: list[Blob] = []
        content = result.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [text for block in blocks if (text := self._text(block)) is not None]
        if not blocks and "structuredContent" in result:
            texts.append(structured(raw))
        self.text = "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)

    def _text(self, block: object) -> str | None:
        if not isinstance(block, dict):
            return None
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            return str(block["text"])
        if kind in ("image", "audio"):
            self.blobs.append(Blob(block.get("mimeType"), block.get("data")))
            return None
        if kind == "resource_link":
            return f"{block.get('name', 'resource')}: {block.get('uri', '')}"
        resource = block.get("resource")
        if kind == "resource" and isinstance(resource, dict):
            if isinstance(resource.get("text"), str):
                return str(resource["text"])
            self.blobs.append(Blob(resource.get("mimeType"), resource.get("blob"), resource.get("uri")))
            return None
        return _spelt(block)


def whole(raw: bytes) -> str:
    """The whole result of a message, as JSON on one line; numbers are spelt as the server spelt them."""
    try:
        return dump(_member(raw, "result"))
    except NotExact:
        # Nested deeper than is carried exactly.
        return _spelt(json.loads(raw)["result"])


def structured(raw: bytes) -> str:
    """The `structuredContent` of a message's result, as JSON on one line."""
    try:
        return dump([_member(raw, "result")["structuredContent"]])[1:-1]
    except NotExact:
        return _spelt(json.loads(raw)["result"]["structuredContent"])


def _member(raw: bytes, name: str) -> Any:
    message = parse(raw.decode("utf-8", "surrogatepass"))
    assert isinstance(message, dict), "it was read as one before"
    return message[name]


def _spelt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
