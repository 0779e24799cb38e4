"""An OTLP/HTTP receiver: what a collector is, as far as our exports go."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Receiver:
    """
    Attributes:
        raw: the bodies that came, as bytes.
        spans, metrics: what they held.
        headers: of the last request.
    """

    def __init__(self, status: int = 200) -> None:
        self.raw: list[bytes] = []
        self.spans: list[Any] = []
        self.metrics: list[Any] = []
        self.resources: list[dict[str, str]] = []
        self.headers: dict[str, str] = {}
        self.status = status
        self.endpoint = ""

    def take(self, path: str, body: bytes) -> None:
        self.raw.append(body)
        if path.endswith("/v1/traces"):
            for traced in ExportTraceServiceRequest.FromString(body).resource_spans:
                self._note_resource(traced.resource)
                self.spans += [span for scope in traced.scope_spans for span in scope.spans]
        else:
            for measured in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self._note_resource(measured.resource)
                self.metrics += [metric for scope in measured.scope_metrics for metric in scope.metrics]

    def _note_resource(self, resource: Any) -> None:
        self.resources.append({each.key: each.value.string_value for each in resource.attributes})


@contextmanager
def receiver(status: int = 200) -> Iterator[Receiver]:
    """One that listens; `status` is what it answers."""
    made = Receiver(status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            made.headers = dict(self.headers.items())
            if made.status == 200:
                made.take(self.path, body)
            self.send_response(made.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
