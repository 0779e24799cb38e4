"""A server that wants a login, and the authorization server beside it: the SDK's, at two addresses."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from mcp.server import MCPServer
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette


@dataclass
class Authorization:
    """What the authorization server knows; the user of it always answers at once.

    Attributes:
        agrees: what the user says.
        issued: how many tokens came from logins and from refreshes.
        registered: the clients that registered.
    """

    agrees: bool = True
    gives_refresh_tokens: bool = True
    issued: dict[str, int] = field(default_factory=lambda: {"login": 0, "refresh": 0})
    registered: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    access: dict[str, AccessToken] = field(default_factory=dict)
    refresh: dict[str, RefreshToken] = field(default_factory=dict)

    def expire_all(self) -> None:
        """No access token is valid any more."""
        self.access.clear()

    def revoke_all(self) -> None:
        """Nor is a refresh token."""
        self.access.clear()
        self.refresh.clear()

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.registered.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id is not None
        self.registered[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if not self.agrees:
            return construct_redirect_uri(
                str(params.redirect_uri),
                error="access_denied",
                error_description="not today",
                state=params.state,
            )
        code = secrets.token_hex(16)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id or "",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        self.issued["login"] += 1
        return self._issue(client, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.issued["refresh"] += 1
        return self._issue(client, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)

    def _issue(self, client: OAuthClientInformationFull, scopes: list[str]) -> OAuthToken:
        access, refresh = secrets.token_hex(16), secrets.token_hex(16)
        client_id = client.client_id or ""
        self.access[access] = AccessToken(token=access, client_id=client_id, scopes=scopes)
        if self.gives_refresh_tokens:
            self.refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes)
        return OAuthToken(
            access_token=access,
            expires_in=3600,
            scope=" ".join(scopes),
            refresh_token=refresh if self.gives_refresh_tokens else None,
        )


def authorization_app(authorization: Authorization, address: str) -> Any:
    """The authorization server at this address."""
    routes = create_auth_routes(
        authorization,  # type: ignore[arg-type]
        AnyHttpUrl(address),
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["use"]),
    )
    return Starlette(routes=routes)


def guarded_app(authorization: Authorization, issuer: str, address: str) -> Any:
    """The MCP server at this address, which wants tokens of that issuer."""
    server = MCPServer(
        "guarded",
        token_verifier=authorization,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(issuer),
            resource_server_url=AnyHttpUrl(f"{address}/mcp"),
            required_scopes=["use"],
            validate_token_resource=False,
        ),
    )

    @server.tool()
    def echo(text: str) -> str:
        return text

    return server.streamable_http_app()
