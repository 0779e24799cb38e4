"""Generated JSON-RPC traffic: what clients and servers write, and what they should not.

Every message is bytes, line end included. Numbers, escapes, white space, key order and doubled keys are drawn
as well: a proxy that parses and writes again is found out by them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.conformance.methods import Method, methods

CUT_TOOL = "cut_list"
NAMED_TOOLS = ("named_list", "named_log", CUT_TOOL)
"""Tools that the rules of transparency.terse name. What others answer must not change."""
OTHER_TOOLS = ("other_list", "terse_retriev", "named", "other/named_list", "a\\u0062", "")

IDS = ("7", '"7"', "7.0", "1e1", "-0", "10", '"a\\u0062"', '"ab"', "123456789012345678901234567890", '""')
BAD_IDS = ("null", "true", "[2]", '{"a":1}', '"' + "x" * 2000 + '"')
NUMBERS = (
    *("0", "-0", "1.0", "1.10", "1e3", "1E+2", "1e400", "-1E-400", "0.1000000000000000055"),
    *("12345678901234567890123", "9007199254740993", "NaN", "Infinity"),
)
STRINGS = (
    *('""', '"a"', '"\\/path\\/"', '"caf\\u00e9"', '"café"', '"\\ud83d\\ude00"', '"😀"', '"\\ud83d alone"'),
    *(
        '"\\n\\t\\r\\b\\f\\""',
        '"\u2028\u2029\x85"',
        '"\\u0000"',
        '"result"',
        '"tools/call"',
        '"\\u0074ools/call"',
    ),
)
KEYS = (
    '"x-trace"',
    '"result"',
    '"method"',
    '"id"',
    '"\\u0069d"',
    '"_meta"',
    '"content"',
    '"text"',
    '""',
    '"é"',
)
LINE_ENDS = (b"\n", b"\n", b"\n", b"\r\n", b" \n")
# Some of these could be taken to answer what was asked under the id 7.
NOISE = (
    *(b"\n", b"\r\n", b"   \n", b"starting up...\n", b"\xff\xfe not utf-8\n", b"[]\n", b"7\n", b'"result"\n'),
    *(b'{"jsonrpc":"2.0","id":7,"resu\n', b"\xef\xbb\xbf{}\n", b'{"id":7,"result":{}} trailing\n', b"\x00\n"),
    *('"\u2028 \x0b \x85 "\n'.encode(), b'{"id":7,"result":{"content":[{"type":"text","text":"\xff"}]}}\n'),
)


@dataclass(frozen=True)
class Line:
    """One line on the wire.

    Attributes:
        may_change: it answers, or could be taken to answer, a call of a tool that rules name. What comes
            after it does not wait for it.
        must_shrink: it surely answers one, with a result that has much to save.
        may_lose: the rules of that tool may take something away.
        is_list: it answers, or could be taken to answer, `tools/list`.
    """

    data: bytes
    from_client: bool
    may_change: bool = False
    must_shrink: bool = False
    may_lose: bool = False
    is_list: bool = False


@dataclass
class _Open:
    """A request that has no answer yet."""

    ident: str
    method: Method
    tool: str = ""
    task: str = ""
    plain: bool = True


class Traffic:
    """A conversation, drawn line by line.

    Args:
        random: draws everything: the same seed gives the same lines.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._version = ""
        self._methods: list[Method] = []
        self._open: list[_Open] = []
        # What an id, or a task, was ever used for: some are used again and again.
        self._used: dict[str, set[str]] = {}
        self._number = 1000

    def lines(self, version: str, number: int) -> Iterator[Line]:
        """So many lines: every method of the version by turns, and answers to what was asked."""
        self._version = version
        self._methods = methods()[version]
        self._open.clear()
        turn = 0
        looked_at = ("tools/list", "tasks/result", "tasks/get", *("tools/call",) * 4)
        often = [each for name in looked_at for each in self._methods if each.name == name]
        for _ in range(number):
            drawn = self._random.random()
            if drawn < 0.06:
                used = self._used.get("7", set())
                held = not used.isdisjoint(NAMED_TOOLS), False, CUT_TOOL in used, "tools/list" in used
                yield Line(self._noise(), self._random.random() < 0.5, *held)
            elif drawn < 0.12:
                yield Line(self._message(self._unknown()), self._random.random() < 0.5)
            elif drawn < 0.5 and self._open:
                yield self._answer(self._open.pop(self._random.randrange(len(self._open))))
            elif drawn < 0.75:
                yield self._of_method(self._random.choice(often))
            else:
                yield self._of_method(self._methods[turn % len(self._methods)])
                turn += 1

    # ---- what is asked ---------------------------------------------------------------------------

    def _of_method(self, method: Method) -> Line:
        random = self._random
        members = [('"jsonrpc"', '"2.0"'), ('"method"', _name(method.name, random))]
        if method.result is None:
            members.append(('"params"', self._object(method.params)))
            return Line(self._message(members), method.from_client)
        if method.name == "initialize" and random.random() < 0.5:
            # A client that begins anew is rare; it makes the proxy forget what it counted.
            method = next(each for each in self._methods if each.name == "tools/call")
            members[1] = ('"method"', '"tools/call"')
        opened = _Open(self._ident(), method)
        params, arguments = self._object(method.params), ""
        if method.name == "tools/call":
            opened.tool = random.choice(NAMED_TOOLS if random.random() < 0.6 else OTHER_TOOLS)
            arguments = self._object(("q", "page")) if random.random() < 0.7 else self._value(2)
            params = f'{{"name":"{opened.tool}","arguments":{arguments}}}'
            self._used.setdefault(_key(opened.ident), set()).add(opened.tool)
        elif method.name == "tools/list":
            self._used.setdefault(_key(opened.ident), set()).add(method.name)
            params = '{"cursor":"next"}' if random.random() < 0.3 else "{}"
        elif method.name.startswith("tasks/"):
            opened.task = f"t{random.randrange(3)}"
            params = f'{{"taskId":"{opened.task}"}}'
        members += [('"id"', opened.ident), ('"params"', params)]
        self._open.append(opened)
        if random.random() < 0.05:
            members.insert(random.randrange(len(members)), ('"id"', random.choice(BAD_IDS)))
        line = Line(self._message(members, shuffled=True), method.from_client)
        is_object = method.name == "tools/call" and arguments.startswith("{")
        opened.plain = is_object and opened.ident not in IDS and is_plain(line.data)
        return line

    def _unknown(self) -> list[tuple[str, str]]:
        """A message of no method that any version has."""
        name = self._random.choice(("x/y", "tools/calls", "tools", "notifications/x", "rpc.discover", ""))
        members = [('"jsonrpc"', '"2.0"'), ('"method"', json.dumps(name)), ('"params"', self._value(2))]
        if self._random.random() < 0.5:
            members.append(('"id"', self._random.choice(BAD_IDS)))
        return members

    # ---- what is answered --------------------------------------------------------------------------

    def _answer(self, opened: _Open) -> Line:
        random = self._random
        named = opened.tool in NAMED_TOOLS
        members = [('"jsonrpc"', '"2.0"'), ('"id"', opened.ident)]
        from_client = not opened.method.from_client
        used = self._used.get(_key(opened.ident), set()) | self._used.get(opened.task, set())
        may_change, may_lose = not used.isdisjoint(NAMED_TOOLS), CUT_TOOL in used
        is_list = "tools/list" in used
        if random.random() < 0.15:
            members.append(('"error"', f'{{"code":-32601,"message":"no","data":{self._value(2)}}}'))
            return Line(self._message(members, shuffled=True), from_client)
        if opened.method.name == "tools/list":
            members.append(('"result"', self._tools()))
            return Line(self._message(members), from_client, may_change, is_list=is_list)
        if opened.task and random.random() < 0.7:
            members.append(('"result"', self._of_task(opened)))
            return Line(self._message(members), from_client, may_change, False, may_lose, is_list)
        if opened.method.name != "tools/call":
            members.append(('"result"', self._object(opened.method.result or ())))
            return Line(self._message(members, shuffled=True), from_client, may_change, is_list=is_list)
        text, is_large = self._text(opened.tool)
        content = f'[{{"type":"text","text":{text}}}]'
        kind = random.random()
        more, must = "", named and opened.plain and is_large
        if kind < 0.1:
            more, must = ',"resultType":"input_required","requestState":"opaque"', False
        elif kind < 0.2:
            more, must = ',"isError":true', False
        elif kind < 0.3:
            members.append(('"result"', self._task(opened.tool)))
            return Line(self._message(members), from_client, may_change, is_list=is_list)
        elif kind < 0.5:
            more = f',"_meta":{self._object(("v", "d"))},"x-later":{self._value(2)}'
            must = False
        elif self._version >= "2026":
            more = ',"resultType":"complete"'
        members.append(('"result"', f'{{"content":{content}{more}}}'))
        if random.random() < 0.1:
            return Line(b"[" + self._message(members).strip() + b"]\n", from_client)
        data = self._message(members, shuffled=True)
        return Line(data, from_client, may_change, must and is_plain(data), may_lose, is_list)

    def _task(self, tool: str) -> str:
        """What says that a task was made in place of an answer."""
        task = f"t{self._random.randrange(3)}"
        self._used.setdefault(task, set()).add(tool)
        if self._version >= "2026":
            return f'{{"resultType":"task","taskId":"{task}","status":"working"}}'
        return f'{{"task":{{"taskId":"{task}","status":"working"}}}}'

    def _of_task(self, opened: _Open) -> str:
        """The result of a task: by itself, or inside what is said of the task."""
        text, _ = self._text("named_list")
        result = f'{{"content":[{{"type":"text","text":{text}}}]}}'
        if opened.method.name == "tasks/result":
            return result
        head = f'"resultType":"complete","taskId":"{opened.task}"'
        return f'{{{head},"status":"completed","result":{result}}}'

    def _text(self, tool: str) -> tuple[str, bool]:
        """A result's text as JSON, and whether there is much to save in it."""
        random = self._random
        if random.random() < 0.25:
            return random.choice(STRINGS), False
        start = random.randrange(1000)
        if tool == "named_log":
            rows = (
                f"2026-03-01T10:00:{n % 60:02} INFO worker took order {start + n} of shop" for n in range(60)
            )
            return json.dumps("\n".join(rows)), True
        records: list[dict[str, Any]] = [
            {"id": start + n, "name": f"item {n}", "state": "open", "price": n / 4} for n in range(40)
        ]
        text = json.dumps(records, indent=2).replace('"price": 2.5', '"price": 2.50')
        return json.dumps(text), True

    def _tools(self) -> str:
        tools = ",".join(
            f'{{"name":"{name}","description":{self._random.choice(STRINGS)},"inputSchema":'
            f'{{"type":"object","properties":{{"q":{{"type":"string","default":{self._scalar()}}}}}}}}}'
            for name in NAMED_TOOLS
        )
        more = self._random.choice(("", "", ',"nextCursor":"n"', f',"x-later":{self._value(2)}'))
        return f'{{"tools":[{tools}]{more}}}'

    # ---- JSON as it may be spelt -------------------------------------------------------------------

    def _ident(self) -> str:
        if self._random.random() < 0.25:
            return self._random.choice(IDS)
        self._number += 1
        return str(self._number)

    def _noise(self) -> bytes:
        random = self._random
        drawn = random.random()
        if drawn < 0.05:
            depth = random.choice((300, 1500, 20_000))
            return b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * depth + b"]" * depth + b"}\n"
        if drawn < 0.08:
            return (
                b'{"jsonrpc":"2.0","method":"x","params":"'
                + b"y" * random.choice((70_000, 1_200_000))
                + b'"}\n'
            )
        if drawn < 0.2:
            return b"[" + b",".join(self._message(self._unknown()).strip() for _ in range(3)) + b"]\n"
        return random.choice(NOISE)

    def _message(self, members: list[tuple[str, str]], *, shuffled: bool = False) -> bytes:
        random = self._random
        members = list(members)
        if random.random() < 0.2:
            members.insert(random.randrange(len(members) + 1), ('"x-trace"', self._value(2)))
        if shuffled and random.random() < 0.3:
            random.shuffle(members)
        space = random.choice(("", "", " ", "\t"))
        body = f",{space}".join(f"{name}{space}:{space}{value}" for name, value in members)
        # A lone surrogate is written as an escape only: as UTF-8 it would be none.
        return f"{{{body}{space}}}".encode() + random.choice(LINE_ENDS)

    def _object(self, names: tuple[str, ...]) -> str:
        members = [f'"{name}":{self._value(2)}' for name in names if self._random.random() < 0.6]
        if self._random.random() < 0.2:
            members.append(f"{self._random.choice(KEYS)}:{self._value(1)}")
        return "{" + ",".join(members) + "}"

    def _value(self, depth: int) -> str:
        drawn = self._random.random()
        if depth and drawn < 0.25:
            members = (f"{self._random.choice(KEYS)}:{self._value(depth - 1)}" for _ in range(3))
            return "{" + ",".join(members) + "}"
        if depth and drawn < 0.4:
            return "[" + " , ".join(self._value(depth - 1) for _ in range(3)) + "]"
        return self._scalar()

    def _scalar(self) -> str:
        return self._random.choice(self._random.choice((NUMBERS, STRINGS, ("null", "true", "false"))))


def _name(name: str, random: Random) -> str:
    """A method's name as JSON; some writers escape the slash."""
    return json.dumps(name).replace("/", "\\/") if random.random() < 0.2 else json.dumps(name)


def is_plain(line: bytes) -> bool:
    """Whether the line can be taken in one way only: JSON without a doubled key, NaN, or half a character."""
    try:
        value = json.loads(line, object_pairs_hook=_once, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _key(ident: str) -> str:
    """An id as what it means: a string by its value, a number by its spelling."""
    return json.dumps(json.loads(ident)) if ident.startswith('"') else ident
