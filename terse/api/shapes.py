"""The shapes in which a result is given: where its texts are, and the same shape with other texts.

A text; a list of texts; a list of content blocks; a result with `content`, as a dict or as an object of an
SDK's class. INVARIANT: what was given is never changed: a changed result is a copy, down to the blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from terse.payload.blocks import PLAIN


class NotAResult(TypeError):  # noqa: N818 — says what was given
    """What was given has none of these shapes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A result that was looked at.

    Attributes:
        given: the result.
        texts: those a model reads: of text blocks and of embedded resources, but for the user's alone.
        is_error: it says so itself.
        may_be_one: one text can stand for all of them: there is nothing but texts.
    """

    given: Any
    texts: tuple[str, ...]
    is_error: bool = False
    may_be_one: bool = False

    def with_texts(self, texts: Sequence[str]) -> Any:
        """The result with these texts: as many as it has, or one that stands for all."""
        given = self.given
        if isinstance(given, str):
            return texts[0]
        if not isinstance(given, (list, tuple)):
            blocks = _blocks(_get(given, "content"), texts, self.may_be_one)
            return _with(given, "content", blocks)
        if all(isinstance(item, str) for item in given):
            return list(texts)
        return _blocks(given, texts, self.may_be_one)


def shape_of(result: Any) -> Shape:
    """
    Raises:
        NotAResult: it is none of ours.
    """
    if isinstance(result, str):
        return Shape(result, (result,))
    if isinstance(result, (list, tuple)):
        if all(isinstance(item, str) for item in result):
            return Shape(result, tuple(result), may_be_one=len(result) > 1)
        return _of_blocks(result, result, is_error=False)
    content = _get(result, "content")
    if not isinstance(content, (list, tuple)):
        raise NotAResult(f"{type(result).__name__} is no text, no list and has no list `content`")
    says = _get(result, "resultType")
    if says is not None and says != "complete":
        # Input is required, or a task is under way: there is no result yet.
        return Shape(result, ())
    is_error = _get(result, "isError") is True or _get(result, "is_error") is True
    return _of_blocks(result, content, is_error=is_error)


def _of_blocks(given: Any, blocks: Sequence[Any], *, is_error: bool) -> Shape:
    texts = tuple(text for text in map(_text, blocks) if text is not None)
    alone = len(texts) > 1 and len(texts) == len(blocks) and all(map(_is_plain, blocks))
    return Shape(given, texts, is_error, alone and not is_error)


def _text(block: Any) -> str | None:
    """The text of a block that a model reads; None if it has none."""
    audience = _get(_get(block, "annotations"), "audience")
    if isinstance(audience, (list, tuple)) and [_value(each) for each in audience] == ["user"]:
        return None
    kind = _get(block, "type")
    holder = block if kind == "text" else _get(block, "resource") if kind == "resource" else None
    text = _get(holder, "text")
    return text if isinstance(text, str) else None


def _is_plain(block: Any) -> bool:
    if isinstance(block, Mapping):
        return block.keys() == PLAIN and block["type"] == "text"
    said = {name for name, value in _members(block).items() if value is not None}
    return said == PLAIN and _get(block, "type") == "text"


def _members(block: Any) -> Mapping[str, Any]:
    # What a model of pydantic was given beyond its fields is kept apart from them.
    extra = getattr(block, "__pydantic_extra__", None) or {}
    return {**getattr(block, "__dict__", {}), **extra}


def _blocks(blocks: Sequence[Any], texts: Sequence[str], may_be_one: bool) -> list[Any]:
    if may_be_one and len(texts) == 1:
        return [_with_text(blocks[0], texts[0])]
    rest = iter(texts)
    return [block if (old := _text(block)) is None else _replaced(block, old, next(rest)) for block in blocks]


def _replaced(block: Any, old: str, new: str) -> Any:
    return block if old == new else _with_text(block, new)


def _with_text(block: Any, text: str) -> Any:
    if _get(block, "type") == "text":
        return _with(block, "text", text)
    return _with(block, "resource", _with(_get(block, "resource"), "text", text))


def _get(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _value(member: Any) -> Any:
    """Of an enumeration, the value."""
    return getattr(member, "value", member)


def _with(holder: Any, name: str, value: Any) -> Any:
    if isinstance(holder, Mapping):
        made = copy(holder)
        made[name] = value  # type: ignore[index]
        return made
    if hasattr(holder, "model_copy"):
        return holder.model_copy(update={name: value})
    made = copy(holder)
    setattr(made, name, value)
    return made
