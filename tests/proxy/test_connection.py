"""A connection without a process around it: many in one process, and nothing left when they are closed."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from terse.proxy.child import Child
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Refused, Upstream
from terse.proxy.remote.server import RemoteServer, event_loop
from terse.proxy.rewriting import Rewriter
from terse.proxy.servers import Remote
from tests.proxy.process import PATIENCE, SERVER, call, request, text_of
from tests.proxy.shouting import Shouting
from tests.proxy.web import serving
from tests.servers.remote import RemoteApp


class Ends:
    """An owner of a connection: what it was sent, and how it ended."""

    def __init__(self, upstream: Upstream, rewriter: Rewriter | Exception | None = None) -> None:
        self.received: queue.Queue[bytes] = queue.Queue()
        self.ended: queue.Queue[BaseException | None] = queue.Queue()
        self.refused = threading.Event()
        self.is_gone = False

        def load() -> Rewriter:
            if isinstance(rewriter, Exception):
                raise rewriter
            return rewriter or Shouting()

        self.connection = Connection(
            upstream,
            self._take,
            load,
            ended=self.ended.put,
            refused=self.refused.set,
            complaints=Complaints(),
        )
        self.connection.start()

    def _take(self, data: bytes) -> None:
        if self.is_gone:
            raise BrokenPipeError
        for line in data.splitlines(keepends=True):
            self.received.put(line)

    def receive(self) -> bytes:
        return self.received.get(timeout=PATIENCE)


class Scripted:
    """A server that is no process: it answers each `ping`, and says what it is given."""

    def __init__(self) -> None:
        self.said: queue.Queue[bytes | None] = queue.Queue()
        self.input_closed = False

    def send(self, block: bytes) -> None:
        if self.input_closed:
            raise BrokenPipeError
        for line in block.splitlines():
            asked = json.loads(line)
            if asked["method"] == "ping":
                answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
                self.said.put(json.dumps(answer).encode() + b"\n")

    def blocks(self) -> Iterator[bytes]:
        while (block := self.said.get()) is not None:
            yield block

    def has_output(self) -> bool:
        return not self.said.empty()

    def close_input(self) -> None:
        self.input_closed = True

    def close_output(self) -> None:
        self.said.put(None)

    def wait(self) -> int:
        return 0

    def stop(self) -> int:
        self.said.put(None)
        return 0

    def release(self) -> None:
        pass


def open_descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def test_a_server_need_not_be_a_process() -> None:
    """Anything that takes and gives whole messages can stand at the server's end."""
    server = Scripted()
    ends = Ends(server)
    ends.connection.from_client(call(1, "echo", text="a") + request(2, "ping"))
    server.said.put(b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}\n')

    assert json.loads(ends.receive())["id"] == 2
    assert text_of(ends.receive()) == "A"
    assert ends.connection.close() == 0
    assert ends.ended.get(timeout=PATIENCE) is None


def test_many_connections_in_one_process_leave_nothing_behind() -> None:
    """Each has its own server, ids and memory; closed, they leave no thread, descriptor or process."""
    threads, descriptors = threading.active_count(), open_descriptors()
    many = [Ends(Child.spawn(SERVER)) for _ in range(8)]
    for number, ends in enumerate(many):
        ends.connection.from_client(call(1, "echo", text=f"server {number}"))

    assert [text_of(ends.receive()) for ends in many] == [f"SERVER {number}" for number in range(8)]
    for ends in many:
        ends.connection.close()
        assert ends.ended.get(timeout=PATIENCE) is None
    until = time.monotonic() + PATIENCE
    while threading.active_count() > threads and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= threads
    assert open_descriptors() == descriptors


def test_many_remote_servers_in_one_process_leave_nothing_behind() -> None:
    """They share one event loop; closed, also in the middle of a call, they leave no task and no socket."""
    app = RemoteApp()
    begin = request(0, "initialize", protocolVersion="2025-11-25")
    with serving(app) as address:
        server = Remote(f"{address}/mcp")
        first = Ends(RemoteServer(server, Complaints()))
        first.connection.from_client(begin)
        first.receive()
        first.connection.close()
        threads, descriptors = threading.active_count(), open_descriptors()
        many = [Ends(RemoteServer(server, Complaints())) for _ in range(8)]
        for number, ends in enumerate(many):
            ends.connection.from_client(begin + call(1, "echo", text=f"session {number}") + call(2, "hang"))
        for number, ends in enumerate(many):
            ends.receive()
            assert text_of(ends.receive()) == f"SESSION {number}"
        for ends in many:
            ends.connection.close()
            assert ends.ended.get(timeout=PATIENCE) is None
        Ends(RemoteServer(server, Complaints())).connection.close()
        until = time.monotonic() + PATIENCE
        while (
            threading.active_count() > threads or asyncio.all_tasks(event_loop())
        ) and time.monotonic() < until:
            time.sleep(0.01)

        assert threading.active_count() <= threads
        assert not asyncio.all_tasks(event_loop())
        while open_descriptors() > descriptors and time.monotonic() < until:
            time.sleep(0.01)
        assert open_descriptors() <= descriptors


def test_a_server_that_dies_ends_its_connection_only(tmp_path: Path) -> None:
    """The owner is told; what the server had said has been sent before, in order; sending to it fails."""
    dying, living = Ends(Child.spawn(SERVER)), Ends(Child.spawn(SERVER))
    dying.connection.from_client(call(1, "echo", text="last words") + call(2, "die"))

    assert dying.ended.get(timeout=PATIENCE) is None
    assert text_of(dying.receive()) == "LAST WORDS"
    assert dying.receive() == b'{"jsonrpc":"2.0","id":1,"resu'
    living.connection.from_client(call(1, "echo", text="alive"))
    assert text_of(living.receive()) == "ALIVE"
    with pytest.raises(OSError, match="pipe"):
        dying.connection.from_client(request(3, "ping"))
    assert dying.connection.close() == 7
    living.connection.close()


def test_a_client_that_is_gone_ends_its_server() -> None:
    """The server's input and output are closed: nobody reads what it says."""
    ends = Ends(Child.spawn(SERVER))
    ends.is_gone = True
    ends.connection.from_client(request(1, "ping"))

    assert ends.connection.client_gone.wait(PATIENCE)
    assert ends.ended.get(timeout=PATIENCE) is None
    ends.connection.close()


def test_refused_rules_are_told_to_the_owner(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing that the rules could be for is sent under rules that were refused."""
    ends = Ends(Child.spawn(SERVER), Refused("the policy is wrong"))
    ends.connection.from_client(call(1, "echo", text="a"))

    assert ends.refused.wait(PATIENCE)
    ends.connection.close()
    assert ends.received.empty()
    assert capfd.readouterr().err == "terse: the policy is wrong\n"


def test_the_exit_code_is_known_to_every_thread_that_waits() -> None:
    """The kernel gives it once; each caller of `wait` and `stop` gets it all the same."""
    child = Child.spawn(SERVER)
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(child.wait())) for _ in range(4)]
    for thread in threads:
        thread.start()
    codes.append(child.stop())
    for thread in threads:
        thread.join(PATIENCE)

    assert len(codes) == 5
    assert len(set(codes)) == 1
