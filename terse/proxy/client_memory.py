"""What one client has, of all servers behind one proxy: the sessions with them share it."""

from __future__ import annotations

from collections.abc import Callable

from terse.memory.session import Session


class ClientMemory:
    """The memory of what was sent to a client since it began. Safe to use from any thread.

    Args:
        make: makes an empty one.

    Attributes:
        session: what was sent since the client began last.
        can_retrieve: the list of tools that the client had last has the tool that fetches what was set aside.
    """

    def __init__(self, make: Callable[[], Session]) -> None:
        self._make = make
        self.begin()

    def begin(self) -> None:
        """The client begins anew: it has nothing."""
        self.session = self._make()
        self.can_retrieve = False
        self._calls: dict[str, dict[str, int]] = {}

    def calls(self, server: str) -> dict[str, int]:
        """How often each tool of a server was called since then: the client goes on counting where a server
        is started again."""
        return self._calls.setdefault(server, {})
