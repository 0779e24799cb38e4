"""How much a client may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one service. Times are in seconds.

    Attributes:
        body_bytes: of one request.
        sessions: that are open at once.
        idle: after which a session that nobody listens to is closed.
        unread_bytes: that wait for the client of one session; then its server waits.
        silence: after which a comment keeps a stream open that says nothing (proxies close silent ones).
        grace: for requests that are under way when the service stops.
    """

    body_bytes: int = 16 * 1024 * 1024
    sessions: int = 1000
    idle: float = 1800.0
    unread_bytes: int = 64 * 1024 * 1024
    silence: float = 15.0
    grace: float = 5.0
