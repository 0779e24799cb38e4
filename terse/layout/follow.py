"""Strings of an object that follow from its other values, found and written as templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from terse.layout.document import Block, Cell, Document, Filled, Items, Node, Plain, Slot, Spelled
from terse.layout.inline import Place, write_value
from terse.layout.template import is_slot, write_quoted

MIN_SOURCE = 4
MIN_TARGET = 12
"""Characters of a value that a slot may name, and of a string worth a template."""
MAX_VALUES = 250
MAX_OBJECTS = 500
"""Larger objects, and further ones, are left as they are: the search is quadratic in an object's values."""
MAX_LOOKS = 300_000
"""Looks for one string in another, in all."""
MAX_TRIES = 4
MIN_GAIN = 3
"""Tokens that a template has to save."""

Path = tuple[str, ...]


class Follower:
    """Rewrites objects that stand on the spot or in blocks; those in tables have columns for it.

    Attributes:
        found: how many strings follow from others.
        gain: the tokens that this saves.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count
        self.found = 0
        self.gain = 0.0
        self.objects = 0
        self.looks = 0

    def document(self, document: Document) -> Document:
        root = self.node(document.root)
        return replace(document, root=root, filled=True) if self.found else document

    def node(self, node: Node) -> Node:
        if isinstance(node, Plain):
            return Plain(self.value(node.value))
        if isinstance(node, Block):
            entries = {key: self.node(inner) for key, inner in node.entries}
            shown = {key: _seen(inner) for key, inner in node.entries}
            for key, made in self.filled(shown, Place.SPACES).items():
                entries[key] = Plain(made)
            return Block(list(entries.items()))
        if isinstance(node, Items):
            return Items([self.node(inner) for inner in node.nodes])
        if isinstance(node, Spelled):
            return replace(node, node=self.node(node.node))
        return node

    def value(self, value: Any) -> Cell:
        if isinstance(value, list):
            return [self.value(item) for item in value]  # type: ignore[misc]
        if not isinstance(value, dict):
            return value  # type: ignore[no-any-return]
        made = {key: self.value(item) for key, item in value.items()}
        made.update(self.filled(value, Place.INSIDE))
        return made  # type: ignore[return-value]

    def filled(self, values: Mapping[str, Any], place: Place) -> dict[str, Filled]:
        """The strings of an object that are shorter as templates."""
        self.objects += 1
        if self.objects > MAX_OBJECTS or not 2 <= len(values) <= MAX_VALUES:
            return {}
        targets = [
            (key, value)
            for key, value in values.items()
            if type(value) is str and len(value) >= MIN_TARGET and "\n" not in value
        ]
        if not targets:
            return {}
        sources = sorted(_sources(values), key=lambda each: (-len(each[1]), each[0]))
        self.looks += len(targets) * len(sources)
        if self.looks > MAX_LOOKS:
            return {}
        made: dict[str, Filled] = {}
        for key, text in targets:
            parts = self.shortest(text, [each for each in sources if len(each[1]) < len(text)], place)
            if parts is not None:
                made[key] = Filled(parts)
        self.found += len(made)
        return made

    def shortest(
        self, text: str, sources: list[tuple[Path, str]], place: Place
    ) -> tuple[str | Slot, ...] | None:
        # INVARIANT: a string only follows from shorter ones, so that none follows from itself.
        fitting = [each for each in sources if _place_of(each[1], text) >= 0]
        best: tuple[str | Slot, ...] | None = None
        if not fitting:
            return None
        tokens_before = self.count(write_value(text, place))
        least = tokens_before - MIN_GAIN
        for first in range(min(MAX_TRIES, len(fitting))):
            parts: list[str | Slot] = [text]
            for path, source in fitting[first:]:
                parts = _cut(parts, path, source)
            tokens = self.count(write_quoted(parts))
            if tokens <= least:
                best, least = tuple(parts), tokens - 1
        if best is not None:
            self.gain += tokens_before - least - 1
        return best


def _seen(node: Node) -> Any:
    """What a template around a node can name of it: its value, or those of an object one level in."""
    if isinstance(node, Plain):
        return node.value
    if isinstance(node, Block):
        return {key: inner.value for key, inner in node.entries if isinstance(inner, Plain)}
    return None


def _sources(values: Mapping[str, Any]) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for key, value in values.items():
        if not _can_be_named((key,)):
            continue
        inner = value.items() if isinstance(value, dict) else ()
        for path, text in [((key,), value), *(((key, name), item) for name, item in inner)]:
            if isinstance(text, str) and len(text) >= MIN_SOURCE and _can_be_named(path):
                found.append((path, text))
    return found


def _can_be_named(path: Path) -> bool:
    return is_slot(path) and not any(name.startswith("#") for name in path)


def _place_of(source: str, text: str) -> int:
    """Where the source stands in the text as a word of its own (a long one, anywhere); -1 if nowhere."""
    at = text.find(source)
    while at >= 0:
        end = at + len(source)
        before = at > 0 and text[at - 1].isalnum() and source[0].isalnum()
        after = end < len(text) and text[end].isalnum() and source[-1].isalnum()
        if not before and not after:
            return at
        at = text.find(source, at + 1)
    return -1


def _cut(parts: list[str | Slot], path: Path, source: str) -> list[str | Slot]:
    made: list[str | Slot] = []
    for part in parts:
        at = _place_of(source, part) if isinstance(part, str) else -1
        if at < 0 or isinstance(part, Slot):
            made.append(part)
            continue
        rest = part[at + len(source) :]
        made.extend(piece for piece in (part[:at], Slot(path), rest) if piece)
    return made
