"""What servers ask the client: each counts its requests from 1, and the client must tell them apart."""

from __future__ import annotations

import secrets

from terse.proxy.message import Message, replaced
from terse.proxy.spans import encode_string
from terse.proxy.wire import JsonRpcId, request_id

MAX_TOKENS = 4096
"""Progress tokens of servers that are remembered."""


class Questions:
    """Requests of servers that the client has not answered, by the id that the client knows."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, bytes]] = {}
        self._tokens: dict[JsonRpcId, str] = {}
        self._secret = secrets.token_hex(4)
        self._number = 0

    def shown(self, server: str, request: Message) -> bytes:
        """The request under an id that no other server uses."""
        self._number += 1
        shown = f"terse-{self._secret}-{self._number}"
        self._open[shown] = (server, request.raw_id)
        token = request.meta("progressToken")
        key = None if token is None else request_id(request.raw, token)
        if key is not None and len(self._tokens) < MAX_TOKENS:
            self._tokens[key] = server
        return replaced(request.raw, {request.members["id"]: encode_string(shown)})

    def answered(self, answer: Message) -> tuple[str, bytes] | None:
        """The server that asked, and the answer under the id it asked with; None: nobody asked."""
        found = self._open.pop(answer.id, None) if isinstance(answer.id, str) else None
        if found is None:
            return None
        server, own_id = found
        return server, replaced(answer.raw, {answer.members["id"]: own_id})

    def withdrawn(self, server: str, notification: Message) -> bytes | None:
        """A server does not want its answer any more: the notification as the client understands it."""
        place = notification.params["requestId"]
        own = notification.raw[slice(*place)]
        for shown, asked in self._open.items():
            if asked == (server, own):
                del self._open[shown]
                return replaced(notification.raw, {place: encode_string(shown)})
        return None

    def lost(self, server: str) -> list[bytes]:
        """A server is gone: the notifications that nobody waits for what it had asked."""
        gone = [shown for shown, (name, _) in self._open.items() if name == server]
        for shown in gone:
            del self._open[shown]
        cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}\n'
        return [cancelled % encode_string(shown) for shown in gone]

    def server_of(self, token: JsonRpcId | None) -> str | None:
        """The server that wants to hear of this progress; None if it is not known."""
        return None if token is None else self._tokens.get(token)

    def forget_tokens(self) -> None:
        """The client began anew."""
        self._tokens.clear()
