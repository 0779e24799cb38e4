"""TOML with the place of the values of one table: tomlkit writes a file as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from terse.clients.document import Broken, Member, Node, line_end

_MARK = "terse-is-looking-for-this-place"
_KEY = re.compile(r"""(?:[A-Za-z0-9_-]+|"[^"\\\n]*"|'[^'\n]*')[ \t]*=[ \t]*\Z""")
_ITEM = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"|\'[^\'\n]*\'')
_BETWEEN = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")


class Toml:
    """A `terse.clients.document.Document`.

    Raises:
        Broken: it is no TOML.
    """

    def __init__(self, text: str) -> None:
        import tomlkit
        from tomlkit.exceptions import ParseError, TOMLKitError

        self.text = text
        try:
            self._root = tomlkit.parse(text)
        except ParseError as error:
            index = _index(text, error.line, error.col)
            raise Broken(str(error).partition(" at line")[0], text, index) from None
        except (TOMLKitError, ValueError, RecursionError) as error:
            raise Broken(str(error).partition("\n")[0] or "it is no TOML") from None
        if tomlkit.dumps(self._root) != text:
            raise Broken("it cannot be written again as it was")
        self.value: Any = self._root.unwrap()

    def entry(self, path: Sequence[str]) -> Node:
        from tomlkit.items import InlineTable

        table: Any = self._root
        for key in path:
            table = table[key]
        is_inline = isinstance(table, InlineTable)
        members: dict[str, Member] = {}
        for key in list(table):
            if isinstance(table[key], dict) and not isinstance(table[key], InlineTable):
                # A table of its own, under a header of its own: it stays where it is.
                members[key] = Member(-1, Node(-1, -1, table[key].unwrap(), is_block=True))
                continue
            members[key] = self._located(path, table, key)
        placed = [member for member in members.values() if member.start >= 0]
        start = min((member.start for member in placed), default=-1)
        end = max((member.node.end for member in placed), default=-1)
        return Node(start, end, table.unwrap(), members=members, is_block=not is_inline)

    def string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

    def member(self, key: str, written: str) -> str:
        return f"{key} = {written}"

    def mapping(self, members: Mapping[str, str]) -> str:
        inside = ", ".join(f"{self.string(key)} = {self.string(value)}" for key, value in members.items())
        return f"{{ {inside} }}"

    def separator(self, entry: Node, member: Member) -> str:
        return line_end(self.text) if entry.is_block else ", "

    def _located(self, path: Sequence[str], table: Any, key: str) -> Member:
        """
        Raises:
            Broken: the place is not sure.
        """
        import tomlkit

        item = table[key]
        # Of all items, tomlkit gives out true and false alone as Python's own.
        raw = str(item).lower() if isinstance(item, bool) else item.as_string()
        copy: Any = tomlkit.parse(self.text)
        inside = copy
        for step in path:
            inside = inside[step]
        inside[key] = _MARK
        before, mark, after = tomlkit.dumps(copy).partition(f'"{_MARK}"')
        start = len(before)
        # INVARIANT: all but this value is as it was, or the place is not the value's.
        if not mark or before + raw + after != self.text:
            raise Broken(f"{'.'.join(path)}.{key} is written in a way that cannot be edited")
        found = _KEY.search(before[before.rfind("\n") + 1 :])
        begin = -1 if found is None else before.rfind("\n") + 1 + found.start()
        end = start + len(raw)
        return Member(begin, Node(start, end, table.unwrap()[key], items=self._items(start, end, raw)))

    def _items(self, start: int, end: int, raw: str) -> tuple[Node, ...]:
        """The strings of a list; none where it has other items."""
        if not raw.startswith("["):
            return ()
        items: list[Node] = []
        index = start + 1
        while True:
            between = _BETWEEN.match(self.text, index, end)
            assert between is not None, "INVARIANT: it matches nothing, too"
            found = _ITEM.match(self.text, between.end(), end)
            if found is None:
                return tuple(items) if between.end() == end - 1 else ()
            items.append(Node(found.start(), found.end(), None))
            index = found.end()


def _index(text: str, line: int, column: int) -> int:
    lines = text.splitlines(keepends=True)
    return min(sum(len(each) for each in lines[: line - 1]) + max(column, 0), len(text))
