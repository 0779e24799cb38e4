"""Keeps servers running: starts them, and starts them again when they end."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from threading import Condition, Event, RLock, Thread

from terse.proxy.connection import Connection
from terse.proxy.many.member import Member


class Keeper:
    """One thread that servers are the children of: it lives as long as the process (see `Child.spawn`).

    Args:
        lock: guards the members.
        started, failed: called with a member that runs now; that could not be started.
        over: called once all servers have ended, after `close`.

    Attributes:
        is_closing: no server is started any more.
    """

    def __init__(
        self,
        members: Collection[Member],
        lock: RLock,
        started: Callable[[Member], None],
        failed: Callable[[Member], None],
        over: Callable[[], None],
    ) -> None:
        self.is_closing = False
        self._members = members
        self._work = Condition(lock)
        self._on_start = started
        self._on_failure = failed
        self._over = over
        self._is_stopped = False
        self._ended: list[Connection] = []
        self._began = Event()

    def start(self) -> None:
        """Start all servers."""
        Thread(target=self._run, daemon=True).start()

    def wait_until_begun(self) -> None:
        """Wait until each server was started once, or could not be."""
        self._began.wait()

    def clear_away(self, connection: Connection) -> None:
        """Close the connection to a server that has ended, or is to; its next start may be due."""
        with self._work:
            self._ended.append(connection)
            self._work.notify()

    def close(self) -> None:
        """Let every server see the end of the client's messages, and start none again."""
        with self._work:
            self.is_closing = True
            for member in self._members:
                member.close_input()
            self._work.notify()

    def stop(self) -> None:
        """End all servers at once."""
        with self._work:
            self.is_closing = self._is_stopped = True
            for member in self._members:
                member.next_start = None
            running = [member.connection for member in self._members if member.connection is not None]
            self._work.notify()
        stopping = [Thread(target=connection.close, daemon=True) for connection in running]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join(2.0)

    def _run(self) -> None:
        while True:
            with self._work:
                due = [member for member in self._members if self._wait_of(member) <= 0]
                ended, self._ended = self._ended, []
                if not due and not ended:
                    if self.is_closing and all(member.connection is None for member in self._members):
                        break
                    wait = min(map(self._wait_of, self._members), default=_FOR_EVER)
                    self._work.wait(None if wait == _FOR_EVER else wait)
                    continue
            for connection in ended:
                connection.close()
            for member in due:
                if self.is_closing:
                    break
                if member.start():
                    self._on_start(member)
                else:
                    self._on_failure(member)
                self._end_if_too_late(member)
            self._began.set()
        self._began.set()
        self._over()

    def _end_if_too_late(self, member: Member) -> None:
        """All was stopped, or no message is to come any more, while the server was being started."""
        with self._work:
            connection = member.connection
            if self.is_closing:
                member.close_input()
            is_stopped = self._is_stopped
        if is_stopped and connection is not None:
            connection.close()

    def _wait_of(self, member: Member) -> float:
        """Seconds until the member is to be started."""
        if member.next_start is None or self.is_closing:
            return _FOR_EVER
        return member.next_start - time.monotonic()


_FOR_EVER = float("inf")
