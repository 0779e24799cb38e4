"""A configuration file as text with places in it: what is changed is cut out, and nothing else moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

MAX_DEPTH = 200
MAX_BYTES = 64 * 1024 * 1024
"""No configuration is near it; a mistaken path is."""


class Broken(Exception):  # noqa: N818 — says what the file is
    """The text is not of its format, or is not understood. The message says where."""

    def __init__(self, why: str, text: str = "", index: int | None = None) -> None:
        place = ""
        if index is not None:
            line = text.count("\n", 0, index) + 1
            column = index - (text.rfind("\n", 0, index) + 1) + 1
            place = f"line {line}, column {column}: "
        super().__init__(place + why)


class NotEditable(Exception):  # noqa: N818 — says why
    """A server's entry is left as it is. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        start, end: its span in the text.
        value: what it means, in plain data.
        members: of a mapping, by key.
        items: of a list.
        is_block: written in lines (YAML, TOML tables), not between brackets.
    """

    start: int
    end: int
    value: Any
    members: Mapping[str, Member] = field(default_factory=dict)
    items: Sequence[Node] = ()
    is_block: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a mapping: where its key begins, and its value."""

    start: int
    node: Node


class Document(Protocol):
    """A parsed file."""

    @property
    def text(self) -> str: ...

    @property
    def value(self) -> Any:
        """All of it as plain data."""

    def entry(self, path: Sequence[str]) -> Node:
        """The mapping that is found by these keys, with places.

        Raises:
            Broken: it is written in a way that cannot be edited.
        """

    def string(self, text: str) -> str:
        """How a string is written."""

    def member(self, key: str, written: str) -> str:
        """How an entry of a mapping is written."""

    def mapping(self, members: Mapping[str, str]) -> str:
        """How a mapping of strings is written, in one line."""

    def separator(self, entry: Node, member: Member) -> str:
        """What stands between this member of an entry and one that is written after it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Text put in the place of a span."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made. They do not overlap."""
    done = text
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        done = done[: edit.start] + edit.text + done[edit.end :]
    return done


def indentation(text: str, index: int) -> str | None:
    """The white space that a line begins with, where nothing else stands before `index`; None otherwise."""
    begin = text.rfind("\n", 0, index) + 1
    before = text[begin:index]
    return before if not before.strip(" \t\ufeff") and begin > 0 else None


def line_end(text: str) -> str:
    """How lines end in this file."""
    return "\r\n" if "\r\n" in text else "\n"


def bracket_list(document: Document, items: Sequence[str]) -> str:
    """A list of strings in one line."""
    return "[" + ", ".join(document.string(item) for item in items) + "]"


def inserted(document: Document, node: Node, written: Sequence[str]) -> Edit:
    """Items put before those of a list, in the way these are written."""
    text = document.text
    if not node.items:
        return Edit(node.start + 1, node.start + 1, ", ".join(written))
    first = node.items[0].start
    if node.is_block:
        indent = indentation(text, node.start)
        if indent is None:
            column = node.start - (text.rfind("\n", 0, node.start) + 1)
            indent = " " * column
        return Edit(node.start, node.start, "".join(f"- {each}{line_end(text)}{indent}" for each in written))
    between = _between(text, node)
    return Edit(first, first, "".join(each + between for each in written))


def _between(text: str, node: Node) -> str:
    if len(node.items) > 1:
        between = text[node.items[0].end : node.items[1].start]
        if not between.strip(" \t\r\n,") and between.count(",") == 1:
            return between
    indent = indentation(text, node.items[0].start)
    return ", " if indent is None else f",{line_end(text)}{indent}"


def removed(document: Document, node: Node, count: int) -> Edit:
    """The first items of a list taken out: the inverse of `inserted`."""
    begin = node.start if node.is_block else node.items[0].start
    if count == len(node.items):
        return Edit(begin, node.items[-1].end, "[]" if node.is_block else "")
    after = node.items[count].start
    return Edit(begin, document.text.rindex("-", 0, after) if node.is_block else after, "")
