"""Telemetry: what is exported of what was sent, to whom, and that nothing else is disturbed by it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from terse.guarantee import Guarantee
from terse.record import Record
from terse.telemetry import names
from terse.telemetry.exporting import Providers, Telemetry
from terse.telemetry.wanted import Unusable, is_wanted
from tests.proxy.process import SERVER, call, request, started, text_of
from tests.proxy.test_retrieve import TYPED
from tests.serve.served import Client as HttpClient
from tests.serve.served import served
from tests.telemetry.receiver import receiver

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PROXY = [sys.executable, "-m", "terse", "proxy"]


def record(**more: Any) -> Record:
    given = {
        "at": 1_700_000_000.0,
        "what": "result",
        "client": "anybody",
        "server": "github",
        "tool": "list_issues",
        "bytes_in": 4000,
        "bytes_out": 1000,
        "milliseconds": 5.0,
        "tokens_in": 1000,
        "tokens_out": 250,
        "rule": "issues",
        "guarantee": Guarantee.LOSSY,
        "tiers": ("tabularize", "constants"),
        "lines": ("remove every body",),
        "call_milliseconds": 150.0,
        "traceparent": PARENT,
        **more,
    }
    return Record(**given)


def exported(*records: Record) -> tuple[dict[str, list[Any]], list[Any]]:
    """The points of each metric, and the spans."""
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
    found: list[Any] = []

    class Meters(MeterProvider):
        def shutdown(self, timeout_millis: float = 30000) -> None:
            found.append(reader.get_metrics_data())
            super().shutdown(timeout_millis)

    def make() -> Providers:
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(spans))
        return Meters([reader]), tracers

    said: list[str] = []
    telemetry = Telemetry(lambda kind, message: said.append(message), make)
    for each in records:
        telemetry.observe(each)
    telemetry.close(20)
    assert said == []
    points: dict[str, list[Any]] = {}
    for measured in found[0].resource_metrics:
        for scope in measured.scope_metrics:
            for metric in scope.metrics:
                points[metric.name] = list(metric.data.data_points)
    return points, list(spans.get_finished_spans())


def test_tokens_are_counted_by_tool_rule_and_class() -> None:
    """In and out, of messages whose tokens are known; the others are counted as messages only."""
    points, _ = exported(record(), record(), record(tokens_in=None, tokens_out=None))

    (received,), (sent,) = points["terse.tokens.received"], points["terse.tokens.sent"]
    assert (received.value, sent.value) == (2000, 500)
    assert dict(received.attributes) == {
        "terse.server": "github",
        "terse.what": "result",
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "list_issues",
        "terse.rule": "issues",
        "terse.class": "lossy",
    }
    assert sum(point.value for point in points["terse.messages"]) == 3
    assert {point.attributes["terse.tier"]: point.value for point in points["terse.tiers"]} == {
        "tabularize": 3,
        "constants": 3,
    }


def test_durations_are_in_seconds() -> None:
    """What terse added, and the whole call by OpenTelemetry's conventions for MCP."""
    points, _ = exported(record())

    (added,), (whole,) = points["terse.added.duration"], points["mcp.server.operation.duration"]
    assert (added.sum, whole.sum) == (0.005, 0.15)
    assert whole.explicit_bounds[0] == 0.01
    assert whole.attributes["gen_ai.operation.name"] == "execute_tool"


def test_a_call_is_a_span_in_the_trace_of_its_request() -> None:
    """It has the request's trace and parent, begins when the call was forwarded, and names the tool."""
    _, (span,) = exported(record(tracestate="vendor=1"))

    assert span.name == "tools/call list_issues"
    assert f"{span.context.trace_id:032x}" == PARENT.split("-")[1]
    assert f"{span.parent.span_id:016x}" == PARENT.split("-")[2]
    assert span.context.trace_state["vendor"] == "1"
    assert span.end_time - span.start_time == 150_000_000
    assert span.attributes["terse.tokens.received"] == 1000
    assert span.attributes["terse.lines"] == ("remove every body",)


