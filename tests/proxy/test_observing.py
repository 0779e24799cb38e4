"""What is noted of each message that was sent: what it says, and that nobody waits for it."""

from __future__ import annotations

import json
import queue
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.cli.policy import default_plan
from terse.guarantee import Guarantee
from terse.language import check
from terse.plan.model import Plan
from terse.proxy import observing as observing_module
from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection
from terse.proxy.rewriting import MAX_COUNTED_BYTES
from terse.proxy.session import ProxySession
from terse.record import Record
from terse.tokens import vocabulary
from tests.proxy.process import PATIENCE

ISSUES = [
    {
        "number": number,
        "title": f"Build fails on platform {number}",
        "state": "open",
        "body": "A long description of what went wrong with the build on that platform. " * 30,
        "html_url": f"https://example.com/acme/app/issues/{number}",
    }
    for number in range(1, 21)
]
LISTED = json.dumps(ISSUES)
TAKING = """
rule issues {
  on github/*
  set aside every body
  remove every html_url
  use tabularize
}
"""


def tokens(*texts: str) -> int:
    return sum(map(vocabulary().count, texts))


def plan_of(tmp_path: Path, rules: str) -> Plan:
    path = tmp_path / "rules.terse"
    path.write_text(f"terse 1\n{rules}\n")
    checked = check([str(path)])
    plan = checked.plan
    assert plan is not None, checked.diagnostics
    return plan


class Answering:
    """A server that is no process: it answers each request with what the test says, by method and tool."""

    def __init__(self, results: dict[str, Any]) -> None:
        self._results = results
        self._said: queue.Queue[bytes | None] = queue.Queue()

    def send(self, block: bytes) -> None:
        for line in block.splitlines():
            asked = json.loads(line)
            if "id" not in asked:
                continue
            method, params = asked["method"], asked.get("params", {})
            given = self._results.get(params.get("name", method), {})
            answer = given if "error" in given or "result" in given else {"result": given}
            self._said.put(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}).encode() + b"\n")

    def blocks(self) -> Iterator[bytes]:
        while (block := self._said.get()) is not None:
            yield block

    def has_output(self) -> bool:
        return not self._said.empty()

    def close_input(self) -> None:
        self._said.put(None)

    def close_output(self) -> None:
        self._said.put(None)

    def wait(self) -> int:
        return 0

    def stop(self) -> int:
        self._said.put(None)
        return 0

    def release(self) -> None:
        pass


