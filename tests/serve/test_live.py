"""Rules that change while a service runs: valid ones hold for all sessions, others change nothing."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import Any

import httpx2
import pytest

from tests.serve.served import (
    META,
    PATIENCE,
    TALKING,
    Alone,
    Client,
    Served,
    events,
    messages,
    request,
    served,
)

AS_IT_CAME = "terse 1\n\nrule everything {\n  on */*\n  use minify\n}\n"
REMOVING = "terse 1\n\nrule everything {\n  on */*\n  remove every body\n  use minify\n}\n"
BROKEN = "terse 1\n\nrule everything {\n  on */*\n  remov"
HIDING = AS_IT_CAME + "\ntools */* {\n  hide *records\n}\n"
SLOW = {"size": 3, "bodies": True}


@contextmanager
def followed(path: Path, several: bool = False) -> Iterator[tuple[Served, Path]]:
    """A service and its rule file."""
    rules = path / "rules.terse"
    rules.write_text(AS_IT_CAME)
    if not several:
        with served("--rules", str(rules)) as service:
            yield service, rules
        return
    document = path / "servers.json"
    one = {"command": sys.executable, "args": TALKING[1:]}
    document.write_text(json.dumps({"mcpServers": {"talking": one, "other": one}}))
    with served("--rules", str(rules), "--config", str(document), command=[]) as service:
        yield service, rules


def test_rules_are_followed(tmp_path: Path) -> None:
    """In sessions that are open, in new ones and without one; what does not compile is said, with its line,
    and the old rules stay."""
    with followed(tmp_path) as (service, rules), Client(service.url) as client, Alone(service.url) as alone:
        client.begin()
        before = client.call("records", **SLOW), alone.call("records", **SLOW)
        rules.write_text(REMOVING)
        service.wait_for("has changed: its rules hold")
        with Client(service.url) as later:
            later.begin()
            after = [each.call("records", **SLOW) for each in (client, alone, later)]
        rules.write_text(BROKEN)
        service.wait_for("the old rules stay")
        still = client.call("records", **SLOW), alone.call("records", **SLOW)

        assert any("rules.terse:" in line for line in service.said)
        assert all("x y z" in text for text in before)
        assert not any("x y z" in text for text in (*after, *still))


class Listening:
    """What a client is told unasked.

    Args:
        stream: where.
    """

    def __init__(self, stream: AbstractContextManager[httpx2.Response]) -> None:
        self.heard: Queue[Any] = Queue()
        threading.Thread(target=self._listen, args=(stream,), daemon=True).start()

    def _listen(self, stream: AbstractContextManager[httpx2.Response]) -> None:
        # The test ends while this listens.
        with suppress(httpx2.HTTPError), stream as response:
            for event in events(response):
                if event.data:
                    self.heard.put(event.message)

    def next(self, method: str) -> Any:
        while (message := self.heard.get(timeout=PATIENCE))["method"] != method:
            pass
        return message


def subscribed(client: Alone, ident: Any) -> Listening:
    """A client of 2026-07-28 that asked to be told of the tools."""
    message = client.request(ident, "subscriptions/listen", notifications={"toolsListChanged": True})
    return Listening(client.posting(message, **client.routing(message)))


@pytest.mark.parametrize("several", [False, True], ids=["one server", "several"])
def test_clients_are_told_of_tools_that_are_shown_otherwise(tmp_path: Path, several: bool) -> None:
    """Up to 2025-11-25 unasked, since 2026-07-28 on their subscription, under the id that they gave it."""
    changed = "notifications/tools/list_changed"
    with (
        followed(tmp_path, several) as (service, rules),
        Client(service.url) as client,
        Alone(service.url) as alone,
        Alone(service.url) as other,
    ):
        client.begin()
        for each in (client.post(request("l", "tools/list")), alone.ask("tools/list")):
            assert any(tool["name"].endswith("records") for tool in messages(each)[-1]["result"]["tools"])
        session, one, two = Listening(client.listening()), subscribed(alone, "mine"), subscribed(other, 7)
        # The server's own, as it begins.
        one.next(changed)
        two.next(changed)
        rules.write_text(HIDING)
        service.wait_for("has changed: its rules hold")
        session.next(changed)
        heard = one.next(changed), two.next(changed)

        assert [each["params"]["_meta"][f"{META}subscriptionId"] for each in heard] == ["mine", 7]
        listed = messages(alone.ask("tools/list"))[-1]["result"]["tools"]
        assert not any(tool["name"].endswith("records") for tool in listed)
        assert service.stop() == 0
