"""What a client asked for once and for all, which a server that comes back has to be asked again."""

from __future__ import annotations

from terse.proxy.message import Message

MAX_STANDING = 4096
"""Subscriptions that are remembered; the oldest are forgotten."""


class Standing:
    """Subscriptions to resources, and the level of logging, of versions up to 2025-11-25."""

    def __init__(self) -> None:
        self._level: Message | None = None
        self._subscriptions: dict[tuple[str, str], Message] = {}

    def note_level(self, request: Message) -> None:
        """The client wants to hear of so much, from every server."""
        self._level = request

    def note_answer(self, server: str, request: Message) -> None:
        """A server granted a request."""
        uri = request.param("uri")
        if uri is None or request.method not in ("resources/subscribe", "resources/unsubscribe"):
            return
        self._subscriptions.pop((server, uri), None)
        if request.method == "resources/subscribe":
            if len(self._subscriptions) >= MAX_STANDING:
                del self._subscriptions[next(iter(self._subscriptions))]
            self._subscriptions[server, uri] = request

    def requests_for(self, server: str) -> list[Message]:
        """What the server is to be asked once it is back."""
        found = [request for (name, _), request in self._subscriptions.items() if name == server]
        return found if self._level is None else [self._level, *found]

    def clear(self) -> None:
        """The client began anew."""
        self._level = None
        self._subscriptions.clear()
