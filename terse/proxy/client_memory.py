"""What one client has, of all servers behind one proxy: the sessions with them share it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from terse.memory.session import Session


class ClientMemory:
    """The memory of what was sent to a client since it began. Safe to use from any thread.

    Args:
        make: makes an empty one.

    Attributes:
        can_retrieve: the list of tools that the client had last has the tool that fetches what was set aside.
    """

    def __init__(self, make: Callable[[], Session]) -> None:
        self._make = make
        self._lock = Lock()
        self.begin()

    def begin(self) -> None:
        """The client begins anew: it has nothing."""
        with self._lock:
            self._session: Session | None = None
            self.can_retrieve = False
            self._calls: dict[str, dict[str, int]] = {}

    @property
    def session(self) -> Session:
        """What was sent since the client began last. Made when it is asked for, once rules are there."""
        with self._lock:
            if self._session is None:
                self._session = self._make()
            return self._session

    def calls(self, server: str) -> dict[str, int]:
        """How often each tool of a server was called since then: the client goes on counting where a server
        is started again."""
        return self._calls.setdefault(server, {})
