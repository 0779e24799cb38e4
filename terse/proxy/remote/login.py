"""Logging in by OAuth, where a server asks for it, and tokens for every request after that.

The flow is the SDK's (`mcp.client.auth`), which is imported once a server has refused a request. It holds a
lock for as long as a request takes, so that it is used for logging in only: tokens are put on requests here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

import httpx2

from terse.proxy.complaints import Complaints
from terse.proxy.remote.consent import Consent
from terse.proxy.remote.flight import Problem, waiting_for_the_user
from terse.proxy.remote.tokens import Stored, TokenFile

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
    from pydantic import BaseModel

_CHALLENGE = "www-authenticate"


class Login(httpx2.Auth):
    """Puts the token on requests to one server, and gets a new one where the server refuses it.

    Nothing is done for a server that never refuses: neither a request, nor an import.

    Args:
        url: the server's.
        seconds: how long the user has to agree in the browser.
        complaints: told where tokens cannot be kept: they are then this session's.
    """

    def __init__(self, url: str, seconds: float, complaints: Complaints) -> None:
        self._complaints = complaints
        self._url = url
        self._seconds = seconds
        self._file = TokenFile(url)
        self._access = _access_token(self._file.read())
        self._lock = asyncio.Lock()

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """See `httpx2.Auth`."""
        used = self._access
        _put(request, used)
        response = yield request
        if not _is_refusal(response, used):
            return
        with waiting_for_the_user():
            await self._lock.acquire()
        try:
            if self._access == used:
                flow = self._flow(request, response, used)
                try:
                    outgoing = await flow.__anext__()
                    while True:
                        outgoing = await flow.asend((yield outgoing))
                except StopAsyncIteration:
                    pass
                finally:
                    await flow.aclose()
        finally:
            self._lock.release()
        _put(request, self._access)
        yield request

    async def _flow(
        self, request: httpx2.Request, refusal: httpx2.Response, used: str | None
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """The requests of a login, after which there is another token than the one that was refused.

        Raises:
            Problem: there is none.
        """
        async with self._file.locked():
            stored = self._file.read()
            self._access = _access_token(stored)
            if self._access is not None and self._access != used:
                # Another process logged in, or changed the token for a new one.
                return
            steps = self._log_in(request, refusal, stored)
            try:
                outgoing = await steps.__anext__()
                while True:
                    outgoing = await steps.asend((yield outgoing))
            except StopAsyncIteration:
                pass
            finally:
                await steps.aclose()

    async def _log_in(
        self, request: httpx2.Request, refusal: httpx2.Response, stored: Stored
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Drive the SDK's flow up to where it would send the server's own request again.

        Raises:
            Problem: the login failed.
        """
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        from mcp.client.auth import OAuthFlowError

        consent = Consent(self._seconds)
        refused = request.headers.get("Authorization")
        try:
            provider = await self._provider(consent, stored)
            if refusal.status_code == 401:
                # The server refused the token, whatever its time says: the first thing to try is a new one.
                provider.context.token_expiry_time = 1.0
            steps = provider.async_auth_flow(request)
            try:
                outgoing = await steps.__anext__()
                while outgoing is not request or request.headers.get("Authorization") == refused:
                    # It was sent as it is, and refused.
                    outgoing = await steps.asend(refusal if outgoing is request else (yield outgoing))
            finally:
                await steps.aclose()
            tokens = provider.context.current_tokens
            self._access = None if tokens is None else tokens.access_token
            self._keep(provider, stored)
        except StopAsyncIteration:
            raise Problem("the login led to no token") from None
        except OAuthFlowError as error:
            raise Problem(f"the login failed: {' '.join(str(error).split())[:300]}") from None
        except (httpx2.HTTPError, ValueError) as error:
            raise Problem(f"the login failed ({type(error).__name__})") from None
        finally:
            await consent.close()

    async def _provider(self, consent: Consent, stored: Stored) -> OAuthClientProvider:
        """The SDK's flow, with what is known from the last login."""
        from mcp.client.auth import OAuthClientProvider
        from mcp.shared.auth import OAuthClientMetadata, OAuthMetadata, ProtectedResourceMetadata

        _drop_unusable(stored)
        address = await consent.listen(_address(stored))
        if _address(stored) != address:
            # It is registered with an address that somebody else has now.
            stored.pop("client", None)
        provider = OAuthClientProvider(
            self._url,
            OAuthClientMetadata.model_validate(
                {
                    "client_name": "terse",
                    "redirect_uris": [address],
                    "grant_types": ["authorization_code", "refresh_token"],
                    "response_types": ["code"],
                    "token_endpoint_auth_method": "none",
                }
            ),
            _Storage(stored, self._write),
            consent.ask,
            consent.answer,
        )
        context = provider.context
        if "metadata" in stored:
            context.oauth_metadata = OAuthMetadata.model_validate(stored["metadata"])
        if "resource" in stored:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(stored["resource"])
            servers = context.protected_resource_metadata.authorization_servers
            context.auth_server_url = str(servers[0]) if servers else None
        return provider

    def _write(self, stored: Stored) -> None:
        try:
            self._file.write(stored)
        except OSError as error:
            self._complaints.say("login", f"the login cannot be kept: {error.strerror}: {self._file.path}")

    def _keep(self, provider: OAuthClientProvider, stored: Stored) -> None:
        context = provider.context
        for key, model in (
            ("metadata", context.oauth_metadata),
            ("resource", context.protected_resource_metadata),
        ):
            if model is not None:
                stored[key] = model.model_dump(mode="json", exclude_none=True)
        self._write(stored)


