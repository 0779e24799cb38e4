"""`structuredContent` and the texts beside it: whether they say the same, and which of them is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from terse.payload.exact import JsonValue, NotExact, dump, parse, parse_unambiguous
from terse.payload.sample import Sample
from terse.proxy.clients import Shown


def document(raw: bytes) -> JsonValue | None:
    """The object or list that `structuredContent` is; None for what cannot be carried exactly."""
    try:
        return parse_unambiguous(raw.decode())
    except (NotExact, UnicodeDecodeError):
        return None


def shown_texts(result: Mapping[str, JsonValue], shows: Shown) -> Sequence[str]:
    """What a client shows its model of a result: its texts, or `structuredContent` where that is there."""
    content = result.get("structuredContent")
    if shows == "structured" and content is not None:
        # As a list of one: what is written of a value by itself may be no JSON text.
        return (dump([content])[1:-1],)
    return Sample.of(dump({"content": result.get("content", [])})).texts


def says_the_same(document: JsonValue, texts: Sequence[str]) -> bool:
    """Whether the texts hold all of the document, to the spelling of numbers.

    One text holds it that is its JSON; or that is its only value, as JSON or, of a string, as the string
    itself (`{"result": "…"}`). Several texts hold it that are, one for one, the items of that value.
    """
    if len(texts) == 1 and _is(document, texts[0]):
        return True
    if not isinstance(document, dict) or len(document) != 1:
        return False
    (value,) = document.values()
    if len(texts) == 1 and _is(value, texts[0]):
        return True
    return (
        isinstance(value, list)
        and len(value) == len(texts)
        and all(_is(item, text) for item, text in zip(value, texts, strict=True))
    )


def _is(value: JsonValue, text: str) -> bool:
    if type(value) is str:
        return value == text
    if isinstance(value, (dict, list)):
        try:
            return parse(text) == value
        except NotExact:
            return False
    return dump([value]) == f"[{text}]"
