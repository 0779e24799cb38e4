"""Lists of messages, as MCP had them in 2025-03-26."""

from __future__ import annotations


def with_lists_apart(message: bytes) -> bytes:
    """A batch with its requests for lists of tools behind it, each by itself: their answers can be shown as
    rules say then. What is none, or asks for no list, stays as it is, byte for byte.
    """
    if message.lstrip()[:1] != b"[":
        return message
    import msgspec

    from terse.proxy.spans import MALFORMED, envelope, string
    from terse.proxy.wire import LISTS

    lists: list[bytes] = []
    rest: list[bytes] = []
    try:
        for one in msgspec.json.decode(message, type=list[msgspec.Raw]):
            raw = bytes(one)
            _, found = envelope(raw)
            is_list = "id" in found and "method" in found and string(raw, found["method"]) == LISTS
            (lists if is_list else rest).append(raw)
    except (*MALFORMED, msgspec.DecodeError):
        return message
    if not lists:
        return message
    left = [b"[" + b",".join(rest) + b"]"] if rest else []
    return b"".join(line + b"\n" for line in (*left, *lists))
