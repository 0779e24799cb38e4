"""A service as a process: where it listens, its signals, its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from terse.serve.delivery import TRANSPORT
from terse.serve.limits import Limits
from terse.serve.service import Service

SWITCH_SECONDS = 0.0005
"""How long Python may let one thread run on while another waits: the event loop waits for those
that rewrite."""
LAST_SECONDS = 1
"""For answers that are being written when the grace is over."""
KEEP_ALIVE_SECONDS = 75
"""A model thinks between two calls; and reverse proxies close idle connections earlier, so that none of them
sends a request on one that we are about to close."""
HEAD_BYTES = 32 * 1024


class Server(uvicorn.Server):
    """Uvicorn without its signals, which end it before what is under way is answered.

    Attributes:
        ready: called once requests are taken.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        await super().startup(sockets)
        self.ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """See `uvicorn.Server`."""
        yield


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        OSError: it cannot.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family, backlog=2048)
    made.setblocking(False)
    return made


async def serve(service: Service, listener: socket.socket, limits: Limits, ready: Callable[[], None]) -> int:
    """Serve until a signal comes; the exit code: 0, or 128+n where a second signal n cut it short.

    Args:
        ready: called once requests and signals are taken.
    """
    config = uvicorn.Config(
        service.application(),
        http=_protocol(limits.arrival),
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=2 * limits.sessions + limits.requests + 64,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    server = Server(config, ready)
    hurry = asyncio.Event()
    stopping: list[asyncio.Task[None]] = []
    code = 0

    async def stop() -> None:
        await service.drain(hurry)
        server.should_exit = True

    def on_signal(number: int) -> None:
        nonlocal code
        if stopping:
            code = 128 + number
            hurry.set()
        else:
            stopping.append(asyncio.ensure_future(stop()))

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What our parent had ignored (nohup) stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, on_signal, number)
    sys.setswitchinterval(SWITCH_SECONDS)
    # What is there now stays as long as the process: to look through all of it stops every session at once.
    gc.freeze()
    await server.serve(sockets=[listener])
    return code


def _protocol(seconds: float) -> type[H11Protocol]:
    """HTTP for connections on which the head of a request has to come in so many seconds."""

    class Timed(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_between_requests():
                self._wait_for_head()
            else:
                self._stop_waiting()

        def handle_events(self) -> None:
            super().handle_events()
            scope: Any = self.scope
            if scope is not None:
                # Before its task runs: who answers may have to know what has left.
                scope[TRANSPORT] = self.transport

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _is_between_requests(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _wait_for_head(self) -> None:
            if self._waiting is None:
                self._waiting = self.loop.call_later(seconds, self._give_up)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            if self._is_between_requests():
                self.transport.close()

    return Timed


def run(
    service: Callable[[], Service], listener: socket.socket, limits: Limits, ready: Callable[[], None]
) -> int:
    """Make a service in an event loop, and serve: see `serve`."""

    async def main() -> int:
        return await serve(service(), listener, limits, ready)

    return asyncio.run(main())
