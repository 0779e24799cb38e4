"""One connection as a process: a client on our stdin and stdout, signals, exit codes, the end of our parent.

A thread reads the client, the connection's own one the server; the main thread waits for the server's end and
takes the signals.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from functools import partial
from threading import Event, Thread, main_thread
from typing import TYPE_CHECKING, NoReturn

from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.framing import blocks, write
from terse.proxy.rewriting import Rewriter

if TYPE_CHECKING:
    from types import FrameType

    from terse.plan.model import Plan

LOAD_AFTER_SECONDS = 0.05
"""The proxy's own modules load when the server has said something, or after this time: not while both
of them would be starting, nor between a client and the answer to its first message."""
LOAD_SECONDS = 10.0
"""How long a session that is over waits for its rules to be loaded, to say what is wrong with them."""
END_SECONDS = 2.0
"""How long a server may go on after its output, or its client, is gone."""
SWITCH_SECONDS = 0.0005
"""How long Python may let one thread run on while another waits; its default would be added to a message
that passes while a result is being rewritten."""

_CLIENT_IN, _CLIENT_OUT = 0, 1


class _Stop(BaseException):
    """Raised in the main thread: end the server, and exit with this code (None: with the server's)."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Relay:
    """One client on our stdin and stdout, one server, until either is gone. A process has one of them: it
    takes the signals and the standard descriptors. It is to be run by the main thread.

    Args:
        upstream: the server, running.
        load: see `Connection`. `Refused` ends the relay with exit code 2.
        rewrites_lists, holds_calls: see `Connection`.
        must_load: a session that is over before loading waits for it: `Refused` is never missed.
        rewrites: see `Connection`.
        complaints: says what there is to say; its own if None.
    """

    def __init__(
        self,
        upstream: Upstream,
        load: Callable[[Complaints], Rewriter | None],
        *,
        must_load: bool = False,
        rewrites_lists: Callable[[bytes], bool] | None = None,
        holds_calls: bool = False,
        rewrites: bool = True,
        complaints: Complaints | None = None,
    ) -> None:
        self._upstream = upstream
        self._make_rewriter = load
        self._must_load = must_load
        self._complaints = Complaints() if complaints is None else complaints
        self._connection = Connection(
            upstream,
            partial(write, _CLIENT_OUT),
            self._load,
            ended=self._server_ended,
            refused=self._on_refused,
            complaints=self._complaints,
            rewrites_lists=rewrites_lists,
            holds_calls=holds_calls,
            rewrites=rewrites,
        )
        self._parent = os.getppid()
        self._null = os.open(os.devnull, os.O_RDWR)
        self._ended = Event()
        self._drained = Event()
        self._stop_code: int | None = None
        self._refused = False

    def follow(self, plan: Plan) -> None:
        """See `Connection.follow`."""
        self._connection.follow(plan)

    def run(self) -> int:
        """Relay until the server ends, the client goes, or a signal comes. Returns the exit code.

        That is the server's own, 128+n after signal n, or 2 when the policy was refused. Threads may still be
        waiting for input that never comes: the process is to end without them (`os._exit`).
        """
        try:
            self._take_signals()
            self._connection.start()
            Thread(target=self._read_client, daemon=True).start()
            code = self._upstream.wait()
            self._ended.set()
            self._wait_for_the_rest()
            self._ignore_signals()
            self._connection.finish()
            return 2 if self._refused else code
        except _Stop as stop:
            self._ignore_signals()
            code = self._upstream.stop()
            self._connection.finish()
            return code if stop.code is None else stop.code

    # ---- the client ------------------------------------------------------------------------------

    def _read_client(self) -> None:
        try:
            for block in blocks(_CLIENT_IN):
                try:
                    self._connection.from_client(block)
                except OSError:
                    # Nor do we read on, so that the client sees what it would see without us.
                    os.dup2(self._null, _CLIENT_IN)
                    break
                del block
            self._upstream.close_input()
            self._watch_the_client()
        except BaseException as error:
            self._fail(error)

    def _watch_the_client(self) -> None:
        """After the end of the client's messages: notice that the client itself is gone.

        Until then the server may take its time over what it was asked.
        """
        poll = select.poll()
        poll.register(_CLIENT_OUT, 0)
        while not self._connection.client_gone.wait(0.1):
            gone = any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
            if gone or os.getppid() != self._parent:
                break
        if not self._ended.wait(END_SECONDS):
            self._stop(None)

    # ---- the server ------------------------------------------------------------------------------

    def _server_ended(self, error: BaseException | None) -> None:
        """What it said has been sent: the client is to see the end, and the server is not waited for long."""
        os.dup2(self._null, _CLIENT_OUT)
        self._upstream.close_input()
        self._drained.set()
        if error is not None:
            self._fail(error)
        elif not self._ended.wait(END_SECONDS):
            self._stop(None)

    def _wait_for_the_rest(self) -> None:
        """After the server's end: wait until what it wrote has reached the client.

        A process that the server left behind may hold its output open without ever writing again: then
        the end of the output does not come, and is not waited for.
        """
        self._connection.server_spoke.set()
        if self._must_load:
            self._connection.wait_until_loaded(LOAD_SECONDS)
        quiet = 0
        while not self._drained.wait(0.1):
            # More than once: what was just read may not yet be seen to be on its way.
            is_busy = self._upstream.has_output() or self._connection.is_forwarding
            quiet = 0 if is_busy else quiet + 1
            if quiet == 3:
                self._connection.wait_until_sent()
                return

    # ---- the rules -------------------------------------------------------------------------------

    def _load(self) -> Rewriter | None:
        self._connection.server_spoke.wait(LOAD_AFTER_SECONDS)
        sys.setswitchinterval(SWITCH_SECONDS)
        return self._make_rewriter(self._complaints)

    def _on_refused(self) -> None:
        self._refused = True
        self._stop(2)

    # ---- signals -----------------------------------------------------------------------------------

    def _take_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # What our parent had ignored (nohup, a job in the background) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _on_signal)
        signal.signal(signal.SIGUSR1, self._on_stop)

    def _ignore_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)

    def _stop(self, code: int | None) -> None:
        """Have the main thread end the server and return `code`."""
        self._stop_code = code
        signal.pthread_kill(main_thread().ident or 0, signal.SIGUSR1)

    def _on_stop(self, number: int, frame: FrameType | None) -> NoReturn:
        raise _Stop(self._stop_code)

    def _fail(self, error: BaseException) -> None:
        """End the relay rather than leave the client with a dead connection."""
        self._complaints.say_failed("the relay", error)
        self._stop(1)


def _on_signal(number: int, frame: FrameType | None) -> NoReturn:
    raise _Stop(128 + number)
