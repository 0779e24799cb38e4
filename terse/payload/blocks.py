"""The texts of one result as one text, and back. docs/format-blocks.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from terse.payload.exact import JsonValue, NotExact, dump, parse

PLAIN = frozenset({"type", "text"})
"""The members of a block that is a text and says nothing more: only such blocks are joined."""


class NotJoined(ValueError):  # noqa: N818 — says what the text is
    """The text does not stand for several. The message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Joined:
    """One text that stands for several.

    Attributes:
        is_list: each of them is a JSON document, and this is the list of these.
    """

    text: str
    is_list: bool


_HEAD = re.compile(
    r"(?P<count>[1-9][0-9]{0,6}) texts, "
    r"(?:(?P<lines>one a line)|(?P<blank>an empty line between them)|(?P<rule>-{3,}) between them):\n"
)


def join(texts: Sequence[str]) -> Joined | None:
    """The texts, two or more, as one, in the first of these forms that fits them:

    - a JSON list, where at least half of them are JSON documents: these are its items, and the others are
      too, as strings;
    - lines, where each is one; else texts with an empty line between them, or a line of dashes. The first
      line says which of these it is, and how many there are.

    None where `split` would not give all of them back: a text to the character, a JSON document as the same.
    """
    documents = [_document(text) for text in texts]
    count = sum(document is not None for document in documents)
    if 2 * count >= len(texts):
        items = (
            text if document is not None else dump([text])[1:-1]
            for text, document in zip(texts, documents, strict=True)
        )
        joined = Joined(f"[{','.join(items)}]", count == len(texts))
        wanted = [
            text if document is None else dump(document)
            for text, document in zip(texts, documents, strict=True)
        ]
    else:
        said, between = _between(texts)
        joined = Joined(f"{len(texts)} texts, {said}:\n{between.join(texts)}", False)
        wanted = list(texts)
    # Halves of a character that two texts end and begin with, nesting as deep as can be read: not all comes
    # back.
    return joined if _gives(joined.text, wanted) else None


def split(text: str) -> list[str]:
    """The texts that a joined one stands for; of a JSON document, its compact text.

    Raises:
        NotJoined: it stands for no others.
    """
    if text.startswith("["):
        return _items(text)
    found = _HEAD.match(text)
    if found is None:
        raise NotJoined("no first line of several texts")
    between = "\n" if found["lines"] else "\n\n" if found["blank"] else f"\n{found['rule']}\n"
    texts = text[found.end() :].split(between)
    if len(texts) != int(found["count"]):
        raise NotJoined("another number of texts than it says")
    return texts


def _gives(joined: str, wanted: Sequence[str]) -> bool:
    try:
        return split(joined) == wanted
    except NotJoined:
        return False


def _items(text: str) -> list[str]:
    try:
        items = parse(text)
    except NotExact as error:
        raise NotJoined(str(error)) from None
    texts = []
    for item in items if isinstance(items, list) else ():
        if isinstance(item, (dict, list)):
            texts.append(dump(item))
        elif type(item) is str:
            texts.append(item)
        else:
            raise NotJoined("an item that is no text")
    return texts


def _between(texts: Sequence[str]) -> tuple[str, str]:
    """What stands between the texts, in words and as it is: they can be told apart by it."""
    if not any("\n" in text for text in texts):
        return "one a line", "\n"
    if _tells_apart("\n\n", texts):
        return "an empty line between them", "\n\n"
    rule = "---"
    while not _tells_apart(f"\n{rule}\n", texts):
        rule += "-"
    return f"{rule} between them", f"\n{rule}\n"


def _tells_apart(between: str, texts: Sequence[str]) -> bool:
    # The ends of two texts may make one more of it: the whole is looked at, not each text.
    return between.join(texts).split(between) == list(texts)


def _document(text: str) -> JsonValue | None:
    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return None
    try:
        return parse(text)
    except NotExact:
        return None
