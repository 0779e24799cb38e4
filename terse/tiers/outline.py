"""`outline`: objects as `key=value` lines, opened where they are too long for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from terse.layout.document import Block, Cell, Embedded, Items, Node, Plain, Spelled
from terse.layout.write import WIDTH, write_pair
from terse.tiers.spec import Applied, Context, Draft, Example, Skip, State, Tier


def _run(draft: Draft, options: Mapping[str, int | str], context: Context) -> Applied | Skip:
    document = draft.document
    if document is None:
        return Skip("no JSON that can be carried exactly")
    work = _Outline()
    root = work.node(document.root, True)
    if not work.opened:
        return Skip("nothing to open")
    changed = replace(document, root=root)
    note = f"{work.opened} object{'s' if work.opened > 1 else ''} opened"
    return Applied(Draft(State.LAYOUT, None, changed, context.cost), note)


class _Outline:
    def __init__(self) -> None:
        self.opened = 0

    def node(self, node: Node, is_root: bool = False) -> Node:
        if isinstance(node, Plain):
            return self.plain(node.value, is_root)
        if isinstance(node, Block):
            return Block([(key, self.node(inner)) for key, inner in node.entries])
        if isinstance(node, Items):
            return Items([self.node(inner) for inner in node.nodes])
        if isinstance(node, Spelled):
            return replace(node, node=self.node(node.node, True))
        return node

    def plain(self, value: Cell, is_root: bool) -> Node:
        if isinstance(value, Embedded) and not _is_short(value):
            inner = self.plain(value.value, True)
            return Plain(value) if isinstance(inner, Plain) else Spelled(inner, value.style)
        if not isinstance(value, (dict, list)) or not value:
            return Plain(value)
        if not is_root and _is_short(value):
            return Plain(value)
        if isinstance(value, dict):
            self.opened += 1
            return Block([(key, self.plain(item, False)) for key, item in value.items()])
        nodes = [self.plain(item, False) for item in value]
        if all(isinstance(node, Plain) for node in nodes):
            if not is_root or not any(isinstance(item, dict) and item for item in value):
                return Plain(value)
            self.opened += 1
        return Items(nodes)


def _is_short(value: Cell) -> bool:
    """Whether a pair with the value, its name aside, is no longer than a line."""
    return _least(value, WIDTH) <= WIDTH and len(write_pair("", value)) <= WIDTH


def _least(value: Any, most: int) -> int:
    """Characters that a value has at least, looked for no further than so many.

    Most containers are far longer: written at every level, they would be written as often as they are deep.
    """
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Embedded):
        return _least(value.value, most)
    if not isinstance(value, (dict, list)):
        return 0
    # Brackets, and between two values a sign.
    length = 1 + len(value)
    for item in value.values() if isinstance(value, dict) else value:
        if length > most:
            break
        length += _least(item, most - length)
    return length


TIER = Tier(
    name="outline",
    sentence="Writes objects as `key=value` pairs, over several indented lines where they are long.",
    reads="`key=value` pairs, `key:` before the indented lines of an object, `key: 2 items` before those of "
    "a list; quotes only where a type would be in doubt.",
    takes=frozenset({State.JSON, State.LAYOUT}),
    leaves=State.LAYOUT,
    run=_run,
    examples=(
        Example(
            '{"kind":"Pod","metadata":{"name":"web-1","labels":{"app":"web"}},"ready":true,"code":"404"}',
            'JSON outline:\nkind=Pod metadata={name=web-1 labels={app=web}} ready=true code="404"',
        ),
    ),
)
