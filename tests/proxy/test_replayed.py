"""A recorded session through a real proxy, and through `terse replay`: the same tokens, call by call."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from terse.capture.recorded import Notes
from terse.language import check
from terse.plan.stored import encode
from terse.proxy.clients import Shown
from terse.proxy.structured import shown_texts
from terse.review.replay import Job, replay, sessions
from terse.tokens import vocabulary
from tests.proxy.process import Client, call, request, started
from tests.servers.recordings import RECORDINGS

REPLAYING = Path(__file__).parent.parent / "servers" / "replay.py"
RULES = """terse 1

rule everything {
  on */*
  use compact then dedup then diff
  spend at most 5000 ms
}
"""

ORDERS = [
    {"id": 4000 + n, "customer": f"customer {n % 7}", "state": "open", "paid": n % 3 == 0} for n in range(40)
]
DONE = [{**order, "state": "done"} if order["id"] == 4012 else order for order in ORDERS]
BOARD, LATER = {"rows": ORDERS}, {"rows": DONE}
HITS = [
    f'FlightNum: "F{n}XK"\nCarrier: "BeatsWest"\nOrigin: "Adelaide Airport"\nPrice: {800 + n}'
    for n in range(30)
]
IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}
LINES = "\n".join(f"line {n}: what a file says in that place" for n in range(60))


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def blocks(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [text(json.dumps(row)) for row in rows]


RESULTS: list[tuple[str, dict[str, Any]]] = [
    ("rows", {"content": blocks(ORDERS)}),
    ("rows", {"content": blocks(DONE)}),
    ("rows", {"content": blocks(DONE)}),
    ("hits", {"content": [text("30 hits"), *map(text, HITS)]}),
    ("hits", {"content": [text("29 hits"), *map(text, HITS[1:])]}),
    ("mixed", {"content": [text("Here they are:"), *blocks(ORDERS), text("That is all.")]}),
    ("notes", {"content": [text(LINES, annotations={"priority": 1}), text(LINES)]}),
    ("notes", {"content": [text(LINES, annotations={"priority": 1}), text(LINES)]}),
    ("typed", {"content": [text(json.dumps(BOARD, indent=1))], "structuredContent": BOARD}),
    ("typed", {"content": [text(json.dumps(LATER, indent=1))], "structuredContent": LATER}),
    ("listed", {"content": blocks(ORDERS), "structuredContent": {"result": ORDERS}}),
    ("listed", {"content": blocks(ORDERS), "structuredContent": {"result": ORDERS}}),
    ("words", {"content": [text(LINES)], "structuredContent": {"result": LINES}}),
    ("other", {"content": [text("40 rows")], "structuredContent": BOARD}),
    ("other", {"content": [text("40 rows")], "structuredContent": BOARD}),
    ("embedded", {"content": [{"type": "resource", "resource": {"uri": "f:/a", "text": LINES}}]}),
    ("embedded", {"content": [{"type": "resource", "resource": {"uri": "f:/a", "text": LINES}}]}),
    ("for_the_user", {"content": [text(LINES, annotations={"audience": ["user"]}), text("done")]}),
    ("fails", {"content": [text(LINES), text(LINES)], "isError": True}),
    ("image", {"content": [text(LINES), IMAGE, text(LINES)]}),
    ("small", {"content": [text("done"), text("and done")]}),
    ("empty", {"content": []}),
]  # fmt: skip
OWN = ("own", [{"tool": tool, "arguments": {}, "result": result} for tool, result in RESULTS])
FIELD = [(recording.name, recording.calls) for recording in RECORDINGS]


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def tokens(result: dict[str, Any], shows: Shown) -> int:
    return sum(map(vocabulary().count, shown_texts(result, shows)))


def proxied(calls: list[dict[str, Any]], shows: Shown, rules: Path) -> list[int]:
    """What a client of a running proxy is shown of each call, in tokens."""
    typed = {each["tool"]: False for each in calls}
    for each in calls:
        typed[each["tool"]] |= each["result"].get("structuredContent") is not None
    schema = {"type": "object"}
    tools = [
        {"name": name, "inputSchema": schema, **({"outputSchema": schema} if is_typed else {})}
        for name, is_typed in typed.items()
    ]
    recording = rules.with_name("recording.json")
    recording.write_text(json.dumps({"tools": tools, "page": 0, "calls": calls}))
    proxy = [sys.executable, "-m", "terse", "proxy", "--rules", str(rules), "--client", shows]
    with started([*proxy, "--", sys.executable, str(REPLAYING), str(recording)]) as client:
        _begin(client)
        sent = []
        for number, each in enumerate(calls, 10):
            client.send(call(number, each["tool"], **each["arguments"]))
            sent.append(tokens(json.loads(client.receive())["result"], shows))
    return sent


def _begin(client: Client) -> None:
    client.send(request(0, "initialize", protocolVersion="2025-11-25", capabilities={}))
    client.receive()
    client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n', request(1, "tools/list"))
    client.receive()


@pytest.mark.parametrize("shows", ["text", "structured"])
@pytest.mark.parametrize(
    ("name", "calls"), [OWN, *FIELD], ids=lambda value: value if type(value) is str else ""
)
def test_replay_says_what_the_proxy_does(
    name: str, calls: list[dict[str, Any]], shows: Shown, tmp_path: Path
) -> None:
    """Many blocks, one or each for itself; the same data twice; embedded resources; errors; and repeats of
    them: for clients that show texts, and for those that show `structuredContent`."""
    rules = tmp_path / "rules.terse"
    rules.write_text(RULES)
    plan = check([str(rules)]).plan
    assert plan is not None
    lines = [json.dumps({"server": "recorded", **each}) for each in calls]
    (recorded,) = sessions(name, [line.encode() for line in lines], Notes())

    found = replay(Job(recorded, (encode(plan),), "o200k_base", shows))

    assert [row[0].problems for row in found] == [()] * len(calls)
    assert [row[0].before for row in found] == [tokens(each["result"], shows) for each in calls]
    assert [row[0].after for row in found] == proxied(calls, shows, rules)