class Observed:
    """A client of a connection, and the records of what it was sent."""

    def __init__(
        self,
        plan: Plan,
        results: dict[str, Any],
        *,
        name: str = "anybody",
        observer: Callable[[Record], None] | None = None,
    ) -> None:
        self.records: queue.Queue[Record] = queue.Queue()
        self._received: queue.Queue[bytes] = queue.Queue()
        self.session = ProxySession(
            plan, "github", vocabulary(), Complaints(), observe=observer or self.records.put
        )
        self._connection = Connection(
            Answering(results),
            self._take,
            lambda: self.session,
            ended=lambda error: None,
            refused=lambda: None,
            complaints=Complaints(),
            rewrites_lists=lambda introduction: True,
            holds_calls=True,
        )
        self._connection.start()
        self._connection.wait_until_loaded(PATIENCE)
        self._last = 0
        info = {"name": name, "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)

    def _take(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True):
            self._received.put(line)

    def ask(self, method: str, **params: Any) -> bytes:
        self._last += 1
        asked = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self._connection.from_client(json.dumps(asked).encode() + b"\n")
        while json.loads(answer := self._received.get(timeout=PATIENCE)).get("id") != self._last:
            pass
        return answer

    def call(self, tool: str, **arguments: Any) -> tuple[bytes, Record]:
        """The answer to a call, and what was noted of it."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        return answer, self.noted()

    def noted(self) -> Record:
        return self.records.get(timeout=PATIENCE)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def observe() -> Iterator[Callable[..., Observed]]:
    made: list[Observed] = []

    def begin(*args: Any, **kwargs: Any) -> Observed:
        made.append(Observed(*args, **kwargs))
        return made[-1]

    yield begin
    for each in made:
        each.close()


def texts(*given: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": each} for each in given], **more}


def sent_texts(message: bytes) -> list[str]:
    return [block["text"] for block in json.loads(message)["result"]["content"]]


def test_a_result_is_noted_with_what_it_cost_and_costs(observe: Callable[..., Observed]) -> None:
    """Exact tokens of its texts before and after, the bytes of the message, the rule, class and steps."""
    observed = observe(default_plan(), {"list_issues": texts(LISTED)})
    answer, record = observed.call("list_issues")

    assert (record.what, record.client, record.server, record.tool) == (
        "result",
        "anybody",
        "github",
        "list_issues",
    )
    assert record.tokens_in == tokens(LISTED)
    assert record.tokens_out == tokens(*sent_texts(answer)) < record.tokens_in
    assert record.bytes_out == len(answer) < record.bytes_in
    assert record.guarantee is Guarantee.LOSSLESS
    assert record.rule is not None
    assert "tabularize" in record.tiers
    assert record.milliseconds > 0
    assert record.call_milliseconds is not None
    assert record.call_milliseconds >= record.milliseconds
    assert (record.lines, record.bounds, record.faults, record.repeat) == ((), (), (), None)


def test_a_record_has_no_content_and_no_arguments(tmp_path: Path, observe: Callable[..., Observed]) -> None:
    """Whatever stands in a result or in a call is in no part of its record."""
    rules = TAKING
    observed = observe(plan_of(tmp_path, rules), {"list_issues": texts(LISTED)})
    _, record = observed.call("list_issues", secret="of the caller")

    said = repr(record)
    assert "what went wrong" not in said
    assert "example.com" not in said
    assert "secret" not in said
    assert "caller" not in said


def test_what_no_rule_touches_is_noted_as_it_came(tmp_path: Path, observe: Callable[..., Observed]) -> None:
    """It never waits for a rule, and its tokens are counted once it is sent; of a large one, bytes only."""
    rules = "rule other {\n on github/other\n use minify\n}"
    large = "word " * MAX_COUNTED_BYTES
    observed = observe(plan_of(tmp_path, rules), {"small": texts("a few words"), "large": texts(large)})
    answer, small = observed.call("small")
    _, too_large = observed.call("large")

    assert (small.tokens_in, small.tokens_out) == (tokens("a few words"), tokens("a few words"))
    assert (small.bytes_in, small.bytes_out) == (len(answer), len(answer))
    assert (small.rule, small.guarantee, small.milliseconds) == (None, Guarantee.EXACT, 0.0)
    assert (too_large.tokens_in, too_large.tokens_out) == (None, None)
    assert too_large.bytes_in > 5 * MAX_COUNTED_BYTES


def test_lines_that_take_away_are_noted_and_what_was_set_aside(
    tmp_path: Path, observe: Callable[..., Observed]
) -> None:
    """The lines as the rule has them, and how many values are kept, with their tokens."""
    rules = TAKING
    issues = [dict(each, body=f"{each['number']}: {each['body']}") for each in ISSUES]
    observed = observe(
        plan_of(tmp_path, rules), {"list_issues": texts(json.dumps(issues)), "tools/list": {"tools": []}}
    )
    observed.ask("tools/list")
    assert observed.noted().what == "list"
    answer, record = observed.call("list_issues")

    assert record.guarantee is Guarantee.LOSSY
    assert record.lines == ("remove every html_url", "set aside every body")
    assert record.rule == "issues"
    assert record.aside_values == 20
    assert record.aside_tokens == tokens(*(str(each["body"]) for each in issues))

    handle = re.findall(r"h\d{9}", sent_texts(answer)[0])[0]
    own = observed.session.own_tool
    assert own is not None
    given, fetched = observed.call(own, handle=handle)
    _, again = observed.call(own, handle=handle)
    _, unknown = observed.call(own, handle="h000000000")

    assert (fetched.what, fetched.tool, fetched.rule, fetched.retrieved) == (
        "retrieve",
        "list_issues",
        "issues",
        "value",
    )
    assert (fetched.tokens_in, fetched.tokens_out) == (0, tokens(*sent_texts(given)))
    assert (fetched.is_first, again.is_first) == (True, False)
    assert (unknown.is_error, unknown.retrieved, unknown.tool, unknown.is_first) == (True, None, "", False)


def test_a_result_that_came_before_is_noted_as_a_repeat(
    tmp_path: Path, observe: Callable[..., Observed]
) -> None:
    """And a fetch of the whole that it stands for is told from a fetch of what a rule set aside."""
    rules = "rule issues {\n on github/*\n use dedup then minify\n}"
    observed = observe(plan_of(tmp_path, rules), {"list_issues": texts(LISTED), "tools/list": {"tools": []}})
    observed.ask("tools/list")
    observed.noted()
    observed.call("list_issues")
    answer, record = observed.call("list_issues")

    assert record.repeat == "dedup"
    handle = re.findall(r"h\d{9}", sent_texts(answer)[0])[0]
    own = observed.session.own_tool
    assert own is not None
    _, fetched = observed.call(own, handle=handle)
    assert (fetched.retrieved, fetched.tool) == ("whole", "list_issues")


def test_a_client_that_shows_structured_content_is_charged_for_that(observe: Callable[..., Observed]) -> None:
    """Where it is shown what the server sent, nothing was saved, whatever became of the texts."""
    result = texts(LISTED, structuredContent={"result": ISSUES})
    schema = {"name": "list_issues", "inputSchema": {}, "outputSchema": {"type": "object"}}
    results = {"list_issues": result, "tools/list": {"tools": [schema]}}
    shown = json.dumps({"result": ISSUES}, separators=(",", ":"), ensure_ascii=False)
    unlisted = observe(default_plan(), results, name="claude-code")
    _, as_it_came = unlisted.call("list_issues")

    listed = observe(default_plan(), results, name="claude-code")
    listed.ask("tools/list")
    listed.noted()
    answer, once = listed.call("list_issues")

    assert as_it_came.form == "structured"
    assert as_it_came.tokens_in == as_it_came.tokens_out == tokens(shown)
    assert once.tokens_in == tokens(shown)
    assert once.tokens_out == tokens(*sent_texts(answer))
    assert (once.form, once.guarantee) == ("text", Guarantee.LOSSLESS)


def test_a_list_of_tools_is_noted_with_what_a_model_is_given(
    tmp_path: Path, observe: Callable[..., Observed]
) -> None:
    """Name, description and arguments of each tool, before and after, our own tools among the latter."""
    described = {"type": "string", "description": "What it is. " * 9}
    properties = {f"argument_{letter}": described for letter in "abcdef"}
    tools = [
        {
            "name": f"tool_{number}",
            "title": f"Tool {number}",
            "description": "Does one thing. " * 20,
            "inputSchema": {"type": "object", "properties": properties},
        }
        for number in range(20)
    ]
    rules = "tools github/* {\n compress high\n hide tool_7\n}"
    observed = observe(plan_of(tmp_path, rules), {"tools/list": {"tools": tools}})
    answer = observed.ask("tools/list")
    record = observed.noted()

    def cost(of: list[dict[str, Any]]) -> int:
        keys = ("name", "description", "inputSchema")
        return sum(
            tokens(
                json.dumps(
                    {key: tool[key] for key in keys if key in tool}, separators=(",", ":"), ensure_ascii=False
                )
            )
            for tool in of
        )

    assert record.what == "list"
    assert record.tokens_in == cost(tools)
    assert record.tokens_out == cost(json.loads(answer)["result"]["tools"]) < cost(tools)
    fetched = json.loads(observed.ask("tools/call", name="terse_schema", arguments={"tool": "tool_3"}))
    noted = observed.noted()
    assert (noted.what, noted.tool, noted.tokens_in) == ("definition", "tool_3", 0)
    assert noted.tokens_out == tokens(fetched["result"]["content"][0]["text"])
    observed.ask("tools/call", name="tool_7", arguments={})
    refusal = observed.noted()
    assert (refusal.what, refusal.tool, refusal.is_error) == ("refusal", "tool_7", True)


def test_errors_are_told_apart(observe: Callable[..., Observed]) -> None:
    """A result that says `isError` is a result; an error of the protocol has none."""
    failed = {"error": {"code": -32603, "message": "the database is away"}}
    observed = observe(default_plan(), {"says": texts("no such file", isError=True), "fails": failed})
    _, says = observed.call("says")
    _, fails = observed.call("fails")

    assert (says.what, says.is_error) == ("result", True)
    assert (fails.what, fails.is_error, fails.tokens_out) == ("error", True, None)
    assert "database" not in repr(fails)


def test_the_trace_context_of_a_request_is_noted(observe: Callable[..., Observed]) -> None:
    """As it stands in `_meta`, for whoever continues the trace."""
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    observed = observe(default_plan(), {"says": texts("a few words")})
    meta = {"traceparent": parent, "tracestate": "vendor=1"}
    observed.ask("tools/call", name="says", arguments={}, _meta=meta)
    record = observed.noted()

    assert (record.traceparent, record.tracestate) == (parent, "vendor=1")


def test_an_observer_that_fails_disturbs_nothing(
    observe: Callable[..., Observed], capfd: pytest.CaptureFixture[str]
) -> None:
    """Results go on; one line says so, once."""
    asked = threading.Semaphore(0)

    def fail(record: Record) -> None:
        asked.release()
        raise OSError("disk full of secrets")

    observed = observe(default_plan(), {"list_issues": texts(LISTED)}, observer=fail)
    answers = [observed.ask("tools/call", name="list_issues", arguments={"page": page}) for page in range(3)]
    assert all(asked.acquire(timeout=PATIENCE) for _ in answers)

    assert all(len(sent_texts(answer)[0]) < len(LISTED) for answer in answers)
    said = capfd.readouterr().err
    assert said.count("noting what was sent") == 1
    assert "secrets" not in said


def test_what_waits_to_be_counted_is_bounded(
    observe: Callable[..., Observed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound a record comes at once, with its bytes and without its tokens: none is lost."""
    monkeypatch.setattr(observing_module, "MAX_PENDING", 0)
    observed = observe(default_plan(), {"list_issues": texts(LISTED)})
    answer, record = observed.call("list_issues")

    assert (record.tokens_in, record.tokens_out) == (None, None)
    assert record.bytes_out == len(answer)
    assert record.guarantee is Guarantee.LOSSLESS


def test_the_gate_and_lateness_are_faults(
    observe: Callable[..., Observed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that was not made as it should be is noted as sent as it came, and why."""
    observed = observe(default_plan(), {"list_issues": texts(LISTED)})

    def wrong(*args: Any, **kwargs: Any) -> None:
        from terse.plan.gate import Refused

        raise Refused("another document")

    monkeypatch.setattr("terse.plan.gate.check_document", wrong)
    answer, record = observed.call("list_issues")

    assert sent_texts(answer) == [LISTED]
    assert record.faults == ("gate",)
    assert (record.guarantee, record.tiers) == (Guarantee.EXACT, ())
    assert record.tokens_in == record.tokens_out == tokens(LISTED)
