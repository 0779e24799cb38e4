"""Which server `terse proxy` is to run where that is no command: a URL, or an `mcpServers` document's."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import cast

from terse.proxy.servers import Remote, Server, Transport, Unusable, read_servers

MAX_BYTES = 8_000_000

__all__ = ["Unusable", "chosen_server", "read_config"]


def chosen_server(
    url: str | None, config: str | None, name: str | None, headers: list[str], transport: str | None
) -> tuple[str | None, Server]:
    """The server, with all variables expanded, and its name if a document gives it one.

    Args:
        url: where it is; or
        config: the document (see `read_config`) it is in, under this
        name; None: the only one.
        headers: as `-H` has them; they go before those of the document.
        transport: as `--transport` has it.

    Raises:
        Unusable: there is none such. The message is one line.
    """
    if transport not in (None, "http", "sse"):
        raise Unusable(f"--transport {transport!r}: write http or sse")
    if config is not None:
        name, found = _entry(read_config(config), name)
        server = found.expanded(os.environ, name)
    else:
        server = Remote(url or "").expanded({}, "the server")
    if isinstance(server, Remote):
        server = replace(server, headers={**server.headers, **_headers(headers)})
        if transport is not None:
            server = replace(server, transport=cast("Transport", transport))
    return name, server


def read_config(config: str) -> dict[str, Server]:
    """The servers of a document: a file, or the document itself, if it begins with `{` or has several lines.

    Raises:
        Unusable: it cannot be read, or is none.
    """
    if config.lstrip().startswith("{") or "\n" in config:
        return _read(config, "--config")
    try:
        with open(config, "rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content[:MAX_BYTES].decode("utf-8-sig")
    except OSError as error:
        raise Unusable(f"cannot read {config}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unusable(f"{config} is no text in UTF-8") from None
    if len(content) > MAX_BYTES:
        raise Unusable(f"{config} has over {MAX_BYTES:,} bytes: that is no list of servers")
    return _read(text, config)


def _read(text: str, where: str) -> dict[str, Server]:
    try:
        return read_servers(text)
    except Unusable as reason:
        raise Unusable(f"{where}: {reason}") from None


def _entry(servers: dict[str, Server], name: str | None) -> tuple[str, Server]:
    enabled = [each for each, server in servers.items() if not server.disabled]
    if name is None:
        if len(enabled) != 1:
            known = ", ".join(enabled)
            said = f"say which server: --config FILE NAME; there is {known}"
            raise Unusable(said if known else "there is no server that is not disabled")
        name = enabled[0]
    if name not in servers:
        raise Unusable(f"there is no server {name}; there is {', '.join(servers)}")
    if servers[name].disabled:
        raise Unusable(f"the server {name} is disabled: take out `disabled` from its entry")
    return name, servers[name]


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise Unusable("-H: write 'NAME: VALUE'")
        expanded = Remote("http://header.invalid", {name.strip(): value}).expanded(os.environ, "-H")
        headers.update(expanded.headers)
    return headers
