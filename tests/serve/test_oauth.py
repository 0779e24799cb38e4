"""The service as a resource server of OAuth, with an issuer over HTTP."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.proxy.web import serving
from tests.serve.issuer import TestIssuer
from tests.serve.served import TERSE, Client, Served, call, refused, served

AUDIENCE = "https://mcp.example.com/mcp"
ASK_SECONDS = 2.0
ASKS_SOON = [
    *(sys.executable, "-c"),
    f"from terse.serve import issuer; issuer.ASK_SECONDS = {ASK_SECONDS}; from terse.cli.entry import main; "
    "raise SystemExit(main())",
]
"""A service that asks an issuer for keys it does not know more often than in earnest."""


@contextmanager
def guarded(*options: str, terse: Sequence[str] = TERSE) -> Iterator[tuple[Served, TestIssuer]]:
    issuer = TestIssuer()
    with serving(issuer.application()) as url:
        issuer.url = url
        arguments = ("--oauth-issuer", url, "--oauth-audience", AUDIENCE, *options)
        with served(*arguments, terse=terse) as service:
            yield service, issuer


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Served, TestIssuer]]:
    """A service that asks for a scope, and its issuer."""
    with guarded("--oauth-scope", "mcp:tools") as running:
        yield running


def _asked(service: Served, token: str | None) -> httpx2.Response:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    with Client(service.url, headers=headers) as client:
        return client.post(call(1, "pid"))


def test_a_token_that_was_issued_for_the_service(both: tuple[Served, TestIssuer]) -> None:
    """Its user has sessions, which end with no token, as the next one is as good."""
    service, issuer = both
    first = issuer.token(AUDIENCE, scope="openid mcp:tools")
    with Client(service.url, headers={"authorization": f"Bearer {first}"}) as client:
        pid = client.begin().call("pid")
        client.headers["authorization"] = f"Bearer {issuer.token([AUDIENCE, 'https://b'], scp=['mcp:tools'])}"
        assert client.call("pid") == pid


def test_users_are_told_apart(both: tuple[Served, TestIssuer]) -> None:
    """By the subject of their tokens; the session of one does not exist for another."""
    service, issuer = both
    ada, bob = (issuer.token(AUDIENCE, user, scope="mcp:tools") for user in ("ada", "bob"))
    with Client(service.url, headers={"authorization": f"Bearer {ada}"}) as client:
        client.begin()
        client.headers["authorization"] = f"Bearer {bob}"
        assert client.post(call(1, "pid")).status_code == 404


def test_without_a_token_it_is_said_where_to_get_one(both: tuple[Served, TestIssuer]) -> None:
    """`WWW-Authenticate` leads to the metadata, and that to the issuer."""
    service, issuer = both
    response = _asked(service, None)
    path = "/.well-known/oauth-protected-resource"
    told = [httpx2.get(service.base + each, trust_env=False).json() for each in (path, f"{path}/mcp")]

    assert response.status_code == 401
    assert f'resource_metadata="https://mcp.example.com{path}/mcp"' in response.headers["www-authenticate"]
    assert 'scope="mcp:tools"' in response.headers["www-authenticate"]
    assert told[0] == told[1]
    assert told[0]["resource"] == AUDIENCE
    assert told[0]["authorization_servers"] == [issuer.url]
    assert told[0]["scopes_supported"] == ["mcp:tools"]


def test_tokens_that_are_not_valid(both: tuple[Served, TestIssuer]) -> None:
    """Expired, for another service, of another issuer, not yet valid, without an end, of nobody, forged."""
    service, issuer = both
    other = TestIssuer(issuer.url)
    right = issuer.token(AUDIENCE, scope="mcp:tools")
    head, payload, signature = right.split(".")
    none = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "first"}).encode()).decode().rstrip("=")
    public = issuer.keys["first"].public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    tokens = [
        issuer.token(AUDIENCE, exp=time.time() - 60, scope="mcp:tools"),
        issuer.token("https://other.example.com", scope="mcp:tools"),
        issuer.token(AUDIENCE, iss="https://other.example.com", scope="mcp:tools"),
        issuer.token(AUDIENCE, nbf=time.time() + 600, scope="mcp:tools"),
        issuer.token(AUDIENCE, exp=None, scope="mcp:tools"),
        issuer.token(AUDIENCE, aud=None, scope="mcp:tools"),
        issuer.token(AUDIENCE, sub=None, scope="mcp:tools"),
        other.token(AUDIENCE, scope="mcp:tools"),
        f"{head}.{payload}.{signature[:-4]}AAAA",
        f"{none}.{payload}.",
        f"{head}.{payload}",
        "no token at all",
        # Signed with what everybody knows, as if it were a secret.
        _as_if_secret(pem, right),
    ]

    for token in tokens:
        response = _asked(service, token)
        assert response.status_code == 401, token
        assert 'error="invalid_token"' in response.headers["www-authenticate"]
        assert token not in response.text


def _as_if_secret(pem: bytes, token: str) -> str:
    import hashlib
    import hmac

    def plain(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    head = plain(json.dumps({"alg": "HS256", "kid": "first"}).encode())
    signed = f"{head}.{token.split('.')[1]}"
    return f"{signed}.{plain(hmac.new(pem, signed.encode(), hashlib.sha256).digest())}"


def test_a_token_without_the_scope(both: tuple[Served, TestIssuer]) -> None:
    """A 403 says which scope to ask for."""
    service, issuer = both
    response = _asked(service, issuer.token(AUDIENCE, scope="mcp:other"))

    assert response.status_code == 403
    challenge = response.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="mcp:tools"' in challenge


def test_keys_are_asked_for_once_and_when_they_change() -> None:
    """A new key is found at its first token; made-up ones do not burden the issuer."""
    with guarded(terse=ASKS_SOON) as (service, issuer):
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 400
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 400
        assert issuer.asked == 1

        issuer.keys["second"] = ec.generate_private_key(ec.SECP256R1())
        stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        time.sleep(ASK_SECONDS + 0.1)
        for name in ("a", "b", "c"):
            forged = jwt.encode({"aud": AUDIENCE}, stranger, "RS256", headers={"kid": name})
            assert _asked(service, forged).status_code == 401
        assert issuer.asked == 2
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 400


def test_an_issuer_that_is_away() -> None:
    """Its keys are not known: a 503, and no 401, for which clients would log in anew. Then they are."""
    with guarded(terse=ASKS_SOON) as (service, issuer):
        issuer.is_away = True
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 503
        issuer.is_away = False
        time.sleep(ASK_SECONDS + 0.1)
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 400
        issuer.is_away = True
        assert _asked(service, issuer.token(AUDIENCE)).status_code == 400


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--oauth-issuer", "https://a.example"], "belong together"),
        (["--oauth-audience", "https://a.example"], "belong together"),
        (["--oauth-issuer", "a.example", "--oauth-audience", "https://b"], "--oauth-issuer a.example"),
        (["--oauth-issuer", "http://a.example", "--oauth-audience", "https://b"], "can be forged"),
    ],
)
def test_options_that_make_no_sense(options: list[str], complaint: str) -> None:
    """One line says what to write."""
    code, said = refused(*options, "--", "true")

    assert code == 2
    assert complaint in said
    assert said.count("\n") == 1