class _Storage:
    """The SDK's `TokenStorage`, on what is kept."""

    def __init__(self, stored: Stored, write: Callable[[Stored], None]) -> None:
        self._stored = stored
        self._write = write

    async def get_tokens(self) -> OAuthToken | None:
        from mcp.shared.auth import OAuthToken

        return OAuthToken.model_validate(self._stored["tokens"]) if self._stored.get("tokens") else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._set("tokens", tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        from mcp.shared.auth import OAuthClientInformationFull

        client = self._stored.get("client")
        return OAuthClientInformationFull.model_validate(client) if client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._set("client", client_info)

    def _set(self, key: str, model: Any) -> None:
        self._stored[key] = model.model_dump(mode="json", exclude_none=True)
        self._write(self._stored)


def _is_refusal(response: httpx2.Response, used: str | None) -> bool:
    """Whether a login may help: the server says what it wants, or refuses a token that it once gave."""
    challenge = response.headers.get(_CHALLENGE, "")
    if response.status_code == 401:
        return bool(challenge) or used is not None
    return response.status_code == 403 and "insufficient_scope" in challenge


def _access_token(stored: Stored) -> str | None:
    tokens = stored.get("tokens")
    access = tokens.get("access_token") if isinstance(tokens, dict) else None
    return access if isinstance(access, str) else None


def _drop_unusable(stored: Stored) -> None:
    """Leave out what is not what it should be: there is a login in its place."""
    from mcp.shared.auth import (
        OAuthClientInformationFull,
        OAuthMetadata,
        OAuthToken,
        ProtectedResourceMetadata,
    )
    from pydantic import ValidationError

    models: dict[str, type[BaseModel]] = {
        "tokens": OAuthToken,
        "client": OAuthClientInformationFull,
        "metadata": OAuthMetadata,
        "resource": ProtectedResourceMetadata,
    }
    for key, model in models.items():
        if key in stored:
            try:
                model.model_validate(stored[key])
            except ValidationError:
                del stored[key]


def _address(stored: Stored) -> str | None:
    """Where the browser was to come back to, when we registered."""
    client = stored.get("client")
    addresses = client.get("redirect_uris") if isinstance(client, dict) else None
    return str(addresses[0]) if isinstance(addresses, list) and addresses else None


def _put(request: httpx2.Request, access: str | None) -> None:
    if access is not None:
        request.headers["Authorization"] = f"Bearer {access}"
