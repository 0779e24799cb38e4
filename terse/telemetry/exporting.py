"""Records on their way to a collector: beside everything else, and without ever disturbing it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

from terse import __version__
from terse.record import Record

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace import TracerProvider

    from terse.telemetry.instruments import Instruments

MAX_WAITING = 10_000
"""Records that wait to be counted; beyond that they are dropped, and one line says so."""
CLOSE_SECONDS = 2.0
"""What the last export may take when the process ends."""

Providers = tuple["MeterProvider", "TracerProvider"]


class Telemetry:
    """Takes records from any thread, and exports them from one of its own, which imports OpenTelemetry.

    Args:
        say: told what is wrong with the export, under a word for what it is about.
        make: makes what exports; by the environment (`OTEL_*`), if None.
    """

    def __init__(self, say: Callable[[str, str], None], make: Callable[[], Providers] | None = None) -> None:
        self._say = say
        self._make = make or _from_environment
        self._waiting: SimpleQueue[Record | None] = SimpleQueue()
        self._closed = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def observe(self, record: Record) -> None:
        """See `terse.record.Observer`."""
        if self._waiting.qsize() >= MAX_WAITING:
            self._say("telemetry full", "telemetry: more is sent than can be counted: some of it is left out")
            return
        self._waiting.put(record)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Export what there is, and end. A collector that does not answer is not waited for any longer."""
        self._waiting.put(None)
        self._closed.wait(seconds)

    def _work(self) -> None:
        try:
            meters, tracers = self._make()
            instruments = self._instruments(meters, tracers)
        except Exception as error:
            # Not its own words: they may quote a header with a token in it.
            kind = type(error).__name__
            self._say("telemetry", f"telemetry is off: {kind} while it was set up: check the OTEL_ variables")
            self._drop()
            return
        while (record := self._waiting.get()) is not None:
            try:
                instruments.take(record)
            except Exception as error:
                self._say("telemetry record", f"telemetry of a result failed: {type(error).__name__}")
        for provider in (tracers, meters):
            try:
                provider.shutdown()
            except Exception as error:
                self._say("telemetry end", f"the last telemetry was not exported: {type(error).__name__}")
        self._closed.set()

    def _drop(self) -> None:
        while self._waiting.get() is not None:
            pass
        self._closed.set()

    def _instruments(self, meters: MeterProvider, tracers: TracerProvider) -> Instruments:
        from terse.telemetry.instruments import Instruments

        logger = logging.getLogger("opentelemetry")
        if not any(isinstance(each, _Said) for each in logger.handlers):
            logger.addHandler(_Said(self._say))
            # Its own words would be many lines, and tracebacks, among those of the server.
            logger.propagate = False
        return Instruments(meters.get_meter("terse", __version__), tracers.get_tracer("terse", __version__))


class _Said(logging.Handler):
    """Says in one line, once, what OpenTelemetry logs."""

    def __init__(self, say: Callable[[str, str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = say

    def emit(self, record: logging.LogRecord) -> None:
        # Not its own words: they may quote a header with a token in it.
        self._tell(
            f"telemetry {record.name}", f"telemetry is not exported as it should be: {record.name} says so"
        )


def _from_environment() -> Providers:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # Resource.create reads OTEL_RESOURCE_ATTRIBUTES; OTEL_SERVICE_NAME goes before what is given here.
    named = {} if _service_is_named() else {"service.name": "terse"}
    resource = Resource.create({**named, "service.version": __version__})
    readers: list[MetricReader] = []
    if os.environ.get("OTEL_METRICS_EXPORTER", "otlp") == "otlp":
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
    # What ends a process here does not run what is registered for its end: `close` does it.
    meters = MeterProvider(readers, resource, shutdown_on_exit=False)
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    if os.environ.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return meters, tracers


def _service_is_named() -> bool:
    attributes = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return bool(os.environ.get("OTEL_SERVICE_NAME")) or "service.name=" in attributes
