"""`python -m terse.cli.background`: the process that `terse cli` starts, and talks to.

It serves one server over HTTP on a loopback address to whoever has the token, and ends by itself. What it is
to do comes as a line of JSON on stdin; then it says its port on stdout.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from terse.cli.console import complain
from terse.cli.proxied import Unusable as UnusableServer
from terse.cli.proxy_options import Unusable, read
from terse.cli.serving import Behind
from terse.plan.model import Plan
from terse.proxy.answer import Answer
from terse.proxy.connection import Refused
from terse.proxy.session import ProxySession
from terse.proxy.spans import MALFORMED, envelope, string
from terse.serve.access import ANYBODY, Access, Refusal
from terse.serve.limits import Limits
from terse.serve.running import listening, run
from terse.serve.service import Servers, Service
from terse.shell import place
from terse.shell.session import RAW
from terse.shell.unusable import Unusable as NoPlace

REQUEST_SECONDS = 24 * 3600.0
"""The command line says how long it waits, and takes back what it does not wait for."""
LOOK_SECONDS = 0.5
MAX_LOG_BYTES = 1 << 20


class _Own:
    """See `terse.serve.access.Keys`: there is one token, and its user is the only one."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def caller(self, token: str | None) -> str | Refusal:
        """See `Keys.caller`."""
        if token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return ANYBODY
        return Refusal(401, "this is for `terse cli` alone", 'Bearer realm="terse"')


class _Session(ProxySession):
    """As the proxy's, with whole definitions, and results as they came where a call wants them so."""

    def __init__(self, plan: Plan, *arguments: Any, **options: Any) -> None:
        super().__init__(_with_whole_definitions(plan), *arguments, **options)

    def follow(self, plan: Plan) -> bool:
        """See `ProxySession.follow`."""
        return super().follow(_with_whole_definitions(plan))

    def rewrite(self, answer: Answer) -> bytes:
        """See `ProxySession.rewrite`."""
        return answer.message if _is_raw(answer.message) else super().rewrite(answer)


class _Behind(Behind):
    """What `terse serve` has behind it, for a client that reads lists of tools to write help pages."""

    session = _Session


class _Service(Service):
    """A service that knows for how long nobody has asked.

    Attributes:
        used: when somebody last did, by `time.monotonic`.
    """

    used = 0.0

    def application(self) -> Any:
        """See `Service.application`."""
        inner = super().application()
        self.used = time.monotonic()

        async def noted(scope: Any, receive: Any, send: Any) -> None:
            self.used = time.monotonic()
            try:
                await inner(scope, receive, send)
            finally:
                self.used = time.monotonic()

        return noted


def main() -> int:
    """Serve until nobody asks any more, or a signal comes; the exit code."""
    order = json.loads(sys.stdin.buffer.readline())
    alive = place.opened(order["alive"])
    try:
        # INVARIANT: held as long as we live, and by nobody else: who finds it held may trust what is said
        # of our port.
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _complain("there is such a process already")
    os.truncate(alive, 0)
    os.write(alive, b"%d" % os.getpid())
    try:
        behind = _Behind(read(order["arguments"]))
        behind.check_stores([ANYBODY])
        listener = listening("127.0.0.1", 0)
    except (Unusable, UnusableServer, Refused) as reason:
        return _complain(str(reason))
    except OSError as error:
        return _complain(f"cannot listen on 127.0.0.1: {error.strerror}")
    limits = Limits(
        idle=order["idle"] + 3600.0, request_seconds=REQUEST_SECONDS, sessions=16, sessions_each=16, grace=2.0
    )
    access = Access(keys=(_Own(order["token"]),))
    made: list[_Service] = []

    def service() -> Service:
        made.append(_Service(Servers(behind.for_session, behind.to_share, behind.kind), access, limits))
        return made[0]

    def ready() -> None:
        port: int = listener.getsockname()[1]
        os.write(1, b"%d\n" % port)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        if order["is_attached"]:
            threading.Thread(target=_end_with_caller, daemon=True).start()
        else:
            os.dup2(nothing, 0)
            threading.Thread(target=_end_when_idle, args=(made[0], order), daemon=True).start()
        os.close(nothing)

    code = run(service, listener, limits, ready)
    # What was sent last may not be noted or exported yet.
    behind.close()
    if order["is_attached"]:
        for end in ("alive", "log", "told"):
            with suppress(OSError):
                os.unlink(f"{order['alive'].removesuffix('alive')}{end}")
    return code


def _end_with_caller() -> None:
    """However the command line ends that we are for: its end of the pipe is closed then."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _end_when_idle(service: _Service, order: dict[str, Any]) -> None:
    idle: float = order["idle"]
    while True:
        time.sleep(min(LOOK_SECONDS, idle))
        _bound_log()
        if service.under_way or time.monotonic() - service.used < idle:
            continue
        with suppress(NoPlace), place.locked(order["lock"]):
            # Somebody may have asked while we waited for the lock.
            if service.under_way or time.monotonic() - service.used < idle:
                continue
            with suppress(OSError):
                os.unlink(order["state"])
        os.kill(os.getpid(), signal.SIGTERM)
        return


def _bound_log() -> None:
    """What a server says on stderr is kept for when it fails, and not for ever."""
    with suppress(OSError):
        if os.fstat(2).st_size > MAX_LOG_BYTES:
            os.ftruncate(2, 0)


def _with_whole_definitions(plan: Plan) -> Plan:
    """The plan, with its tools in place and whole: flags are made of them. What is hidden stays hidden, and
    what is renamed has its new name."""
    blocks = tuple(
        replace(block, present=(), compress=tuple(replace(level, level="low") for level in block.compress))
        for block in plan.tools
    )
    return replace(plan, tools=blocks)


def _is_raw(message: bytes) -> bool:
    try:
        _, found = envelope(message)
        ident = string(message, found["id"])
    except (*MALFORMED, KeyError):
        return False
    return ident is not None and ident.startswith(RAW)


def _complain(reason: str) -> int:
    return complain(reason.replace("terse proxy ", "terse cli "))


if __name__ == "__main__":
    # At once: a thread may be waiting for what never comes.
    os._exit(main())
