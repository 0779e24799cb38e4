"""Logging in by OAuth, where a server asks for it, and tokens for every request after that.

The flow is the SDK's (`mcp.client.auth`), which is imported once a server has refused a request. It holds a
lock for as long as a request takes, so that it is used for logging in only: tokens are put on requests here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from importlib import import_module

import httpx2

from terse.proxy.complaints import Complaints
from terse.proxy.oauth_client import OAuthClient
from terse.proxy.remote.consent import Consent
from terse.proxy.remote.flight import NotLoggedIn, waiting_for_the_user
from terse.proxy.remote.tokens import Stored, TokenFile

_CHALLENGE = "www-authenticate"


class Login(httpx2.Auth):
    """Puts the token on requests to one server, and gets a new one where the server refuses it.

    Nothing is done for a server that never refuses: neither a request, nor an import.

    Args:
        url: the server's.
        seconds: how long the user has to agree in the browser.
        complaints: told where tokens cannot be kept: they are then this session's.
        client: who we are; None: whoever we register as.
    """

    def __init__(
        self, url: str, seconds: float, complaints: Complaints, client: OAuthClient | None = None
    ) -> None:
        self._client = client or OAuthClient()
        self._complaints = complaints
        self._url = url
        self._seconds = seconds
        self._file = TokenFile(url)
        self._access = _access_token(self._kept())
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
            NotLoggedIn: there is none.
        """
        async with self._file.locked():
            stored = self._kept()
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
            NotLoggedIn: the login failed.
        """
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        with waiting_for_the_user():
            # This takes our time and not the server's; in a thread, so that other requests go on.
            await asyncio.to_thread(import_module, "terse.proxy.remote.grants")
        from mcp.client.auth import OAuthFlowError

        from terse.proxy.remote import grants

        client = self._client
        consent = Consent(self._seconds)
        refused = request.headers.get("Authorization")
        try:
            provider = await grants.flow(self._url, client, stored, self._write, consent)
            if refusal.status_code == 401:
                # The server refused the token, whatever its time says: the first thing to try is a new one.
                provider.context.token_expiry_time = 1.0
            steps = provider.async_auth_flow(request)
            try:
                outgoing = await steps.__anext__()
                while outgoing is not request or request.headers.get("Authorization") == refused:
                    grants.check_stays(provider, client)
                    # It was sent as it is, and refused.
                    response = refusal if outgoing is request else (yield outgoing)
                    await grants.fit_method(provider, client, response)
                    outgoing = await steps.asend(response)
            finally:
                await steps.aclose()
            tokens = provider.context.current_tokens
            self._access = None if tokens is None else tokens.access_token
            grants.keep(provider, client, stored)
            self._write(stored)
        except StopAsyncIteration:
            raise NotLoggedIn("the login led to no token") from None
        except OAuthFlowError as error:
            raise NotLoggedIn(f"the login failed: {' '.join(str(error).split())[:300]}") from None
        except (httpx2.HTTPError, ValueError) as error:
            raise NotLoggedIn(f"the login failed ({type(error).__name__})") from None
        finally:
            await consent.close()

    def _kept(self) -> Stored:
        """What is kept of a login as this client; of another one, nothing is of use."""
        stored = self._file.read()
        metadata = stored.get("metadata")
        issuer = metadata.get("issuer") if isinstance(metadata, dict) else None
        wanted = self._client.issuer
        is_of_it = wanted is None or issuer is None or str(issuer).rstrip("/") == wanted.rstrip("/")
        return stored if stored.get("identity") == self._client.identity and is_of_it else {}

    def _write(self, stored: Stored) -> None:
        try:
            self._file.write(stored)
        except OSError as error:
            self._complaints.say("login", f"the login cannot be kept: {error.strerror}: {self._file.path}")


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


def _put(request: httpx2.Request, access: str | None) -> None:
    if access is not None:
        request.headers["Authorization"] = f"Bearer {access}"
