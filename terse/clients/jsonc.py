"""JSON with comments and commas before a closing bracket, with the place of every value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from terse.clients.document import MAX_DEPTH, Broken, Member, Node, indentation, line_end

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class Jsonc:
    """A `terse.clients.document.Document`.

    Raises:
        Broken: it is no JSON, nested more than `MAX_DEPTH` deep, or has a key twice.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._root = _Reader(text).document()
        self.value: Any = self._root.value

    def entry(self, path: Sequence[str]) -> Node:
        node = self._root
        for key in path:
            node = node.members[key].node
        return node

    def string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    def member(self, key: str, written: str) -> str:
        return f"{self.string(key)}: {written}"

    def mapping(self, members: Mapping[str, str]) -> str:
        inside = ", ".join(self.member(key, self.string(value)) for key, value in members.items())
        return f"{{{inside}}}"

    def separator(self, entry: Node, member: Member) -> str:
        indent = indentation(self.text, member.start)
        return ", " if indent is None else f",{line_end(self.text)}{indent}"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def document(self) -> Node:
        begin = self._skip(1 if self._text.startswith("\ufeff") else 0)
        if begin == len(self._text):
            raise Broken("the file is empty")
        root = self._value(begin, 0)
        end = self._skip(root.end)
        if end != len(self._text):
            raise Broken("there is more after the end of the JSON", self._text, end)
        if not isinstance(root.value, dict):
            raise Broken("it is no JSON object", self._text, begin)
        return root

    def _skip(self, index: int) -> int:
        found = _SPACE.match(self._text, index)
        assert found is not None, "INVARIANT: it matches nothing, too"
        return found.end()

    def _value(self, index: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise Broken(f"it is nested more than {MAX_DEPTH} deep", self._text, index)
        sign = self._text[index : index + 1]
        if sign == "{":
            return self._object(index, depth)
        if sign == "[":
            return self._array(index, depth)
        if sign == '"':
            return self._string(index)
        found = _WORD.match(self._text, index)
        if found is None:
            raise Broken(f"a value is expected, not {_shown(self._text, index)}", self._text, index)
        word = found[0]
        # The number's text: whoever compares two files must see 1.0 and 1 as what they are.
        return Node(index, found.end(), _WORDS.get(word, ("number", word)))

    def _string(self, index: int) -> Node:
        found = _STRING.match(self._text, index)
        if found is None:
            raise Broken(f"a string is expected, not {_shown(self._text, index)}", self._text, index)
        return Node(index, found.end(), json.loads(found[0]))

    def _object(self, start: int, depth: int) -> Node:
        members: dict[str, Member] = {}
        index = self._skip(start + 1)
        while not self._text.startswith("}", index):
            key = self._string(index)
            if key.value in members:
                raise Broken(f"the key {self._text[key.start : key.end]} stands twice", self._text, index)
            index = self._skip(key.end)
            if not self._text.startswith(":", index):
                raise Broken(f"a : is expected, not {_shown(self._text, index)}", self._text, index)
            value = self._value(self._skip(index + 1), depth + 1)
            members[key.value] = Member(key.start, value)
            index = self._next(value.end, "}")
        plain = {key: member.node.value for key, member in members.items()}
        return Node(start, index + 1, plain, members=members)

    def _array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        index = self._skip(start + 1)
        while not self._text.startswith("]", index):
            items.append(self._value(index, depth + 1))
            index = self._next(items[-1].end, "]")
        return Node(start, index + 1, [item.value for item in items], items=tuple(items))

    def _next(self, index: int, closing: str) -> int:
        index = self._skip(index)
        if self._text.startswith(",", index):
            return self._skip(index + 1)
        if not self._text.startswith(closing, index):
            raise Broken(f"a , or {closing} is expected, not {_shown(self._text, index)}", self._text, index)
        return index


def _shown(text: str, index: int) -> str:
    return repr(text[index]) if index < len(text) else "the end of the file"
