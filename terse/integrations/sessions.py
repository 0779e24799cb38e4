"""The sessions of a framework: one for each of its ids."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TypeVar

from terse.api import Applied, Call, Policy, Session

R = TypeVar("R")

MAX_SESSIONS = 1024
MAX_BYTES = 256 * 1024 * 1024


class Sessions:
    """Bounded: the session that was not used for longest is forgotten first, and then sends in full.

    Safe to use from any thread.
    """

    def __init__(
        self, policy: Policy, *, max_sessions: int = MAX_SESSIONS, max_bytes: int = MAX_BYTES
    ) -> None:
        """
        Args:
            max_bytes: of the results that all sessions remember.
        """
        self._policy = policy
        self._max_sessions = max_sessions
        self._max_bytes = max_bytes
        self._sessions: OrderedDict[Hashable, Session] = OrderedDict()
        self._lock = Lock()

    def apply(self, result: R, call: Call, session: Hashable) -> Applied[R]:
        """As `Session.apply` of the session with this id."""
        with self._lock:
            found = self._sessions.pop(session, None) or self._policy.session()
            self._sessions[session] = found
        applied = found.apply(result, call)
        with self._lock:
            self._let_go()
        return applied

    def _let_go(self) -> None:
        held = sum(each.remembered_bytes for each in self._sessions.values())
        while self._sessions and (len(self._sessions) > self._max_sessions or held > self._max_bytes):
            held -= self._sessions.popitem(last=False)[1].remembered_bytes
