"""Subscriptions of 2026-07-28: one of the client's is one at each server. Bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from terse.proxy.message import Message, replaced
from terse.proxy.wire import JsonRpcId, request_id

LISTENS = "subscriptions/listen"
"""The request that is answered when nothing more is to be heard of changes."""
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
LISTS = ("tools", "prompts", "resources")
"""What lists there are that may change."""
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def subscription_of(notification: Message) -> JsonRpcId | None:
    """The id of the request whose subscription a notification belongs to."""
    place = notification.meta(_SUBSCRIPTION)
    return None if place is None else request_id(notification.raw, place)


def acknowledgement(said: Sequence[Message]) -> bytes:
    """What servers said that they will tell of, as one: whatever any of them does."""
    first = said[0]
    joined: dict[str, Any] = {}
    for message in said:
        place = message.params.get("notifications")
        granted = None if place is None else json.loads(message.raw[slice(*place)])
        for key, value in granted.items() if isinstance(granted, dict) else ():
            known = joined.get(key)
            if isinstance(known, list) and isinstance(value, list):
                joined[key] = known + [each for each in value if each not in known]
            elif not known:
                joined[key] = value
    if "notifications" not in first.params:
        return first.raw
    granted_by_all = json.dumps(joined, separators=(",", ":")).encode()
    return replaced(first.raw, {first.params["notifications"]: granted_by_all})


def list_changed(what: str, listens: Message | None = None) -> bytes | None:
    """The notification that a list has changed; None if that is not wanted.

    Args:
        what: see `LISTS`.
        listens: the request of the subscription; None for clients that need not ask.
    """
    meta = b""
    if listens is not None:
        place = listens.params.get("notifications")
        wanted = {} if place is None else listens.inside(place)
        key = f"{what}ListChanged"
        if key not in wanted or listens.raw[slice(*wanted[key])] != b"true":
            return None
        meta = b',"params":{"_meta":{"%b":%b}}' % (_SUBSCRIPTION.encode(), listens.raw_id)
    return b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"%b}\n' % (what.encode(), meta)
