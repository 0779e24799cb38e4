"""What people complain about in other tools, and no other test shows: see docs/complaints.md."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from terse.cli.policy import default_plan
from terse.fields.selector import Everything
from terse.guarantee import Guarantee
from terse.payload.exact import dump, parse
from terse.payload.payload import Payload
from terse.plan.model import Quantity, Shorten
from terse.plan.run import run
from terse.plan.trace import Outcome
from terse.tiers.expand import expand
from terse.tokens import vocabulary
from tests.plan.plans import CALL, outcome, rule
from tests.proxy.process import SERVER, answers, call, request, started
from tests.proxy.strict import direct, proxied, python_client
from tests.servers.recordings import OBJECT, Recording

PROXY = [sys.executable, "-m", "terse", "proxy", "--"]


def by_default(text: str) -> Outcome:
    from terse.memory.session import Session

    return run(default_plan(), Payload.of(text), CALL, Session(), vocabulary())


def test_the_default_policy_loses_nothing() -> None:
    """None of its rules has a line that takes anything away, so nothing is ever less than lossless."""
    for each in default_plan().rules:
        assert each.fields == ()
    rows = [f"{n},ok,{n * 7}" for n in range(400)]
    rows[217] = "217,CRITICAL: the pump is on fire,0"
    text = "\n".join(["id,state,value", *rows])

    done = by_default(text)

    assert done.guarantee is not Guarantee.LOSSY
    assert expand(done.text) == text
    assert "CRITICAL: the pump is on fire" in done.text


def test_json_stays_json_or_says_that_it_is_none() -> None:
    """A list that is shortened is a list still, and its strings are whole; what was cut is counted in it."""
    text = json.dumps([{"id": n, "words": 'a "quoted" word, ' * 20} for n in range(50)])

    done = outcome(rule(fields=(Shorten((Everything(),), Quantity(5, "rows")),)), text)

    shortened = json.loads(expand(done.text))
    assert shortened[:5] == json.loads(text)[:5]
    assert len(shortened) == 6
    assert "the last 45 of 50 rows" in str(shortened[5])


CELLS: list[Any] = [
    [[[]]],
    [],
    {},
    [{}],
    {"": {}},
    [[], [[]], {}],
    [1, [2, [3, []]]],
    {"a": []},
    "42",
    "true",
    "1e5",
    "null",
    "[]",
    "{}",
    "",
    " ",
    "-0",
    "[2]: x,y",
    "a,b",
    None,
    True,
    0,
    -0.0,
    1e5,
]


@pytest.mark.parametrize("cell", CELLS, ids=json.dumps)
def test_odd_cells_of_a_table_come_back(cell: Any) -> None:
    """Empty containers, nested lists, strings that look like other values: in each row, and in some."""
    for every in (1, 3):
        rows = [
            {"id": n, "name": f"record number {n}", "cell": cell if n % every == 0 else f"other {n}"}
            for n in range(60)
        ]
        text = json.dumps({"rows": rows, "beside": cell})

        done = by_default(text)

        assert done.text != text
        assert parse(expand(done.text)) == parse(text)


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"b": {"c": {"d": [1, 2, {"e": None}]}}}},
        {"config": {f"key {n}": {"on": n % 2 == 0, "of": {"level": n}} for n in range(12)}},
        [{"k": n, f"only {n}": [n]} for n in range(9)],
        {f"n{n}": {"x": [{"y": [n]}]} for n in range(40)},
        [[n] for n in range(30)],
        [[n / 8 for n in range(m, m + 6)] for m in range(40)],
    ],
)
def test_nothing_is_larger_than_its_minified_json(value: Any) -> None:
    """The measure is JSON without white space, in tokens; of a small result, the text as it came."""
    count = vocabulary().count
    text = json.dumps(value, indent=2)

    done = by_default(text)

    minified = dump(parse(text))
    assert count(done.text) <= (count(minified) if done.text != text else count(text))
    if count(text) >= 250:
        assert count(done.text) <= count(minified)


def test_the_proxy_writes_no_file_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the folder that it works in is made or changed, whatever results say."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    source = "\n".join(f"    value_{n} = compute({n})" for n in range(200))
    (work / "module.py").write_text(source)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent.parent))

    with started([*PROXY, *SERVER]) as client:
        client.send(call(1, "echo", text=source), call(2, "records", size=100))
        answers([client.receive(), client.receive()])
        client.close()
        client.wait()

    assert [path.name for path in work.rglob("*")] == ["module.py"]
    assert (work / "module.py").read_text() == source


def test_another_process_sends_the_same_bytes(tmp_path: Path) -> None:
    """Also where Python orders its sets otherwise: a restart does not break a prompt cache."""
    rows = [{"id": n, "title": f"record {n}", "state": ["open", "closed"][n % 3 == 0]} for n in range(90)]
    texts = (json.dumps(rows), "\n".join(f"2026-01-01 12:{n:02}:00 INFO took {n * 7} ms" for n in range(60)))
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
    command = [sys.executable, "-m", "terse", "explain", "--call", "a/b", "--emitted"]

    sent = []
    for seed in ("1", "2", "3"):
        files = [str(tmp_path / f"{number}.txt") for number in range(len(texts))]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        sent.append(
            subprocess.run([*command, *files], capture_output=True, check=True, env=environment).stdout
        )

    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) < sum(map(len, texts)) / 2


def test_capabilities_are_the_servers_own() -> None:
    """What it announces, and what it does not, reaches the client byte for byte."""
    ask = request(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "x"})
    said = []
    for before in ([], PROXY):
        with started([*before, *SERVER]) as client:
            client.send(ask)
            said.append(client.receive())

    assert said[0] == said[1]
    assert json.loads(said[1])["result"]["capabilities"] == {}


def test_what_lifts_a_client_s_limit_stays(tmp_path: Path) -> None:
    """`_meta` of a tool is kept, also where its `outputSchema` is withdrawn and its results are rewritten."""
    meta = {"anthropic/maxResultSizeChars": 500_000, "other": {"kept": True}}
    data = {"rows": [{"id": n, "title": f"record {n}"} for n in range(80)]}
    result = {
        "content": [{"type": "text", "text": json.dumps(data)}],
        "structuredContent": data,
        "_meta": {"trace": "t-1"},
    }
    tool = {"name": "rows", "inputSchema": OBJECT, "outputSchema": OBJECT, "_meta": meta}
    path = Recording("limit", [tool], [{"tool": "rows", "arguments": {}, "result": result}]).saved(tmp_path)

    seen = python_client(path, "claude-code", proxied(path))

    assert seen.tools[0]["_meta"] == meta
    assert "outputSchema" not in seen.tools[0]
    assert seen.answers[0]["result"]["_meta"] == {"trace": "t-1"}
    whole = python_client(path, "claude-code", direct(path)).answers[0]["result"]
    assert len(json.dumps(seen.answers)) < len(json.dumps(whole)) / 2
