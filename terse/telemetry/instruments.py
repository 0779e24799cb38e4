"""Records as metrics and spans, by OpenTelemetry's conventions for MCP where these have a name for it."""

from __future__ import annotations

from opentelemetry.metrics import Counter, Histogram, Meter
from opentelemetry.propagators.textmap import Getter
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from terse.record import Record
from terse.telemetry import names
from terse.telemetry.names import Metric

MAX_TOOLS = 1000
MAX_NAME = 128
_OTHER = "_OTHER"
_OWN = {"retrieve": "terse_retrieve", "definition": "terse_schema"}

Attributes = dict[str, AttributeValue]


class Instruments:
    """What records are counted in. To be used by one thread."""

    def __init__(self, meter: Meter, tracer: Tracer) -> None:
        self._tracer = tracer
        self._tools: set[str] = set()
        self._counters: dict[Metric, Counter] = {}
        self._histograms: dict[Metric, Histogram] = {}
        buckets = {names.ADDED: names.ADDED_BUCKETS, names.DURATION: names.DURATION_BUCKETS}
        for metric in names.METRICS:
            if metric.kind == "counter":
                self._counters[metric] = meter.create_counter(metric.name, metric.unit, metric.about)
            else:
                self._histograms[metric] = meter.create_histogram(
                    metric.name,
                    metric.unit,
                    metric.about,
                    explicit_bucket_boundaries_advisory=buckets[metric],
                )

    def take(self, record: Record) -> None:
        """Count the record, and make a span of it."""
        about = self._about(record)
        self._count(record, about)
        self._trace(record, about)

    def _about(self, record: Record) -> Attributes:
        about: Attributes = {
            names.SERVER: record.server,
            names.WHAT: record.what,
            names.METHOD: "tools/list" if record.what == "list" else "tools/call",
            names.CLASS: record.guarantee.word,
            names.FORM: record.form,
        }
        if record.what != "list":
            about[names.OPERATION] = "execute_tool"
        if record.tool:
            about[names.TOOL] = self._tool(record.tool)
        if record.rule is not None:
            about[names.RULE] = record.rule
        if record.repeat is not None:
            about[names.REPEAT] = record.repeat
        if record.retrieved is not None:
            about[names.KEPT] = record.retrieved
        if record.is_error:
            about[names.ERROR] = _OTHER if record.what == "error" else "tool_error"
        return about

    def _tool(self, name: str) -> str:
        """The name, where the metrics can bear it: a client may make up as many as it likes."""
        if name not in self._tools:
            if len(self._tools) >= MAX_TOOLS or len(name) > MAX_NAME:
                return _OTHER
            self._tools.add(name)
        return name

    def _count(self, record: Record, about: Attributes) -> None:
        self._add(names.MESSAGES, 1, about)
        if record.tokens_in is not None and record.tokens_out is not None:
            self._add(names.TOKENS_IN, record.tokens_in, about)
            self._add(names.TOKENS_OUT, record.tokens_out, about)
        self._add(names.BYTES_IN, record.bytes_in, about)
        self._add(names.BYTES_OUT, record.bytes_out, about)
        for tier in record.tiers:
            self._add(names.TIERS, 1, {**about, names.TIER: tier})
        if record.aside_values:
            self._add(names.ASIDE, record.aside_values, about)
            self._add(names.ASIDE_TOKENS, record.aside_tokens or 0, about)
        for bound in record.bounds:
            self._add(names.BOUNDS, 1, {**about, names.BOUND: bound})
        for fault in record.faults:
            self._add(names.FAULTS, 1, {**about, names.FAULT: fault})
        self._measure(names.ADDED, record.milliseconds, about)
        if record.call_milliseconds is not None:
            self._measure(names.DURATION, record.call_milliseconds, about)

    def _add(self, metric: Metric, amount: int, about: Attributes) -> None:
        self._counters[metric].add(amount, _of(metric, about))

    def _measure(self, metric: Metric, milliseconds: float, about: Attributes) -> None:
        self._histograms[metric].record(milliseconds / 1000, _of(metric, about))

    def _trace(self, record: Record, about: Attributes) -> None:
        method = str(about[names.METHOD])
        called = _OWN.get(record.what, about.get(names.TOOL))
        took = record.milliseconds if record.call_milliseconds is None else record.call_milliseconds
        end = round(record.at * 1e9)
        parent = _PROPAGATOR.extract(_context_of(record), getter=_GETTER)
        span = self._tracer.start_span(
            method if called is None or record.what == "list" else f"{method} {called}",
            parent,
            SpanKind.SERVER,
            {**about, **_more(record)},
            start_time=end - round(took * 1e6),
        )
        if record.is_error:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)


def _of(metric: Metric, about: Attributes) -> Attributes:
    wanted = (*names.COMMON, *metric.attributes)
    return {name: value for name, value in about.items() if name in wanted}


def _more(record: Record) -> Attributes:
    """What only spans say."""
    more: Attributes = {
        names.BYTES_IN.name: record.bytes_in,
        names.BYTES_OUT.name: record.bytes_out,
        names.ADDED.name: record.milliseconds / 1000,
    }
    if record.client:
        more[names.CLIENT] = record.client[:MAX_NAME]
    if record.tokens_in is not None and record.tokens_out is not None:
        more[names.TOKENS_IN.name] = record.tokens_in
        more[names.TOKENS_OUT.name] = record.tokens_out
    lists = {
        names.TIER: record.tiers,
        names.LINES: record.lines,
        names.BOUND: record.bounds,
        names.FAULT: record.faults,
    }
    more.update({name: list(values) for name, values in lists.items() if values})
    if record.aside_values:
        more[names.ASIDE.name] = record.aside_values
    if record.what == "retrieve":
        more[names.FIRST] = record.is_first
    return more


def _context_of(record: Record) -> dict[str, str]:
    given = {"traceparent": record.traceparent, "tracestate": record.tracestate}
    return {name: value for name, value in given.items() if value is not None}


class _Getter(Getter[dict[str, str]]):
    def get(self, carrier: dict[str, str], key: str) -> list[str] | None:
        return [carrier[key]] if key in carrier else None

    def keys(self, carrier: dict[str, str]) -> list[str]:
        return list(carrier)


_GETTER = _Getter()
_PROPAGATOR = TraceContextTextMapPropagator()
