"""The service as a resource server of OAuth: tokens that an authorization server signed for it.

What is checked is RFC 9068's: signature, issuer, audience, time. What clients are told is RFC 9728's: where a
token is to be had. INVARIANT: a token goes no further than here; the servers behind never see it.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from urllib.parse import urlsplit

import httpx2
import jwt

from terse.serve.access import Refusal

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that only who has the private key can make."""
KEYS_SECONDS = 600.0
"""How long the issuer's keys are believed; an unknown one is asked for earlier."""
ASK_SECONDS = 5.0
"""Least time between two looks for the keys, so that made-up tokens do not burden the issuer."""
FETCH_SECONDS = 10.0
LEEWAY_SECONDS = 10.0
MAX_BYTES = 1_000_000
WELL_KNOWN = "/.well-known/oauth-protected-resource"


class _Unreachable(Exception):  # noqa: N818 — says what the issuer is
    """The issuer does not say what its keys are."""


class Issuer:
    """See `terse.serve.access.Keys`.

    Args:
        url: the authorization server's, as its tokens have it in `iss`.
        audience: what its tokens for this service have in `aud`: the address that clients know it by.
        scopes: that a token must have.
    """

    def __init__(self, url: str, audience: str, scopes: tuple[str, ...] = ()) -> None:
        self._url = self._issuer = url
        self._audience = audience
        self._scopes = scopes
        self._keys: list[jwt.PyJWK] = []
        self._keys_read = self._keys_asked = float("-inf")
        self._asking = asyncio.Lock()

    @property
    def metadata(self) -> dict[str, Any]:
        """What `/.well-known/oauth-protected-resource` says."""
        document: dict[str, Any] = {
            "resource": self._audience,
            "authorization_servers": [self._url],
            "bearer_methods_supported": ["header"],
        }
        return {**document, "scopes_supported": list(self._scopes)} if self._scopes else document

    async def caller(self, token: str | None) -> str | Refusal:
        """See `Keys.caller`."""
        if token is None:
            return self._refusal(401, "a token is needed", None)
        try:
            claims = await self._claims(token)
        except _Unreachable:
            return Refusal(503, "the keys of the issuer cannot be read: try again later")
        except jwt.PyJWTError as error:
            # Its class, not its words: they may quote the token.
            return self._refusal(401, f"the token is not valid ({type(error).__name__})", "invalid_token")
        user = claims.get("sub") or claims.get("client_id") or claims.get("azp")
        if not isinstance(user, str):
            return self._refusal(401, "the token does not say whose it is", "invalid_token")
        if not set(self._scopes) <= _scopes_of(claims):
            return self._refusal(403, "the token lacks a scope", "insufficient_scope")
        return f"oauth:{user}"

    def _refusal(self, status: int, text: str, error: str | None) -> Refusal:
        parts = [f'resource_metadata="{metadata_url(self._audience)}"']
        if error is not None:
            parts.insert(0, f'error="{error}"')
        if self._scopes:
            parts.append(f'scope="{" ".join(self._scopes)}"')
        return Refusal(status, text, f"Bearer {', '.join(parts)}")

    async def _claims(self, token: str) -> dict[str, Any]:
        """
        Raises:
            jwt.PyJWTError: the token is not valid.
            _Unreachable: there is no telling.
        """
        name = jwt.get_unverified_header(token).get("kid")
        key = await self._key(name)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name] if key.algorithm_name in ALGORITHMS else [],
            audience=self._audience,
            issuer=self._issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud"]},
        )
        return claims

    async def _key(self, name: str | None) -> jwt.PyJWK:
        found = self._known(name)
        if found is None or time.monotonic() - self._keys_read > KEYS_SECONDS:
            async with self._asking:
                found = self._known(name)
                is_old = time.monotonic() - self._keys_read > KEYS_SECONDS
                if (found is None or is_old) and time.monotonic() - self._keys_asked > ASK_SECONDS:
                    self._keys_asked = time.monotonic()
                    try:
                        self._keys = await self._read_keys()
                        self._keys_read = time.monotonic()
                    except (httpx2.HTTPError, ValueError, KeyError, TypeError, jwt.PyJWTError):
                        # Keys that were read once stay good while the issuer is away.
                        pass
                    found = self._known(name)
        if found is None and not self._keys:
            raise _Unreachable
        if found is None:
            raise jwt.InvalidKeyError
        return found

    def _known(self, name: str | None) -> jwt.PyJWK | None:
        if name is None:
            return self._keys[0] if len(self._keys) == 1 else None
        return next((key for key in self._keys if key.key_id == name), None)

    async def _read_keys(self) -> list[jwt.PyJWK]:
        async with httpx2.AsyncClient(timeout=FETCH_SECONDS, follow_redirects=False) as client:
            for address in _metadata_addresses(self._url):
                response = await client.get(address)
                if response.status_code == 200:
                    break
            document = _small_json(response)
            if document["issuer"].rstrip("/") != self._url.rstrip("/"):
                raise ValueError("that is another issuer's")
            # As it writes itself, with or without the last slash: so do its tokens.
            self._issuer = document["issuer"]
            keys = _small_json(await client.get(document["jwks_uri"]))["keys"]
        found = []
        for each in keys:
            if each.get("use", "sig") == "sig":
                try:
                    found.append(jwt.PyJWK.from_dict(each))
                except jwt.PyJWTError:
                    # Of a kind that is not known here: no token can be signed with it.
                    continue
        return found


def metadata_url(audience: str) -> str:
    """Where RFC 9728 looks for what a resource says of itself: between its host and its path."""
    parts = urlsplit(audience)
    return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"


def _metadata_addresses(issuer: str) -> list[str]:
    """Where an authorization server says what it has: RFC 8414, and OpenID Connect."""
    parts = urlsplit(issuer)
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return [
        f"{root}/.well-known/oauth-authorization-server{path}",
        f"{root}/.well-known/openid-configuration{path}",
        f"{root}{path}/.well-known/openid-configuration",
    ]


def _small_json(response: httpx2.Response) -> dict[str, Any]:
    if response.status_code != 200 or len(response.content) > MAX_BYTES:
        raise ValueError("that is no such document")
    document: dict[str, Any] = response.json()
    return document


def _scopes_of(claims: dict[str, Any]) -> set[str]:
    """`scope` is one text (RFC 9068), `scp` a list or a text, as some issuers have it."""
    found: set[str] = set()
    for name in ("scope", "scp"):
        value = claims.get(name)
        if isinstance(value, str):
            found.update(value.split())
        elif isinstance(value, list):
            found.update(each for each in value if isinstance(each, str))
    return found
