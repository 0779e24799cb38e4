"""How much a client may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one service. Times are in seconds.

    Attributes:
        body_bytes: of one request.
        sessions: that are open at once, and
        sessions_each: those of one user.
        requests: that are under way at once.
        idle: after which a session that nobody listens to is closed.
        request_seconds: after which a request is given up, and its client told so.
        arrival: that the head of a request may take, and then its body.
        unread_bytes: that wait for the client of one session; then its server waits.
        silence: after which a comment keeps a stream open that says nothing (proxies close silent ones).
        grace: for requests that are under way when the service stops.
    """

    body_bytes: int = 16 * 1024 * 1024
    sessions: int = 1000
    sessions_each: int = 1000
    requests: int = 2000
    idle: float = 1800.0
    request_seconds: float = 600.0
    arrival: float = 30.0
    unread_bytes: int = 64 * 1024 * 1024
    silence: float = 15.0
    grace: float = 10.0
