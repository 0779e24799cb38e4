"""A client that talks to a proxy process, and reads what it is sent by the documentation alone.

INVARIANT: every answer is the result that the server gave: the same bytes, or of JSON the same document; an
answer to a cancelled call, and everything before an `initialize`, is one that the client does not have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from terse.tiers.expand import expand
from tests.memory import reader
from tests.memory.sessions import canonical
from tests.proxy import process
from tests.proxy.strict import split
from tests.servers import changing

_NOT_THERE = "not answered"


class Conversation:
    """Calls of `tests/servers/changing.py`, made over one connection.

    Attributes:
        characters: of all texts, as the server gave them, and as they were sent.
        structured: results that came with `structuredContent`.
    """

    def __init__(self, connection: process.Client, lines: int, name: str = "anybody") -> None:
        """
        Args:
            lines: what the server was started with.
            name: of the client, as the proxy is told it.
        """
        self.connection = connection
        self.structured = 0
        self._name = name
        self.characters = [0, 0]
        self._lines = lines
        self._counted: dict[tuple[str, str], int] = {}
        self._last = 0
        self._waiting: dict[int, tuple[str, str, int, int]] = {}
        self._client = reader.Client()
        self._begin()

    def begin_anew(self) -> None:
        """`initialize` again: the server goes on as it was, and the client has nothing."""
        self._client = reader.Client()
        self._begin()

    def ask(self, tool: str, key: str, *, hold: bool = False) -> int:
        """Call a tool; `hold`: the server answers after the next call. Returns the call's id."""
        self._last += 1
        place = (tool, key)
        self._counted[place] = self._counted.get(place, -1) + 1
        calls = self._client.calls.setdefault(tool, [])
        calls.append((_NOT_THERE, []))
        self._waiting[self._last] = (tool, key, self._counted[place] // 2, len(calls) - 1)
        self.connection.send(process.call(self._last, tool, key=key, **({"hold": True} if hold else {})))
        return self._last

    def cancel(self, call: int) -> None:
        """Tell that the answer is not wanted: what comes all the same is dropped unread."""
        self._waiting.pop(call, None)
        params = {"requestId": call}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        self.connection.send(json.dumps(message).encode() + b"\n")

    def take(self) -> int:
        """Read the next answer, compare it with what the server gave, and return the call's id."""
        message = json.loads(self.connection.receive())
        ident: int = message["id"]
        if ident in self._waiting:
            self._compare(*self._waiting.pop(ident), message["result"])
        return ident

    def take_all(self) -> None:
        """Read answers until every call has one, but for the cancelled ones."""
        while self._waiting:
            self.take()

    def drop_all(self) -> None:
        """Read answers until every call has one, and do not look into them."""
        while self._waiting:
            self._waiting.pop(json.loads(self.connection.receive())["id"], None)

    def resident_bytes(self) -> int:
        """What the proxy has in memory now; 0 where /proc does not say."""
        try:
            status = Path(f"/proc/{self.connection.process.pid}/status").read_text()
        except OSError:
            return 0
        return next(int(row.split()[1]) * 1024 for row in status.splitlines() if row.startswith("VmRSS"))

    def _begin(self) -> None:
        self.take_all()
        info = {"name": self._name, "version": "1"}
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.connection.send(process.request("begin", "initialize", **begin))
        self._until("begin")
        self.connection.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.connection.send(process.request("tools", "tools/list"))
        tools = self._until("tools")["result"]["tools"]
        self._typed = {tool["name"] for tool in tools if "outputSchema" in tool}

    def _until(self, ident: str) -> dict[str, Any]:
        # What was cancelled may be answered still.
        while (message := json.loads(self.connection.receive())).get("id") != ident:
            pass
        return dict(message)

    def _compare(self, tool: str, key: str, revision: int, place: int, result: dict[str, Any]) -> None:
        given = changing.result(tool, key, revision, self._lines)
        sent = [block["text"] for block in result["content"]]
        self.characters[0] += sum(map(len, given))
        self.characters[1] += sum(map(len, sent))
        if tool == "alert":
            assert result["isError"]
            assert sent == given
        elif tool in self._typed or "structuredContent" in result:
            assert result["structuredContent"] == changing.structured(given)
            self.structured += 1
        own = [text in given for text in sent]
        decoded = [text if its_own else expand(text) for text, its_own in zip(sent, own, strict=True)]
        one_for_all = len(sent) < len(given) and not reader.ALL.fullmatch(decoded[0])
        calls = self._client.calls[tool]
        full = self._client.receive(tool, key, decoded, 1 if one_for_all else len(given), own)
        calls[place] = calls.pop()
        full = split(full[0]) if one_for_all else full
        assert list(map(canonical, full)) == list(map(canonical, given)), (tool, key, revision)
