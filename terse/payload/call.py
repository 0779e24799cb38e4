"""The call whose result is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Call:
    """One `tools/call`, by the names that rules match on.

    Attributes:
        server: the configured server name, never taken from the wire.
        tool: the upstream tool name, before any `rename`.
        arguments: the call's arguments as decoded JSON.
        is_error: the result says `isError: true`: nothing lossy is ever done to it.
    """

    server: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    is_error: bool = False

    @property
    def name(self) -> str:
        return f"{self.server}/{self.tool}"
