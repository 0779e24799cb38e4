"""Lists of tools that come otherwise than they should: in a batch, or before rules are ready."""

from __future__ import annotations

import json
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.proxy import connection
from terse.proxy.batch import with_lists_apart
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection
from terse.proxy.rewriting import Rewriting
from terse.proxy.tool_list import ToolList
from tests.proxy.passive import Passive
from tests.proxy.process import PATIENCE, request, started
from tests.proxy.test_connection import Scripted

LISTS = b'{"jsonrpc":"2.0","id":"l","method":"tools/list"}'
PING = b'{"id": 1.0, "method":"ping"}'
SERVER = str(Path(__file__).parent.parent / "servers" / "member.py")


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (b"[" + PING + b" , " + LISTS + b"]\n", b"[" + PING + b"]\n" + LISTS + b"\n"),
        (b"[" + LISTS + b"]\r\n", LISTS + b"\n"),
        (LISTS + b"\n", LISTS + b"\n"),
        (b"[" + PING + b" ]\n", b"[" + PING + b" ]\n"),
        (b'["tools/list", 7, null]\n', b'["tools/list", 7, null]\n'),
        (b'[{"method":"tools/list"}]\n', b'[{"method":"tools/list"}]\n'),
        (b"[" + LISTS + b"\n", b"[" + LISTS + b"\n"),
    ],
)
def test_requests_for_lists_are_taken_out_of_a_batch(message: bytes, sent: bytes) -> None:
    """They come after the rest, each with its own bytes; whatever asks for none is not touched."""
    assert with_lists_apart(message) == sent


@given(st.binary())
def test_anything_passes(message: bytes) -> None:
    """Bytes that are no batch come out as they were."""
    assert with_lists_apart(b"[" + message) == b"[" + message


@pytest.mark.parametrize("many", [False, True], ids=["one server", "several"])
def test_a_hidden_tool_is_not_shown_in_a_batch_either(many: bool, tmp_path: Path) -> None:
    """Every request of the batch is answered, and the list is the one that rules make."""
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\n\ntools one/* {\n  hide say\n}\n")
    entry = {"command": sys.executable, "args": [SERVER, "one"]}
    other = {"command": sys.executable, "args": [SERVER, "two"]}
    document = json.dumps({"mcpServers": {"one": entry, "two": other} if many else {"one": entry}})
    command = [sys.executable, "-m", "terse", "proxy", "--rules", str(rules), "--config", document]
    with started(command) as client:
        introduction = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a"}}
        client.send(request(0, "initialize", **introduction))
        client.receive()
        batch = b"[" + b",".join(request(ident, "tools/list").strip() for ident in "lp") + b"]\n"
        # On a machine that is busy, the first list may have to be sent before rules are loaded.
        for _ in range(5):
            client.send(batch)
            found: dict[Any, Any] = {}
            while len(found) < 2:
                read = json.loads(client.receive())
                for each in read if isinstance(read, list) else [read]:
                    if "id" in each:
                        found[each["id"]] = each["result"]
            names = [[tool["name"] for tool in found[ident]["tools"]] for ident in "lp"]
            if not _shows_hidden(names[0]) and not _shows_hidden(names[1]):
                break

    assert names[0] == names[1]
    assert not _shows_hidden(names[0])
    assert not many or "two__say" in names[0]


def _shows_hidden(names: list[str]) -> bool:
    return "say" in names or "one__say" in names


class _Loading(Passive):
    """Rules that change every list, once they may be loaded."""

    def __init__(self) -> None:
        self.may_load = threading.Event()

    def __call__(self) -> _Loading:
        assert self.may_load.wait(PATIENCE)
        return self

    def touches_lists(self, client: str | None) -> bool:
        return True

    def rewrite_list(self, page: ToolList) -> bytes:
        return page.message.replace(b"hidden", b"shown")


def test_a_list_that_went_out_too_early_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The client is told that it has changed, once, as soon as rules can make it."""
    monkeypatch.setattr(connection, "Rewriting", partial(Rewriting, time_limit=0.05))
    server, rules, sent = Scripted(), _Loading(), []
    news = threading.Event()

    def take(data: bytes) -> None:
        sent.extend(data.splitlines())
        news.set()

    made = Connection(
        server,
        take,
        rules,
        ended=lambda error: None,
        refused=lambda: None,
        complaints=Complaints(),
        rewrites_lists=lambda introduction: True,
    )
    made.start()

    def listed(ident: int) -> bytes:
        made.from_client(request(ident, "tools/list"))
        news.clear()
        server.said.put(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"hidden"}]}}\n' % ident)
        assert news.wait(PATIENCE)
        return bytes(sent[-1])

    made.from_client(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
    assert b"hidden" in listed(1)
    news.clear()
    rules.may_load.set()
    assert news.wait(PATIENCE)
    assert json.loads(sent[-1])["method"] == "notifications/tools/list_changed"
    assert b"shown" in listed(2)
    made.close()

    assert sum(b"list_changed" in each for each in sent) == 1
    assert "the list of tools was not rewritten in time" in capfd.readouterr().err
