"""YAML with the place of every value: PyYAML's nodes carry them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from terse.clients.document import MAX_DEPTH, Broken, Member, Node, indentation, line_end


class Yaml:
    """A `terse.clients.document.Document`.

    Raises:
        Broken: it is no YAML, has a key twice, or more than one document.
    """

    def __init__(self, text: str) -> None:
        import yaml

        self.text = text
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            raise Broken(error.problem or "it is no YAML", text, mark.index if mark else None) from None
        except (yaml.YAMLError, RecursionError):
            raise Broken("it is no YAML") from None
        if root is None:
            raise Broken("the file is empty")
        self._root = self._node(root, 0)
        if not isinstance(self._root.value, dict):
            raise Broken("it is no mapping", text, 0)
        self.value: Any = self._root.value

    def entry(self, path: Sequence[str]) -> Node:
        node = self._root
        for key in path:
            node = node.members[key].node
        if "&" in (raw := self.text[node.start : node.end]) or "*" in raw or "<<" in raw:
            # A name that another entry takes its values from: an edit here would be one there.
            raise Broken("anchors and aliases in a server's entry cannot be edited", self.text, node.start)
        return node

    def string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")

    def member(self, key: str, written: str) -> str:
        return f"{key}: {written}"

    def mapping(self, members: Mapping[str, str]) -> str:
        inside = ", ".join(f"{self.string(key)}: {self.string(value)}" for key, value in members.items())
        return f"{{{inside}}}"

    def separator(self, entry: Node, member: Member) -> str:
        if not entry.is_block:
            return ", "
        indent = indentation(self.text, member.start)
        if indent is None:
            indent = " " * (member.start - (self.text.rfind("\n", 0, member.start) + 1))
        return line_end(self.text) + indent

    def _node(self, node: Any, depth: int) -> Node:
        import yaml

        start, end = node.start_mark.index, node.end_mark.index
        if depth > MAX_DEPTH:
            raise Broken(f"it is nested more than {MAX_DEPTH} deep", self.text, start)
        if isinstance(node, yaml.ScalarNode):
            is_string = node.tag == "tag:yaml.org,2002:str"
            return Node(start, end, node.value if is_string else (node.tag, node.value))
        if isinstance(node, yaml.SequenceNode):
            items = tuple(self._node(each, depth + 1) for each in node.value)
            plain = [each.value for each in items]
            return Node(start, end, plain, items=items, is_block=not node.flow_style)
        members: dict[str, Member] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if not isinstance(name, str):
                raise Broken("a key is no text", self.text, key.start_mark.index)
            if name in members:
                raise Broken(f"the key {name} stands twice", self.text, key.start_mark.index)
            members[name] = Member(key.start_mark.index, self._node(value, depth + 1))
        plain_map = {key: member.node.value for key, member in members.items()}
        end = (
            max((member.node.end for member in members.values()), default=end) if not node.flow_style else end
        )
        return Node(start, end, plain_map, members=members, is_block=not node.flow_style)
