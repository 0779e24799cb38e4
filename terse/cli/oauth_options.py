"""The options that say how `terse proxy URL` logs in, and who it is to an authorization server."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from terse.cli.proxy_options import Unusable as UnusableOptions
from terse.proxy.oauth_client import OAuthClient, Unusable, check

if TYPE_CHECKING:
    from terse.cli.proxy_options import Options
    from terse.proxy.remote.login import Login
    from terse.proxy.servers import Remote

MAX_BYTES = 64 * 1024
"""Of a secret or a key."""

_NAMES = {
    "id": "--client-id",
    "secret": "--client-secret-file",
    "key_file": "--client-key-file",
    "issuer": "--client-issuer",
    "metadata_url": "--client-metadata-url",
    "callback_port": "--callback-port",
    "is_alone": "--client-credentials",
}


def login_to(server: Remote, given: Options) -> Callable[[], Login] | None:
    """What logs in to the server; nothing where a token was given by hand.

    Raises:
        UnusableOptions: as whom, makes no sense.
    """
    if not given.logs_in or any(name.lower() == "authorization" for name in server.headers):
        if given.oauth:
            why = "an Authorization header is a login already" if given.logs_in else "--no-login"
            raise UnusableOptions(f"{next(iter(given.oauth))}: there is no login: {why}")
        return None
    client = None
    if given.oauth or server.oauth is not None:
        try:
            client = chosen_client(given.oauth, server.oauth)
        except Unusable as reason:
            raise UnusableOptions(str(reason)) from None

    def login() -> Login:
        from terse.proxy.complaints import Complaints
        from terse.proxy.remote.login import Login

        return Login(server.url, given.login_seconds, Complaints(), client)

    return login


def chosen_client(values: Mapping[str, str], of_document: OAuthClient | None) -> OAuthClient | None:
    """The client, with what it needs to have been read; None: one that registers itself, as any.

    Args:
        values: the options that were given; they go before what the document says.
        of_document: the server's `oauth` in an `mcpServers` document, with its variables expanded.

    Raises:
        Unusable: it makes no sense, or something cannot be read.
    """
    if of_document is None and not values:
        return None
    client = of_document or OAuthClient()
    client = replace(
        client,
        id=values.get("--client-id", client.id),
        key_file=values.get("--client-key-file", client.key_file),
        issuer=values.get("--client-issuer", client.issuer),
        metadata_url=values.get("--client-metadata-url", client.metadata_url),
    )
    if "--callback-port" in values:
        client = replace(client, callback_port=_port(values["--callback-port"]))
    if "--client-credentials" in values:
        client = replace(client, is_alone=True)
    secret = _secret(values)
    if secret is not None:
        client = replace(client, secret=secret)
    check(client, _NAMES)
    if client.key_file is not None:
        key = _read("--client-key-file", client.key_file)
        if "-----BEGIN" not in key:
            raise Unusable(f"--client-key-file {client.key_file}: it holds no key in PEM")
        client = replace(client, key=key)
    return client


def _secret(values: Mapping[str, str]) -> str | None:
    file, variable = values.get("--client-secret-file"), values.get("--client-secret-env")
    if file is not None and variable is not None:
        raise Unusable("--client-secret-file and --client-secret-env: leave out one of them")
    if file is not None:
        return _read("--client-secret-file", file)
    if variable is not None:
        secret = os.environ.get(variable)
        if not secret:
            raise Unusable(f"--client-secret-env: the environment has no {variable}")
        return secret
    return None


def _read(option: str, path: str) -> str:
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_BYTES + 1).decode().strip()
    except OSError as error:
        raise Unusable(f"{option}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unusable(f"{option}: {path} is no text in UTF-8") from None
    if not text or len(text) > MAX_BYTES:
        raise Unusable(f"{option}: {path} is {'empty' if not text else 'too long'}")
    return text


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Unusable(f"--callback-port {text!r}: write a port, 1 to 65535")
    return int(text)
