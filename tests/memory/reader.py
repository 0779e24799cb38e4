"""A reader of deltas written from docs/format-delta.md alone: it shares no code with the program.

It is strict: what the page does not allow is an error.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any


class Num(str):
    """A JSON number by its spelling; never equal to a string."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Num) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Again(str):
    """A key that stands in its object before: no path names it, and it equals none but the same place's."""

    def __new__(cls, key: str, place: int) -> Again:
        made = super().__new__(cls, key)
        made.place = place
        return made

    place: int

    def __getnewargs__(self) -> tuple[str, int]:
        return str(self), self.place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Again) and (str(self), self.place) == (str(other), other.place)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str(self), self.place))


def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in found:
        made[Again(key, len(made)) if key in made else key] = value
    return made


def load(text: str) -> Any:
    return json.loads(text, parse_int=Num, parse_float=Num, parse_constant=Num, object_pairs_hook=pairs)


def write(value: Any) -> str:
    """Compact JSON, numbers as they were spelt."""
    if isinstance(value, Num):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value)


PRINTED = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


def repr_of(value: Any) -> str:
    if isinstance(value, Num):
        return PRINTED.get(str(value), str(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {repr_of(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(repr_of, value)) + "]"
    return repr(value)


def from_python(text: str) -> Any:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return Num(json.dumps(value)) if type(value) in (int, float) else value

    # Names for what has no literal; the text is one of our own making.
    return plain(eval(text, {"__builtins__": {}, "nan": float("nan"), "inf": float("inf")}))


HEAD = re.compile(
    r"Re-run now: (identical to|the (text|JSON|Python data) of) (?:text ([0-9]+) of )?call #([0-9]+) "
    r"of this tool \(same arguments(?:; terse_retrieve(?:_[0-9]+)? h[0-9]{9} has it whole)?\)"
    r"(\.|, but for this diff:|, but for:)"
)
ALL = re.compile(
    r"Re-run now: all ([0-9]+) texts identical to those of call #([0-9]+) of this tool "
    r"\(same arguments(?:; terse_retrieve(?:_[0-9]+)? h[0-9]{9} has them whole)?\)\."
)
ENDS = {None: ".", "text": ", but for this diff:", "JSON": ", but for:", "Python data": ", but for:"}


class Client:
    """What one session's client has: of every call of a tool, its arguments and texts in full."""

    def __init__(self) -> None:
        self.calls: dict[str, list[tuple[str, list[str]]]] = {}

    def receive(
        self, tool: str, arguments: str, texts: list[str], parts: int, as_they_came: list[bool]
    ) -> list[str]:
        """The full texts of a result.

        Args:
            texts: those sent, none of them in any other form of terse.
            as_they_came: which of them are the server's own: those may look like a delta, and are none.
        """
        calls = self.calls.setdefault(tool, [])
        found = ALL.fullmatch(texts[0]) if len(texts) == 1 and parts > 1 else None
        if found:
            assert int(found[1]) == parts
            full = self._base(calls, int(found[2]), arguments)
            assert len(full) == parts
        else:
            assert len(texts) == parts
            full = [
                text if own else self._full(calls, arguments, text)
                for text, own in zip(texts, as_they_came, strict=True)
            ]
        calls.append((arguments, full))
        return full

    @staticmethod
    def _base(calls: list[tuple[str, list[str]]], number: int, arguments: str) -> list[str]:
        assert 1 <= number <= len(calls), "a call that was not made"
        made_with, texts = calls[number - 1]
        assert made_with == arguments, "a call with other arguments"
        return texts

    def _full(self, calls: list[tuple[str, list[str]]], arguments: str, text: str) -> str:
        head, *lines = text.split("\n")
        found = HEAD.fullmatch(head)
        if not found:
            return text
        texts = self._base(calls, int(found[4]), arguments)
        assert found[3] is not None or len(texts) == 1
        base = texts[int(found[3] or 1) - 1]
        assert found[5] == ENDS[found[2]]
        if found[2] is None:
            assert not lines
            return base
        if found[2] == "text":
            return by_lines(base, lines)
        if found[2] == "JSON":
            return write(Document(load(base)).changed(lines))
        ended = base.endswith("\n")
        return repr_of(Document(from_python(base)).changed(lines)) + "\n" * ended


# ---- lines -----------------------------------------------------------------------------------------

REFERENCE = r"(?:[0-9]{1,6}_|(?:[a-z][0-9]{0,6}){0,3}[a-z])"
NAMED = re.compile(
    rf"(?<![A-Za-z0-9_-])((?:uid|ref)={REFERENCE})([0-9]{{1,7}})(?![A-Za-z0-9_-])|\[([0-9]{{1,7}})\]"
)


def by_lines(base: str, lines: list[str]) -> str:
    if lines and lines[0].startswith("Renumbered: "):
        base = renumbered(base, lines[0][len("Renumbered: ") :].split("; "))
        lines = lines[1:]
    old = base.split("\n")
    result: list[str] = []
    used = 0
    while lines:
        head = lines.pop(0)
        body = []
        while lines and not lines[0].startswith("@@"):
            body.append(lines.pop(0))
        if found := re.fullmatch(r"@@ -([0-9]+) @@ in this line", head):
            at = int(found[1]) - 1
            assert used <= at < len(old)
            result += old[used:at]
            result.append(in_line(old[at], body))
            used = at + 1
            continue
        found = re.fullmatch(r"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@", head)
        assert found, head
        at, count = int(found[1]) - 1, int(found[2] or 1)
        new_at, new_count = int(found[3]), int(found[4] or 1)
        assert count >= 1
        assert used <= at <= at + count <= len(old)
        result += old[used:at]
        assert new_at == (len(result) + 1 if new_count else len(result))
        covered = old[at : at + count]
        missing = count - sum(line[0] != "+" for line in body)
        before = len(result)
        for line in body:
            sign, words = line[0], line[1:]
            if sign == "+":
                result.append(words)
            elif line == "-…" and missing:
                assert missing > 0
                covered = covered[missing + 1 :]
                missing = 0
            else:
                assert sign in "- "
                first = covered.pop(0)
                assert words == first or (words[-1] == "…" and first.startswith(words[:-1]))
                if sign == " ":
                    result.append(first)
        assert not covered
        assert len(result) - before == new_count
        used = at + count
    return "\n".join(result + old[used:])


def in_line(line: str, body: list[str]) -> str:
    assert body
    assert len(body) % 2 == 0
    at = 0
    result = ""
    for old, new in zip(body[::2], body[1::2], strict=True):
        assert old[0] == "-"
        assert new[0] == "+"
        assert len(re.findall(f"(?={re.escape(old[1:])})", line)) == 1
        place = line.index(old[1:])
        assert place >= at
        result += line[at:place] + new[1:]
        at = place + len(old) - 1
    return result + line[at:]


def renumbered(base: str, entries: list[str]) -> str:
    rules = []
    for entry in entries:
        if found := re.fullmatch(
            rf"every ((?:uid|ref)={REFERENCE})N is now ((?:uid|ref)={REFERENCE})N", entry
        ):
            rules.append((found[1], 0, 10**9, found[2], 0))
            continue
        side = rf"((?:uid|ref)={REFERENCE}|\[)([0-9]+)(?:\.\.([0-9]+))?\]?"
        found = re.fullmatch(f"{side} is now {side}", entry)
        assert found, entry
        first, last, new = int(found[2]), int(found[3] or found[2]), int(found[5])
        assert int(found[6] or found[5]) - new == last - first
        rules.append((found[1], first, last, found[4], new - first))

    def name(found: re.Match[str]) -> str:
        prefix, digits = (found[1], found[2]) if found[1] else ("[", found[3])
        if digits == "0" or digits[0] != "0":
            for old, first, last, new, move in rules:
                if old == prefix and first <= int(digits) <= last:
                    return f"{new}{int(digits) + move}" + ("]" if prefix == "[" else "")
        return found[0]

    return NAMED.sub(name, base)


# ---- documents ---------------------------------------------------------------------------------------

GONE = object()


class Document:
    """Statements worked into a copy, found by the places of the base: every item gets a mark first."""

    def __init__(self, base: Any) -> None:
        self.root = Node(copy.deepcopy(base), None)

    def changed(self, lines: list[str]) -> Any:
        lines = list(lines)
        while lines:
            line = lines.pop(0)
            body = []
            if line.endswith(" by lines:"):
                while lines and re.match(r"[-+@ ]|Renumbered: ", lines[0]):
                    body.append(lines.pop(0))
            self.statement(line, body)
        return self.root.value()

    def statement(self, line: str, body: list[str]) -> None:
        if line.startswith("remove "):
            (node,), rest = self.places(line[7:])
            assert not rest
            assert not node.gone
            node.gone = True
        elif line.startswith("move "):
            (node,), rest = self.places(line[5:])
            anchor, rest = self.anchor(rest[1:])
            assert not rest
            assert node.parent is anchor[0]
            assert not node.moved
            node.moved = True
            anchor[1].append(("node", node))
        elif line.startswith(("after ", "first in ")):
            anchor, rest = self.anchor(line)
            assert rest.startswith(": ")
            added = load(rest[2:])
            assert isinstance(added, dict) == (anchor[0].kind == "object")
            anchor[1].extend(("new", item) for item in (added.items() if isinstance(added, dict) else added))
        else:
            nodes, rest = self.places(line, may_be_new=True)
            if rest == " by lines:":
                (node,) = nodes
                assert isinstance(node.plain, str)
                assert not isinstance(node.plain, Num)
                node.set(by_lines(node.plain, body))
            elif rest.startswith(" = "):
                for node in nodes:
                    node.set(load(rest[3:]))
            else:
                assert rest.startswith(" each = ")
                values = load(rest[8:])
                assert len(values) == len(nodes)
                for node, value in zip(nodes, values, strict=True):
                    node.set(value)

    def anchor(self, text: str) -> tuple[tuple[Any, list[Any]], str]:
        if text.startswith("first in "):
            (node,), rest = self.places(text[9:])
            return (node, node.first), rest
        assert text.startswith("after ")
        (node,), rest = self.places(text[6:])
        return (node.parent, node.after), rest

    def places(self, text: str, may_be_new: bool = False) -> tuple[list[Node], str]:
        if text.startswith("$"):
            return [self.root], text[1:]
        nodes = [self.root]
        first = True
        while True:
            if text.startswith("[*]"):
                nodes = [item for node in nodes for item in node.items()]
                text = text[3:]
            elif found := re.match(r"\[([0-9]+)\]", text):
                nodes = [node.items()[int(found[1])] for node in nodes]
                text = text[found.end() :]
            elif text.startswith("["):
                text = text[1:]
                keys = []
                while True:
                    key, text = self.key(text)
                    keys.append(key)
                    if text[0] == "=":
                        break
                    assert text[0] == "."
                    text = text[1:]
                value, text = self.scalar(text[1:])
                assert text[0] == "]"
                text = text[1:]
                nodes = [node.row(keys, value) for node in nodes]
            elif text.startswith(".") or (first and text and text[0] not in " :"):
                key, text = self.key(text if first else text[1:])
                nodes = [node.entry(key, may_be_new) for node in nodes]
            else:
                assert not first, "no place"
                return nodes, text
            first = False

    @staticmethod
    def key(text: str) -> tuple[str, str]:
        if text.startswith('"'):
            key, end = json.JSONDecoder().raw_decode(text)
            assert isinstance(key, str)
            return key, text[end:]
        found = re.match(r"[A-Za-z_][A-Za-z0-9_-]*", text)
        assert found
        assert found[0] not in ("remove", "after", "first", "move")
        return found[0], text[found.end() :]

    @staticmethod
    def scalar(text: str) -> tuple[Any, str]:
        value, end = json.JSONDecoder(parse_int=Num, parse_float=Num).raw_decode(text)
        assert not isinstance(value, (dict, list))
        return value, text[end:]


class Node:
    """A value of the base with what was said of it."""

    def __init__(self, value: Any, parent: Node | None, key: str | None = None) -> None:
        self.plain = value
        self.parent = parent
        self.key = key
        self.kind = "object" if isinstance(value, dict) else "list" if isinstance(value, list) else "scalar"
        self.inside: list[Node] = []
        if isinstance(value, dict):
            self.inside = [Node(item, self, name) for name, item in value.items()]
        elif isinstance(value, list):
            self.inside = [Node(item, self) for item in value]
        self.first: list[Any] = []
        self.after: list[Any] = []
        self.last: list[Node] = []
        self.gone = self.moved = False
        self.now: Any = GONE

    def set(self, value: Any) -> None:
        assert self.now is GONE, "two values"
        self.now = value

    def items(self) -> list[Node]:
        assert self.kind == "list"
        return self.inside

    def entry(self, key: str, may_be_new: bool) -> Node:
        assert self.kind == "object"
        for node in self.inside:
            if node.key == key:
                return node
        assert may_be_new, "no such key"
        node = Node(None, self, key)
        self.last.append(node)
        return node

    def row(self, keys: list[str], value: Any) -> Node:
        def at(node: Node) -> Any:
            found = node.plain
            for key in keys:
                if not isinstance(found, dict) or key not in found:
                    return GONE
                found = found[key]
            return found

        (node,) = [item for item in self.items() if at(item) == value and type(at(item)) is type(value)]
        return node

    def value(self) -> Any:
        if self.now is not GONE:
            return self.now
        if self.kind == "scalar":
            return self.plain
        made: list[Any] = []

        def put(entries: list[Any]) -> None:
            for how, item in entries:
                if how == "new":
                    made.append(item)
                else:
                    made.append(item.value())

        put(self.first)
        for node in self.inside:
            if not node.gone and not node.moved:
                made.append((node.key, node.value()) if self.kind == "object" else node.value())
            put(node.after)
        if self.kind == "list":
            return made
        return pairs(made + [(node.key, node.value()) for node in self.last])
