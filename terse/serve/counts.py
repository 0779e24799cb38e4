"""What is counted for `/metrics`, in the text format of Prometheus.

The only importer of prometheus_client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from terse.serve.replicas import Replicas
    from terse.serve.tally import Tally

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SENT = ("result", "list", "retrieve", "definition", "refusal", "error")
"""See `terse.record.What`."""
SUMS = {
    "bytes_in": "Bytes of messages as they came from servers",
    "bytes_out": "Bytes of messages as they were sent to clients",
    "tokens_in": "Tokens of results and lists of tools as they came from servers",
    "tokens_out": "Tokens of results and lists of tools as they were sent to clients",
    "tokens_fetched": "Tokens of what clients fetched later: to be taken off the savings",
    "not_counted": "Messages whose tokens nobody counted: they are in no sum of tokens",
}
"""The numbers of `terse.record.numbers`, and what they are."""
METHODS = ("GET", "POST", "DELETE", "OPTIONS")


class Counts:
    """Numbers of one service. Nothing in them says who asked, or what.

    Args:
        sessions, shared: how many there are now; called for each page.
        tally: what was sent.
    """

    def __init__(self, sessions: Callable[[], int], shared: Callable[[], int], tally: Tally) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "terse_http_requests", "Requests that were answered", ("method", "status"), registry=registry
        )
        self._seconds = Histogram(
            "terse_http_first_byte_seconds",
            "From a POST to the first byte of its answer",
            buckets=SECONDS,
            registry=registry,
        )
        self._under_way = Gauge("terse_http_requests_under_way", "POSTs under way", registry=registry)
        for name, text, count in (
            ("terse_sessions", "Sessions that are open", sessions),
            ("terse_shared_servers", "Servers that clients without sessions share", shared),
        ):
            Gauge(name, text, registry=registry).set_function(count)
        registry.register(_Sent(tally))

    def add_replicas(self, replicas: Replicas) -> None:
        """The page also says what all replicas of the service have in common, and then waits for Redis."""
        self._registry.register(_Shared(replicas))

    def begin(self) -> None:
        """A POST has come."""
        self._under_way.inc()

    def end(self) -> None:
        """It was answered, or given up."""
        self._under_way.dec()

    def answer(self, method: str, status: int, seconds: float | None) -> None:
        """An answer begins.

        Args:
            seconds: since the request came; None where that says nothing (a stream for what comes unasked).
        """
        # Made-up methods are one: each name would be kept for ever.
        self._requests.labels(method if method in METHODS else "other", str(status)).inc()
        if seconds is not None:
            self._seconds.observe(seconds)

    def page(self) -> bytes:
        """What `/metrics` says. Waits, where there are replicas."""
        return generate_latest(self._registry)


class _Sent(Collector):
    """What this process sent and saved since it began."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def collect(self) -> Iterator[CounterMetricFamily]:
        sums = self._tally.sums()
        sent = CounterMetricFamily(
            "terse_messages", "Messages of ours to clients, by what they were", labels=("what",)
        )
        for what in SENT:
            sent.add_metric((what,), sums.get(f"{what}s", 0))
        yield sent
        for name, text in SUMS.items():
            yield CounterMetricFamily(f"terse_{name}", text, value=sums.get(name, 0))


class _Shared(Collector):
    """The sums are of all replicas: each of them gives the same ones."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas

    def collect(self) -> Iterator[GaugeMetricFamily]:
        is_up = self._replicas.state() == "ok"
        yield GaugeMetricFamily("terse_redis_up", "Whether Redis can be used", value=float(is_up))
        today = GaugeMetricFamily(
            "terse_replicas_today", "Of all replicas together, this day (UTC)", labels=("what",)
        )
        for what, number in sorted(self._replicas.counted().items()):
            today.add_metric((what,), number)
        yield today
