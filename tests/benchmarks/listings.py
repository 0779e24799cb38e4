"""What lists of tools cost: as received, in place, wrapped, and behind mcp-compressor. Not tests.

Tokens are o200k of what clients give a model: names, descriptions and input schemas as compact JSON. The
lists are files `{"tools": […]}` of a folder (`--corpus`); mcp-compressor is installed in an environment of
its own and run in front of a server with the same list.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from terse.language import check
from terse.listing.definition import FOR_THE_MODEL
from terse.plan.model import Plan
from terse.proxy.complaints import Complaints
from terse.proxy.session import ProxySession
from terse.proxy.tool_list import ToolList
from terse.proxy.wire import Wire
from terse.tokens import vocabulary
from tests.benchmarks.peers.install import CACHE, NotInstalled, Peer

LEVELS = ("low", "medium", "high", "max")
COMPRESSOR = Peer("mcp-compressor", "mcp-compressor==0.38.2", ("unused",))
SERVER = Path(__file__).parent.parent / "servers" / "tool_list.py"
FETCHED = 5
"""Tools of a server whose definition a session fetches, in the columns `net`."""


def measure(corpus: str | None) -> Iterator[str]:
    """Lines of two tables: all servers together by level, and one server a line."""
    if corpus is None or not Path(corpus).is_dir():
        yield "listings needs a folder of tool lists: --corpus FOLDER"
        return
    files = sorted(Path(corpus).glob("*.json"))
    try:
        COMPRESSOR.command()
        with_peer = True
    except (NotInstalled, OSError) as error:
        yield f"without mcp-compressor: {error}"
        with_peer = False
    servers = [_Server(file, with_peer) for file in files]
    tools = sum(len(server.tools) for server in servers)
    received = sum(server.received for server in servers)
    yield f"{len(servers)} servers, {tools} tools, {received:,} tokens as received"
    yield "net: with the definitions fetched of 5 tools of each server, of average size"
    yield ""
    heads = ("in place", "net", "wrapped", "net", *(("compressor", "net") if with_peer else ()))
    columns = "".join(f"{head:>15}" for head in heads)
    yield f"level  {columns}{'   larger than it' if with_peer else ''}"
    for level in LEVELS:
        in_place = sum(server.in_place[level] for server in servers)
        wrapped = sum(server.wrapped[level] for server in servers)
        fetched = sum(server.fetched for server in servers)
        line = f"{level:7}{_cell(in_place, received)}"
        line += _cell(in_place + (0 if level == "low" else fetched), received)
        line += f"{_cell(wrapped, received)}{_cell(wrapped + fetched, received)}"
        if with_peer:
            peer = sum(server.peer[level] for server in servers)
            peer_fetched = sum(server.peer_fetched for server in servers)
            larger = [server.name for server in servers if server.wrapped[level] > server.peer[level]]
            line += f"{_cell(peer, received)}{_cell(peer + peer_fetched, received)}"
            line += f"   {', '.join(larger) or 'none'}"
        yield line
    yield ""
    yield "server                tools  received  low: in place  wrapped  compressor"
    for server in servers:
        peer_low = f"{server.peer['low']:>12,}" if with_peer else ""
        yield (
            f"{server.name:22}{len(server.tools):>5}{server.received:>10,}{server.in_place['low']:>15,}"
            f"{server.wrapped['low']:>9,}{peer_low}"
        )


def _cell(tokens: int, received: int) -> str:
    return f"{tokens:,} {100 * (tokens - received) / received:>+4.0f}%".rjust(15)


class _Server:
    """One list, measured."""

    def __init__(self, file: Path, with_peer: bool) -> None:
        self.name = file.stem
        self.tools: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["tools"]
        self.received = _tokens(self.tools)
        self.in_place = {level: _tokens(_shown(self, f"compress {level}")) for level in LEVELS}
        self.wrapped = {
            level: _tokens(_shown(self, "present wrapped", f"compress {level}")) for level in LEVELS
        }
        count = vocabulary().count
        fetched = [count(_compact(tool)) for tool in self.tools]
        self.fetched = sum(fetched) * min(FETCHED, len(fetched)) // len(fetched)
        self.peer: dict[str, int] = {}
        self.peer_fetched = 0
        if not with_peer:
            return
        for level in LEVELS:
            with _Compressor(file, self.name, level) as peer:
                self.peer[level] = _tokens(peer.tools())
                if level == "medium":
                    given = [count(peer.schema(tool["name"])) for tool in self.tools]
                    self.peer_fetched = sum(given) * min(FETCHED, len(given)) // len(given)


def _tokens(tools: list[dict[str, Any]]) -> int:
    return vocabulary().count(f"[{','.join(map(_compact, tools))}]")


def _compact(tool: dict[str, Any]) -> str:
    shown = {key: tool[key] for key in FOR_THE_MODEL if key in tool}
    return json.dumps(shown, separators=(",", ":"), ensure_ascii=False)


def _shown(server: _Server, *lines: str) -> list[dict[str, Any]]:
    proxy = ProxySession(_plan(*lines), server.name, vocabulary(), Complaints(), client="text")
    wire = Wire(lambda _: True)
    wire.from_client(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    reply = {"jsonrpc": "2.0", "id": 1, "result": {"tools": server.tools}}
    page = wire.from_server(json.dumps(reply).encode() + b"\n")
    assert isinstance(page, ToolList)
    tools: list[dict[str, Any]] = json.loads(proxy.rewrite_list(page))["result"]["tools"]
    return tools


def _plan(*lines: str) -> Plan:
    text = "terse 1\ntools */* {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    plan = check(["main.terse"], reader=_OneFile(text)).plan
    assert plan is not None
    return plan


class _OneFile:
    """A reader of rule files that has one."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()

    def read(self, path: str) -> bytes:
        if path != "main.terse":
            raise FileNotFoundError(2, "does not exist", path)
        return self._data

    def files(self, folder: str) -> list[str]:
        return ["main.terse"]

    def is_folder(self, path: str) -> bool:
        return path == "."

    def exists(self, path: str) -> bool:
        return path == "main.terse"

    def is_inside(self, path: str, folder: str) -> bool:
        return True


class _Compressor:
    """mcp-compressor in front of a server with the list."""

    def __init__(self, file: Path, name: str, level: str) -> None:
        program = CACHE / "mcp-compressor" / "bin" / "mcp-compressor"
        command = [str(program), "-c", level, "-n", name, "--", sys.executable, str(SERVER), str(file)]
        self._name = name
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        client = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        }
        self._ask("initialize", client)
        self._tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> _Compressor:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def tools(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("tools/list", {})["tools"]
        return found

    def schema(self, tool: str) -> str:
        params = {"name": f"{self._name}_get_tool_schema", "arguments": {"tool_name": tool}}
        return "".join(str(block.get("text", "")) for block in self._ask("tools/call", params)["content"])

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._tell({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert self._process.stdout
        while True:
            reply = json.loads(self._process.stdout.readline())
            if reply.get("id") == 1:
                found: dict[str, Any] = reply["result"]
                return found

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