@pytest.mark.parametrize("parent", [None, "", "00-zz-yy-01", "é" * 50, PARENT + "-more" * 100])
def test_a_trace_context_that_is_none_begins_a_trace(parent: str | None) -> None:
    """Whatever a client writes there, the result is counted and traced."""
    _, (span,) = exported(record(traceparent=parent))

    assert span.parent is None


def test_errors_are_told_as_the_conventions_say() -> None:
    """`tool_error` for a result with `isError`; the span of either is an error."""
    points, spans = exported(record(is_error=True), record(what="error", is_error=True, tokens_out=None))

    assert sorted(point.attributes["error.type"] for point in points["terse.messages"]) == [
        "_OTHER",
        "tool_error",
    ]
    assert [span.status.status_code.name for span in spans] == ["ERROR", "ERROR"]


def test_names_that_a_client_makes_up_are_bounded() -> None:
    """Each name is a series of its own in whoever collects them."""
    points, _ = exported(
        *(record(tool=f"tool_{number}") for number in range(1100)), record(tool="x" * 200, traceparent=None)
    )

    tools = {point.attributes["gen_ai.tool.name"] for point in points["terse.messages"]}
    assert len(tools) == 1001
    assert "_OTHER" in tools


def test_every_metric_and_attribute_is_named() -> None:
    """What is exported is what the documentation lists."""
    points, spans = exported(
        record(faults=("late",), bounds=("fit in",), aside_values=2, aside_tokens=50, repeat="diff"),
        record(what="retrieve", retrieved="value", is_first=True),
        record(what="list", tool="", is_error=False),
        record(is_error=True),
    )

    assert points.keys() == {metric.name for metric in names.METRICS}
    known = {attribute.name for attribute in names.ATTRIBUTES}
    for metric in names.METRICS:
        for point in points[metric.name]:
            assert set(point.attributes) <= {*names.COMMON, *metric.attributes} <= known
    for span in spans:
        assert set(span.attributes) <= known | {metric.name for metric in names.METRICS}


# ---- whether -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "asked", "wanted"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, False, True),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://localhost:4318/v1/metrics"}, False, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, False, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost", "OTEL_SDK_DISABLED": "true"}, False, False),
    ],
)
def test_it_is_off_unless_somebody_wants_it(environment: dict[str, str], asked: bool, wanted: bool) -> None:
    """By `--telemetry`, or by an endpoint in the environment."""
    assert is_wanted(environment, asked=asked) is wanted


