"""Who may ask: the host and origin of a request, and its token."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a request is answered that is not let in.

    Attributes:
        challenge: the value of `WWW-Authenticate`; None without one.
    """

    status: int
    text: str
    challenge: str | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """What is asked of every request.

    Attributes:
        hosts: names that the service is called by, without port; any, if empty.
        origins: origins of web pages that may ask (`https://example.com`); loopback ones may where
            the service listens there.
        token: that each request has to bring as `Authorization: Bearer`; None if there is none.
    """

    hosts: tuple[str, ...] = LOOPBACK
    origins: tuple[str, ...] = ()
    token: str | None = None

    def refusal(self, headers: Mapping[str, str]) -> Refusal | None:
        """Why a request is not let in; None if it is."""
        if self.hosts and _host(headers.get("host", "")) not in self.hosts:
            # A page of some web site whose name was made to point here (DNS rebinding).
            return Refusal(403, "this service is not called by that name: see --allow-host")
        origin = headers.get("origin")
        if origin is not None and not self._may_come_from(origin):
            return Refusal(403, "pages of that origin may not ask here: see --allow-origin")
        if self.token is not None:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            is_right = hmac.compare_digest(given.strip().encode(), self.token.encode())
            if scheme.lower() != "bearer" or not is_right:
                return Refusal(401, "a valid bearer token is needed", 'Bearer realm="terse"')
        return None

    def _may_come_from(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        return set(LOOPBACK) <= set(self.hosts) and (urlsplit(origin).hostname or "") in LOOPBACK


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
