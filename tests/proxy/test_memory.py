"""Repeated calls through the proxy: what a client has, whatever became of the answers before."""

from __future__ import annotations

import json
from typing import Any

from terse.plan.model import Entry, Plan, Rule, Step
from terse.proxy.answer import Answer
from terse.proxy.complaints import Complaints
from terse.proxy.session import ProxySession
from terse.proxy.wire import Wire
from terse.tokens import vocabulary
from tests.plan.plans import ALL

FILE = "\n".join(f"line {number}: what a file says in that place" for number in range(80))
MEMORY = Plan(
    1,
    (
        Rule(
            "memory",
            "r.terse:3",
            ALL,
            chain=(Step("dedup", {"window": 20}), Step("diff", {"keyframe": 5})),
        ),
    ),
    (),
    (Entry(0, 0),),
)


class Connection:
    """A client, the proxy's wire and session, and a server; nothing runs beside anything else."""

    def __init__(self, client: str | None = None) -> None:
        self.wire = Wire()
        self.session = ProxySession(
            MEMORY, "server", vocabulary(), Complaints(), client=client, retrieves=False
        )
        self.last = 0

    def request(self, tool: str = "read", **arguments: Any) -> int:
        self.last += 1
        self.tell("tools/call", self.last, name=tool, arguments=arguments)
        return self.last

    def tell(self, method: str, ident: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if ident is not None:
            message["id"] = ident
        self.wire.from_client(json.dumps(message).encode() + b"\n")
        self.wire.read()

    def receive(
        self, ident: int, *texts: str, blocks: list[dict[str, Any]] | None = None, **more: Any
    ) -> Answer | None:
        content = blocks if blocks is not None else [{"type": "text", "text": text} for text in texts]
        message = {"jsonrpc": "2.0", "id": ident, "result": {"content": content, **more}}
        answer = self.wire.from_server(json.dumps(message).encode() + b"\n")
        while (call := self.wire.withdrawn()) is not False:
            if call is None:
                self.session.begin()
            else:
                self.session.forget(call.tool, call.arguments)
        return answer

    def send(self, answer: Answer | None, *, late: bool = False) -> list[str]:
        """The texts that the client gets; `late`: the time was over, and the original went out."""
        assert answer is not None
        message = self.session.rewrite(answer)
        self.session.settle(rewritten=not late)
        return texts(answer.message if late else message)

    def ask(self, *given: str, late: bool = False, **arguments: Any) -> list[str]:
        return self.send(self.receive(self.request(**arguments), *given), late=late)


def texts(message: bytes) -> list[str]:
    return [block["text"] for block in json.loads(message)["result"]["content"] if block["type"] == "text"]


def is_delta(given: list[str]) -> bool:
    return given[0].startswith("Re-run now: ")


def test_a_repeat_is_one_sentence() -> None:
    """Same tool, same arguments, in whatever order their keys are written."""
    connection = Connection()
    connection.ask(FILE, path="a", limit=1)

    assert connection.ask(FILE, limit=1, path="a") == [
        "Re-run now: identical to call #1 of this tool (same arguments)."
    ]


def test_calls_are_numbered_as_the_client_made_them() -> None:
    """Also those that failed, and those whose answers came in another order."""
    connection = Connection()
    first, second = connection.request(path="a"), connection.request(path="b")
    connection.send(connection.receive(second, FILE))
    connection.send(connection.receive(first, FILE))

    assert "call #2 " in connection.ask(FILE, path="b")[0]
    assert "call #1 " in connection.ask(FILE, path="a")[0]


def test_of_two_calls_at_once_the_first_never_rests_on_the_second() -> None:
    """The one that was asked first and answered last is sent in full."""
    connection = Connection()
    first, second = connection.request(path="a"), connection.request(path="a")
    connection.send(connection.receive(second, FILE))

    assert not is_delta(connection.send(connection.receive(first, FILE)))


def test_a_cancelled_call_leaves_no_base() -> None:
    """Its answer, should it still come, is not looked at; the next one is sent in full."""
    connection = Connection()
    connection.ask(FILE, path="a")
    cancelled = connection.request(path="a")
    connection.tell("notifications/cancelled", requestId=cancelled)

    assert connection.receive(cancelled, FILE) is None
    assert not is_delta(connection.ask(FILE, path="a"))
    assert "call #3 " in connection.ask(FILE, path="a")[0]


def test_a_call_that_was_cancelled_once_it_was_answered_leaves_no_base() -> None:
    """The client will not have read what was already on its way."""
    connection = Connection()
    answered = connection.request(path="a")
    connection.send(connection.receive(answered, FILE))
    connection.tell("notifications/cancelled", requestId=answered)

    assert not is_delta(connection.ask(FILE, path="a"))


def test_a_result_that_was_sent_late_is_the_base_that_it_is() -> None:
    """The original went out: that is what the client has, not what would have been sent."""
    connection = Connection()
    connection.ask(FILE, path="a")
    changed = FILE.replace("line 7:", "line seven:")
    connection.ask(changed, late=True, path="a")

    assert "identical to call #2 " in connection.ask(changed, path="a")[0]


def test_a_session_begun_anew_has_nothing() -> None:
    """After `initialize` everything is sent in full, and numbers begin at 1."""
    connection = Connection()
    connection.ask(FILE, path="a")
    connection.tell("initialize", 900, protocolVersion="2025-06-18")

    assert not is_delta(connection.ask(FILE, path="a"))
    assert "call #1 " in connection.ask(FILE, path="a")[0]


def test_two_connections_share_nothing() -> None:
    """What one client has, another has not."""
    one, other = Connection(), Connection()
    one.ask(FILE)

    assert not is_delta(other.ask(FILE))


def test_many_texts_become_one_where_no_block_says_more() -> None:
    """With annotations, or an image between them, every block stays."""
    given = [f"{number}\n{FILE}" for number in range(3)]
    plain, annotated = Connection(), Connection()
    plain.ask(*given)
    blocks = [{"type": "text", "text": text, "annotations": {"priority": 1}} for text in given]
    annotated.send(annotated.receive(annotated.request(), blocks=blocks))

    assert plain.ask(*given) == [
        "Re-run now: all 3 texts identical to those of call #1 of this tool (same arguments)."
    ]
    again = annotated.send(annotated.receive(annotated.request(), blocks=blocks))
    assert [text.split(" of call")[0] for text in again] == [
        f"Re-run now: identical to text {number}" for number in (1, 2, 3)
    ]


def test_texts_that_the_client_dropped_are_no_base() -> None:
    """It showed `structuredContent`, which says something else: it never had the text."""
    connection = Connection("claude-code")
    typed = connection.receive(connection.request(), FILE, structuredContent={"lines": 80})
    connection.send(typed)

    assert not is_delta(connection.ask(FILE))
    assert is_delta(connection.ask(FILE))
