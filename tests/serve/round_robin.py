"""What stands in front of replicas: each connection goes to the next one that takes it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit


class RoundRobin:
    """A proxy for bytes, on a port of its own.

    Args:
        urls: of the replicas.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self._backends = [(parts.hostname or "", parts.port or 0) for parts in map(urlsplit, urls)]
        self._next = 0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no connections any more."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        for _ in self._backends:
            with self._lock:
                backend = self._backends[self._next % len(self._backends)]
                self._next += 1
            with suppress(OSError):
                server = socket.create_connection(backend, timeout=5)
                server.settimeout(None)
                threading.Thread(target=_pass, args=(server, client), daemon=True).start()
                _pass(client, server)
                return
        client.close()


def _pass(giver: socket.socket, taker: socket.socket) -> None:
    with suppress(OSError):
        while data := giver.recv(65536):
            taker.sendall(data)
    for each in (giver, taker):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
