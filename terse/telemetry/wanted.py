"""Whether anybody wants telemetry: asked of the environment, without importing what would send it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

_ENDPOINTS = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)
_PROTOCOLS = (
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
)
_SPOKEN = "http/protobuf"


class Unusable(Exception):  # noqa: N818 — says what telemetry is
    """Telemetry was asked for and cannot be had. The message is one line that says what to do."""


def is_wanted(environment: Mapping[str, str], *, asked: bool) -> bool:
    """Whether records are to be exported.

    Args:
        asked: it was asked for by hand, and not only by the environment.

    Raises:
        Unusable: by hand, and it is switched off there, or what exports is not installed.
    """
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        if asked:
            raise Unusable("OTEL_SDK_DISABLED=true switches it off: unset it")
        return False
    if not asked and not any(environment.get(name, "").strip() for name in _ENDPOINTS):
        return False
    if not _is_installed():
        if asked:
            raise Unusable("it needs OpenTelemetry: pip install 'terse[telemetry]'")
        return False
    for name in _PROTOCOLS:
        spoken = environment.get(name, "").strip() or _SPOKEN
        if spoken != _SPOKEN:
            raise Unusable(f"{name}={spoken} is not spoken here: set it to {_SPOKEN}")
    return True


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False
