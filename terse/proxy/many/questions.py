"""What servers ask the client: each counts its requests from 1, and the client must tell them apart."""

from __future__ import annotations

import os

from terse.proxy.message import Message, replaced
from terse.proxy.spans import Span, encode_string
from terse.proxy.wire import JsonRpcId, request_id

MAX_TOKENS = 4096
"""Progress tokens of servers that are remembered; the oldest are forgotten."""


class Questions:
    """Requests of servers that the client has not answered, by the id that the client knows."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, bytes]] = {}
        # By the token that the client knows: the server, and the token as that has it.
        self._tokens: dict[JsonRpcId, tuple[str, bytes]] = {}
        self._secret = os.urandom(4).hex()
        self._number = 0

    def new_id(self) -> str:
        """An id that no server and no client uses."""
        self._number += 1
        return f"terse-{self._secret}-{self._number}"

    def shown(self, server: str, request: Message) -> bytes:
        """The request under an id that no other server uses, and a progress token of which that is true."""
        shown = self.new_id()
        self._open[shown] = (server, request.raw_id)
        replacements = {request.members["id"]: encode_string(shown)}
        token = request.meta("progressToken")
        key = None if token is None else request_id(request.raw, token)
        if token is not None and key is not None:
            if self._tokens.get(key, (server, b""))[0] != server:
                key = self.new_id()
                replacements[token] = encode_string(key)
            self._remember(key, server, request.raw[slice(*token)])
        return replaced(request.raw, replacements)

    def answered(self, answer: Message) -> tuple[str, bytes] | None:
        """The server that asked, and the answer under the id it asked with; None: nobody asked."""
        found = self._open.pop(answer.id, None) if isinstance(answer.id, str) else None
        if found is None:
            return None
        server, own_id = found
        return server, replaced(answer.raw, {answer.members["id"]: own_id})

    def progress(self, notification: Message, place: Span) -> tuple[str, bytes] | None:
        """The server that wants to hear of this progress, and the notification with its own token; None if
        nobody is known to.

        Args:
            place: where the token stands.
        """
        token = request_id(notification.raw, place)
        found = None if token is None else self._tokens.get(token)
        if found is None:
            return None
        server, own_token = found
        return server, replaced(notification.raw, {place: own_token})

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
        self._tokens = {key: found for key, found in self._tokens.items() if found[0] != server}
        cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}\n'
        return [cancelled % encode_string(shown) for shown in gone]

    def forget_tokens(self) -> None:
        """The client began anew."""
        self._tokens.clear()

    def _remember(self, key: JsonRpcId, server: str, own_token: bytes) -> None:
        self._tokens.pop(key, None)
        if len(self._tokens) >= MAX_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        self._tokens[key] = (server, own_token)
