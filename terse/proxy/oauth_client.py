"""Who we are to an authorization server, where that was agreed beforehand. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit


class Unusable(ValueError):  # noqa: N818 — says what is wrong
    """Such a client makes no sense. The message is one line, and has no secret in it."""


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """What OAuth calls a client. Without an `id` it registers itself, as far as the server lets it.

    Attributes:
        id: as the authorization server gave it out.
        secret: that goes with the id.
        key_file: where the private key lies that the client signs with, in place of a secret.
        key: that key, in PEM, once somebody has read it.
        issuer: the authorization server that the id is of: secrets go nowhere else. None: the one that is
            found at the first login, from then on.
        metadata_url: the address of the document that describes the client, and is its id.
        callback_port: where the browser comes back to; any port, if None.
        is_alone: it logs in as itself, without a user (the grant `client_credentials`).
    """

    id: str | None = None
    secret: str | None = field(default=None, repr=False)
    key_file: str | None = None
    key: str | None = field(default=None, repr=False)
    issuer: str | None = None
    metadata_url: str | None = None
    callback_port: int | None = None
    is_alone: bool = False

    @property
    def identity(self) -> str | None:
        """Tells tokens of one client from those of another; None of one that registers itself."""
        if self.id is not None:
            return f"{'client_credentials' if self.is_alone else 'authorization_code'} {self.id}"
        return self.metadata_url

    def with_texts(self, change: Callable[[str, str], str]) -> OAuthClient:
        """The client with its texts changed; `change` gets the name of each in a document, and the text."""
        changed = {
            member: change(name, text)
            for name, member in TEXTS.items()
            if (text := getattr(self, member)) is not None
        }
        return replace(self, **changed)  # type: ignore[arg-type]


TEXTS: Mapping[str, str] = {
    "clientId": "id",
    "clientSecret": "secret",
    "privateKeyFile": "key_file",
    "issuer": "issuer",
    "clientMetadataUrl": "metadata_url",
}
"""What the texts are called in the `oauth` of an `mcpServers` document."""
GRANTS = {"authorization_code": False, "client_credentials": True}


def check(client: OAuthClient, names: Mapping[str, str]) -> None:
    """
    Args:
        names: what the user calls `id`, `secret`, `key_file`, `issuer`, `metadata_url`, `callback_port` and
            `is_alone`.

    Raises:
        Unusable: the client makes no sense.
    """
    given = [name for name in ("secret", "key_file", "issuer", "is_alone") if getattr(client, name)]
    if client.id is None and given:
        raise Unusable(f"{names[given[0]]} is of no use without {names['id']}")
    if client.id is not None and client.metadata_url is not None:
        raise Unusable(f"{names['id']} and {names['metadata_url']} are two clients: leave out one of them")
    if client.secret is not None and client.key_file is not None:
        raise Unusable(f"{names['secret']} and {names['key_file']}: leave out one of them")
    if client.is_alone and client.secret is None and client.key_file is None:
        raise Unusable(f"{names['is_alone']} needs {names['secret']} or {names['key_file']}")
    if client.key_file is not None and not client.is_alone:
        raise Unusable(f"{names['key_file']} is for {names['is_alone']} only: write that, too")
    if client.is_alone and client.callback_port is not None:
        raise Unusable(f"{names['callback_port']} is for a user's browser: there is none")
    if client.callback_port is not None and not 0 < client.callback_port < 65536:
        raise Unusable(f"{names['callback_port']} {client.callback_port}: write a port, 1 to 65535")
    for name, needs_https in (("issuer", False), ("metadata_url", True)):
        url = getattr(client, name)
        if url is not None and not _is_url(url, needs_https=needs_https):
            shown = "https://example.com/client.json" if needs_https else "https://login.example.com"
            raise Unusable(f"{names[name]} is no such URL: write one such as {shown}")


def _is_url(url: str, *, needs_https: bool) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if any(sign.isspace() or not sign.isprintable() for sign in url) or not parts.hostname:
        return False
    if needs_https:
        return parts.scheme == "https" and parts.path not in ("", "/")
    return parts.scheme in ("https", "http")
