"""Telling an authorization server that tokens are not to be used any more (RFC 7009)."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from terse import __version__
from terse.proxy.remote.tokens import Stored
from terse.proxy.servers import shown_url, url_problem

SECONDS = 10.0
_KINDS = ("refresh_token", "access_token")
"""The one that others can be got with is the first to go."""


def revoke(stored: Stored) -> str | None:
    """Revoke the tokens of a login, at the server that gave them.

    Returns:
        Why they may still be of use to whoever has them, in a few words; None if they are not, or if the
        server has no way to revoke any.
    """
    tokens, metadata, client = (_object(stored, each) for each in ("tokens", "metadata", "client"))
    endpoint = metadata.get("revocation_endpoint")
    given = {kind: tokens[kind] for kind in _KINDS if isinstance(tokens.get(kind), str)}
    if not isinstance(endpoint, str) or not given or url_problem(endpoint):
        return None
    data, headers = _proof(client)
    try:
        with httpx2.Client(headers={"User-Agent": f"terse/{__version__}"}, timeout=SECONDS) as web:
            for kind, token in given.items():
                form = {"token": token, "token_type_hint": kind, **data}
                response = web.post(endpoint, data=form, headers=headers)
                if response.status_code == 400 and not headers and "client_secret" not in form:
                    # Servers on the SDK miss the secret of a client that has none: RFC 6749 lets it be empty.
                    response = web.post(endpoint, data={**form, "client_secret": ""})
                if not response.is_success:
                    return f"{shown_url(endpoint)} answered {response.status_code}"
    except httpx2.HTTPError as error:
        return f"{urlsplit(endpoint).netloc} cannot be reached ({type(error).__name__})"
    return None


def _proof(client: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """What says who we are: in the form, and in headers."""
    name, secret = str(client.get("client_id", "")), client.get("client_secret")
    if not isinstance(secret, str):
        return {"client_id": name}, {}
    if client.get("token_endpoint_auth_method") == "client_secret_post":
        return {"client_id": name, "client_secret": secret}, {}
    pair = f"{quote(name, safe='')}:{quote(secret, safe='')}".encode()
    # The id is in the header, too; servers on the SDK look for it in the form.
    return {"client_id": name}, {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _object(stored: Stored, name: str) -> dict[str, Any]:
    value = stored.get(name)
    return value if isinstance(value, dict) else {}