@pytest.mark.parametrize(
    "environment",
    [
        {"OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_what_cannot_be_had_is_said(environment: dict[str, str]) -> None:
    """Before a server is started."""
    with pytest.raises(Unusable):
        is_wanted(environment, asked=True)


def test_without_the_extra_it_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint in the environment is for other programs, too; only `--telemetry` needs the extra."""
    monkeypatch.setattr("terse.telemetry.wanted.find_spec", lambda name: None)
    assert not is_wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, asked=False)
    with pytest.raises(Unusable, match=r"terse\[telemetry\]"):
        is_wanted({}, asked=True)


# ---- through a proxy -----------------------------------------------------------------------------------


def test_a_proxy_exports_what_it_sent_and_no_content(tmp_path: Path) -> None:
    """To the endpoint and with the headers of the environment; also what was sent just before its end."""
    with receiver() as collector:
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=abc",
            "OTEL_SERVICE_NAME": "my-agent",
            "XDG_CACHE_HOME": str(tmp_path),
        }
        with started([*PROXY, "--server-name", "people", "--", *SERVER], **environment) as client:
            meta = {"traceparent": PARENT}
            client.send(request(1, "tools/call", name="records", arguments={"size": 50}, _meta=meta))
            text = text_of(client.receive())
            client.close()
            assert client.wait() == 0

    (span,) = collector.spans
    assert span.name == "tools/call records"
    assert span.trace_id.hex() == PARENT.split("-")[1]
    assert {metric.name for metric in collector.metrics} >= {"terse.tokens.sent", "terse.messages"}
    assert {resource["service.name"] for resource in collector.resources} == {"my-agent"}
    assert collector.headers["x-key"] == "abc"
    for word in {word for word in text.split() if len(word) > 8}:
        assert not any(word.encode() in body for body in collector.raw)


def test_several_servers_are_told_apart(tmp_path: Path) -> None:
    """Each result counts for its server, and so does what is fetched of it by the tool that they share."""
    rules = tmp_path / "rules.terse"
    rules.write_text("terse 1\n\nrule all {\n  on */*\n  set aside every body\n  use minify\n}\n")
    servers = {name: {"command": TYPED[0], "args": TYPED[1:]} for name in ("one", "two")}
    config = json.dumps({"mcpServers": servers})
    with receiver() as collector:
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "XDG_CACHE_HOME": str(tmp_path)}
        line = [*PROXY, "--wait", "60", "--rules", str(rules), "--config", config]
        with started(line, **environment) as client:
            asked = iter(range(1, 100))

            def answer(method: str, **params: object) -> dict[str, Any]:
                ident = next(asked)
                client.send(request(ident, method, **params))
                while (message := json.loads(client.receive())).get("id") != ident:
                    pass
                return dict(message)

            info = {"name": "anybody", "version": "1"}
            answer("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
            client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            answer("tools/list")
            for name in servers:
                answer("tools/call", name=f"{name}__list_issues", arguments={})
            given = answer("tools/call", name="two__all_issues", arguments={})
            (handle, *_) = re.findall(r"h\d{9}", given["result"]["content"][0]["text"])
            answer("tools/call", name="terse_retrieve", arguments={"handle": handle})
            client.close()
            assert client.wait() == 0

    found = [{each.key: each.value.string_value for each in span.attributes} for span in collector.spans]
    called = [
        (each["terse.server"], each["gen_ai.tool.name"]) for each in found if each["terse.what"] == "result"
    ]
    assert sorted(called) == [("one", "list_issues"), ("two", "all_issues"), ("two", "list_issues")]
    (fetched,) = (each for each in found if each["terse.what"] == "retrieve")
    assert fetched["terse.server"] in servers
    assert fetched["terse.retrieved"] == "value"


def test_a_service_exports_what_its_clients_were_sent() -> None:
    """Of all sessions, to the end."""
    with receiver() as collector, served(OTEL_EXPORTER_OTLP_ENDPOINT=collector.endpoint) as service:
        for _ in range(2):
            with HttpClient(service.url) as client:
                client.begin().call("pid")
        assert service.stop() == 0

    assert [span.name for span in collector.spans] == ["tools/call pid"] * 2


@pytest.mark.parametrize("fault", ["nobody listens", "refuses"])
def test_a_collector_that_fails_disturbs_nothing(fault: str, tmp_path: Path) -> None:
    """Results go on, the end comes in time, and stderr has a line or two and no traceback."""
    with receiver(status=400) as collector:
        endpoint = collector.endpoint if fault == "refuses" else "http://127.0.0.1:9"
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_METRIC_EXPORT_INTERVAL": "100",
            "XDG_CACHE_HOME": str(tmp_path),
        }
        with started([*PROXY, "--", *SERVER], **environment) as client:
            for number in range(5):
                client.send(call(number, "records", size=50))
                assert json.loads(client.receive())["id"] == number
                time.sleep(0.1)
            client.close()
            assert client.wait() == 0
            said = client.errors()

    assert "Traceback" not in said
    assert all(line.startswith("terse: telemetry") for line in said.splitlines())
    assert said.count("\n") <= 4


def test_nothing_of_it_is_imported_when_it_is_off(tmp_path: Path) -> None:
    """A proxy that nobody asked for telemetry has no module of OpenTelemetry in it."""
    code = f"""
import os, sys
real = os._exit
def ending(code):
    found = sorted(name for name in sys.modules if name.startswith("opentelemetry"))
    print(found, file=sys.stderr, flush=True)
    real(code)
os._exit = ending
from terse.cli.entry import main
main(["proxy", "--", *{SERVER!r}])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=call(1, "records", size=50),
        capture_output=True,
        timeout=60,
        check=True,
        env={
            "PATH": "",
            "XDG_CACHE_HOME": str(tmp_path),
            "TERSE_LEDGER": "off",
            "PYTHONPATH": ":".join(filter(None, sys.path)),
        },
    )

    assert b'"id"' in done.stdout
    assert done.stderr == b"[]\n"
