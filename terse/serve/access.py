"""Who may ask: the host and origin of a request, and whose token it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANYBODY = ""
"""The caller where no token is asked for."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a request is answered that is not let in.

    Attributes:
        challenge: the value of `WWW-Authenticate`; None without one.
    """

    status: int
    text: str
    challenge: str | None = None


class Keys(Protocol):
    """What knows tokens: `named_tokens.NamedTokens`, `issuer.Issuer`."""

    async def caller(self, token: str | None) -> str | Refusal:
        """Whose token it is, as a name that nobody else has; or why it is refused.

        Args:
            token: None if the request has none.
        """


@dataclass(frozen=True, slots=True)
class Access:
    """What is asked of every request.

    Attributes:
        hosts: names that the service is called by, without port; any, if empty.
        origins: origins of web pages that may ask (`https://example.com`); loopback ones may where
            the service listens there.
        keys: each has a say, and one that knows the token is enough; none if no token is asked for.
    """

    hosts: tuple[str, ...] = LOOPBACK
    origins: tuple[str, ...] = ()
    keys: Sequence[Keys] = ()

    def stranger(self, headers: Mapping[str, str]) -> Refusal | None:
        """Why the place that a request comes from is not let in; None if it is."""
        if self.hosts and _host(headers.get("host", "")) not in self.hosts:
            # A page of some web site whose name was made to point here (DNS rebinding).
            return Refusal(403, "this service is not called by that name: see --allow-host")
        origin = headers.get("origin")
        if origin is not None and not self._may_come_from(origin):
            return Refusal(403, "pages of that origin may not ask here: see --allow-origin")
        return None

    async def caller(self, headers: Mapping[str, str]) -> str | Refusal:
        """Whose request it is, or why it is not let in."""
        refusal = self.stranger(headers)
        if refusal is not None:
            return refusal
        if not self.keys:
            return ANYBODY
        token = _bearer(headers.get("authorization", ""))
        for keys in self.keys:
            found = await keys.caller(token)
            if isinstance(found, str):
                return found
            # The last one's refusal is given: it may say where a token is to be had.
            refusal = found
        assert refusal is not None
        return refusal

    def _may_come_from(self, origin: str) -> bool:
        if origin in self.origins:
            return True
        return set(LOOPBACK) <= set(self.hosts) and _host(urlsplit(origin).netloc) in LOOPBACK


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _bearer(header: str) -> str | None:
    scheme, _, token = header.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
