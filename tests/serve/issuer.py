"""An authorization server that signs access tokens: its metadata, its keys, and what it counts."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass
class TestIssuer:
    """
    Attributes:
        url: where it is; set once that is known.
        keys: its private keys by their ids; tokens are signed with the last one.
        asked: how often its keys were asked for.
        is_away: it answers nothing but 503.
    """

    __test__ = False

    url: str = ""
    keys: dict[str, Any] = field(default_factory=dict)
    asked: int = 0
    is_away: bool = False

    def __post_init__(self) -> None:
        self.turn("first")

    def turn(self, name: str) -> None:
        """Sign with a new key from now on."""
        self.keys[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(self, audience: str, user: str = "ada", *, key: str | None = None, **claims: Any) -> str:
        """An access token; a claim that is None is left out."""
        name = key or list(self.keys)[-1]
        said = {
            "iss": self.url,
            "aud": audience,
            "sub": user,
            "exp": time.time() + 300,
            "iat": time.time(),
            **claims,
        }
        payload = {key: value for key, value in said.items() if value is not None}
        algorithm = "ES256" if isinstance(self.keys[name], ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(payload, self.keys[name], algorithm, headers={"kid": name})

    def application(self) -> Starlette:
        """Its metadata and keys, over HTTP."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._metadata),
                Route("/keys", self._keys),
            ]
        )

    async def _metadata(self, request: Request) -> Response:
        if self.is_away:
            return Response(status_code=503)
        return JSONResponse({"issuer": self.url, "jwks_uri": f"{self.url}/keys"})

    async def _keys(self, request: Request) -> Response:
        self.asked += 1
        keys = []
        for name, private in self.keys.items():
            elliptic = isinstance(private, ec.EllipticCurvePrivateKey)
            algorithm: Any = jwt.algorithms.ECAlgorithm if elliptic else jwt.algorithms.RSAAlgorithm
            keys.append({**json.loads(algorithm.to_jwk(private.public_key())), "kid": name, "use": "sig"})
        return JSONResponse({"keys": keys})
