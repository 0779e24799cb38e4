"""A server that wants a login, and the authorization server beside it: the SDK's, at two addresses."""

from __future__ import annotations

import json
import secrets
import time
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

import jwt
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
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response


@dataclass
class Authorization:
    """What the authorization server knows; the user of it always answers at once.

    Attributes:
        agrees: what the user says.
        issued: how many tokens came from logins and from refreshes.
        registered: the clients that registered, or are known beforehand.
        documents: where clients are called back whose id is the address of a document, which is not read.
        machines: clients that log in as themselves, with a secret or a public key in PEM.
    """

    agrees: bool = True
    gives_refresh_tokens: bool = True
    issued: dict[str, int] = field(default_factory=lambda: {"login": 0, "refresh": 0})
    documents: dict[str, str] = field(default_factory=dict)
    machines: dict[str, str] = field(default_factory=dict)
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

    def client(self, client_id: str, address: str, secret: str | None = None) -> OAuthClientInformationFull:
        """A client that is known beforehand."""
        return OAuthClientInformationFull.model_validate(
            {
                "client_id": client_id,
                "client_secret": secret,
                "redirect_uris": [address],
                "token_endpoint_auth_method": "none" if secret is None else "client_secret_basic",
                "grant_types": ["authorization_code", "refresh_token"],
                "scope": "use",
            }
        )

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        if client_id in self.documents:
            return self.client(client_id, self.documents[client_id])
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
        self.refresh.pop(token.token, None)

    def machine_token(self, issuer: str, form: dict[str, str], header: str) -> Response:
        """The answer to a client that asks for a token for itself."""
        if "client_assertion" in form:
            unverified = jwt.decode(form["client_assertion"], options={"verify_signature": False})
            client_id = unverified["sub"]
            jwt.decode(
                form["client_assertion"],
                self.machines[client_id],
                algorithms=["ES256", "RS256", "EdDSA"],
                audience=[issuer, f"{issuer}/"],
            )
        else:
            client_id, _, secret = b64decode(header.removeprefix("Basic ")).decode().partition(":")
            if not secret or self.machines.get(unquote(client_id)) != unquote(secret):
                return JSONResponse({"error": "invalid_client"}, 401)
        self.issued["machine"] = self.issued.get("machine", 0) + 1
        token = secrets.token_hex(16)
        self.access[token] = AccessToken(token=token, client_id=client_id, scopes=["use"])
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 3600})

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


def authorization_app(authorization: Authorization, address: str, *, can_revoke: bool = True) -> Any:
    """The authorization server at this address."""
    routes = create_auth_routes(
        authorization,  # type: ignore[arg-type]
        AnyHttpUrl(address),
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["use"]),
        revocation_options=RevocationOptions(enabled=can_revoke),
    )
    theirs = Starlette(routes=routes)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == "/token":
            request = Request(scope, receive)
            body = await request.body()
            form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
            if form.get("grant_type") == "client_credentials":
                answer = authorization.machine_token(address, form, request.headers.get("authorization", ""))
                await answer(scope, receive, send)
                return

            async def again() -> Any:
                return {"type": "http.request", "body": body, "more_body": False}

            await theirs(scope, again, send)
        elif (
            scope["type"] == "http" and scope["path"].startswith("/.well-known/") and authorization.documents
        ):
            await _with_documents(theirs, scope, receive, send)
        else:
            await theirs(scope, receive, send)

    return app


async def _with_documents(app: Any, scope: Any, receive: Any, send: Any) -> None:
    """Its metadata, which also say that a client id may be the address of a document."""
    sent: list[Any] = []

    async def keep(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, keep)
    metadata = json.loads(b"".join(each.get("body", b"") for each in sent))
    await JSONResponse({**metadata, "client_id_metadata_document_supported": True})(scope, receive, send)


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
