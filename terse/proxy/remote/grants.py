"""The SDK's OAuth flows, one for each way to be known to an authorization server."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import BaseModel, ValidationError

from terse.proxy.remote.flight import NotLoggedIn
from terse.proxy.remote.tokens import Stored

if TYPE_CHECKING:
    import httpx2

    from terse.proxy.oauth_client import OAuthClient
    from terse.proxy.remote.consent import Consent

_BASIC: Final = "client_secret_basic"
_POST: Final = "client_secret_post"
_MODELS: dict[str, type[BaseModel]] = {
    "tokens": OAuthToken,
    "client": OAuthClientInformationFull,
    "metadata": OAuthMetadata,
    "resource": ProtectedResourceMetadata,
}


class Storage:
    """The SDK's `TokenStorage`, on what is kept.

    Args:
        stored: what is kept so far; changed in place.
        write: keeps it.
        client: who we are, where that was agreed beforehand.
    """

    def __init__(
        self, stored: Stored, write: Callable[[Stored], None], client: OAuthClientInformationFull | None
    ) -> None:
        self._stored = stored
        self._write = write
        self._client = client

    async def get_tokens(self) -> OAuthToken | None:
        return OAuthToken.model_validate(self._stored["tokens"]) if self._stored.get("tokens") else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._set("tokens", tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        client = self._stored.get("client")
        return self._client or (OAuthClientInformationFull.model_validate(client) if client else None)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._set("client", client_info)

    def _set(self, key: str, model: BaseModel) -> None:
        self._stored[key] = model.model_dump(mode="json", exclude_none=True)
        self._write(self._stored)


async def flow(
    url: str,
    client: OAuthClient,
    stored: Stored,
    write: Callable[[Stored], None],
    consent: Consent,
) -> OAuthClientProvider:
    """The flow that gets a token for the server at the URL, with what is known from the last login.

    Raises:
        NotLoggedIn: the client's key is none, or its port is taken.
    """
    _drop_unusable(stored)
    issuer = client.issuer or stored.get("metadata", {}).get("issuer")
    if client.is_alone:
        provider = _alone(url, client, Storage(stored, write, None), issuer)
    else:
        provider = await _of_user(url, client, stored, write, consent, issuer)
    context = provider.context
    if "metadata" in stored:
        context.oauth_metadata = OAuthMetadata.model_validate(stored["metadata"])
    if "resource" in stored:
        context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(stored["resource"])
        servers = context.protected_resource_metadata.authorization_servers
        context.auth_server_url = str(servers[0]) if servers else None
    return provider


def keep(provider: OAuthClientProvider, client: OAuthClient, stored: Stored) -> None:
    """Note what the next login, and a logout, need to know of this one."""
    for key, model in (
        ("metadata", provider.context.oauth_metadata),
        ("resource", provider.context.protected_resource_metadata),
    ):
        if model is not None:
            stored[key] = model.model_dump(mode="json", exclude_none=True)
    if client.id is not None:
        # INVARIANT: a secret that was given by the user stays where the user keeps it.
        stored["client"] = {"client_id": client.id}
    if client.identity is not None:
        stored["identity"] = client.identity


def check_stays(provider: OAuthClientProvider, client: OAuthClient) -> None:
    """
    Raises:
        NotLoggedIn: the flow has given up this client: its id is of another authorization server.
    """
    if client.id is not None and provider.context.client_info is None:
        raise NotLoggedIn(
            "the login failed: the server names another authorization server than the one that the client id "
            "is of (--client-issuer, or that of the first login: terse logout forgets it)"
        )


async def fit_method(provider: OAuthClientProvider, client: OAuthClient, response: httpx2.Response) -> None:
    """Send the secret as the authorization server wants it, if this is the response that says how."""
    known = provider.context.client_info
    if client.secret is None or known is None or response.status_code != 200:
        return
    try:
        said = json.loads(await response.aread())
    except (ValueError, RecursionError):
        return
    methods = said.get("token_endpoint_auth_methods_supported") if isinstance(said, dict) else None
    if isinstance(methods, list) and _BASIC not in methods and _POST in methods:
        known.token_endpoint_auth_method = _POST


async def _of_user(
    url: str,
    client: OAuthClient,
    stored: Stored,
    write: Callable[[Stored], None],
    consent: Consent,
    issuer: str | None,
) -> OAuthClientProvider:
    registered = _address(stored)
    address = await consent.listen(registered, client.callback_port)
    known = None
    if client.id is not None:
        known = OAuthClientInformationFull.model_validate(
            {
                "client_id": client.id,
                "client_secret": client.secret,
                "redirect_uris": [address],
                "token_endpoint_auth_method": "none" if client.secret is None else _BASIC,
                "issuer": issuer,
            }
        )
    elif registered != address:
        # It is registered with an address that somebody else has now.
        stored.pop("client", None)
    metadata = {
        "client_name": "terse",
        "redirect_uris": [address],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    return OAuthClientProvider(
        url,
        OAuthClientMetadata.model_validate(metadata),
        Storage(stored, write, known),
        consent.ask,
        consent.answer,
        client_metadata_url=client.metadata_url,
    )


def _alone(url: str, client: OAuthClient, storage: Storage, issuer: str | None) -> OAuthClientProvider:
    assert client.id is not None
    with warnings.catch_warnings():
        # That the server chooses the issuer is for the first login only.
        warnings.simplefilter("ignore")
        if client.key is None:
            return ClientCredentialsOAuthProvider(
                url, storage, client.id, client.secret or "", _BASIC, issuer=issuer
            )
        signing = SignedJWTParameters(
            issuer=client.id,
            subject=client.id,
            signing_key=client.key,
            signing_algorithm=_algorithm(client.key),
        )
        assertion = signing.create_assertion_provider()
        return PrivateKeyJWTOAuthProvider(url, storage, client.id, assertion, issuer=issuer)


def _algorithm(key: str) -> str:
    """What a key signs with, as JWTs call it."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    found: Any = None
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        found = load_pem_private_key(key.encode(), None)
    if isinstance(found, EllipticCurvePrivateKey) and found.curve.key_size in (256, 384, 521):
        return f"ES{512 if found.curve.key_size == 521 else found.curve.key_size}"
    if isinstance(found, Ed25519PrivateKey):
        return "EdDSA"
    if isinstance(found, RSAPrivateKey):
        return "RS256"
    raise NotLoggedIn(
        "the login failed: the client's key is no private key in PEM without a passphrase, RSA, EC or Ed25519"
    )


def _drop_unusable(stored: Stored) -> None:
    """Leave out what is not what it should be: there is a login in its place."""
    for key, model in _MODELS.items():
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
