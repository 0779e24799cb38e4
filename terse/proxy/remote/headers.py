"""The headers that name what a request of 2026-07-28 is about, so that others can route it unread.

`Mcp-Method`, `Mcp-Name`, and `Mcp-Param-…` for parameters that a tool's schema marks with `x-mcp-header`. The
server refuses what does not say the same as the body.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

from terse.proxy.remote.marked import Marked
from terse.proxy.remote.messages import ClientMessage, value_of

_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"[\x20-\x7e]*")
_LOOKS_ENCODED = re.compile(r"=\?base64\?.*\?=", re.DOTALL)


def routing_headers(message: ClientMessage, marked: Marked) -> dict[str, str]:
    """The headers of a request.

    Args:
        marked: what the schema of the tool that it calls marks.
    """
    headers = {} if message.version is None else {"MCP-Protocol-Version": message.version}
    if message.method is not None:
        headers["Mcp-Method"] = encoded(message.method)
        name = message.text(_NAMED_BY[message.method]) if message.method in _NAMED_BY else None
        if name is not None:
            headers["Mcp-Name"] = encoded(name)
    if marked and "arguments" in message.params:
        arguments = value_of(message.params["arguments"])
        for path, token in marked.items():
            spelt = _spelt(_at(arguments, path))
            if spelt is not None:
                headers[f"Mcp-Param-{token}"] = encoded(spelt)
    return headers


def encoded(value: str) -> str:
    """The value as a header can carry it: in base64 where it is not plain."""
    if _PLAIN.fullmatch(value) and value == value.strip() and not _LOOKS_ENCODED.fullmatch(value):
        return value
    return f"=?base64?{b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


def _at(value: Any, path: tuple[str, ...]) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _spelt(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
