"""The way to a Redis (or Valkey) that several replicas share, and whether it may be relied on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ConnectionError,
    NoPermissionError,
    RedisError,
    TimeoutError,
)
from redis.retry import Retry

PREFIX = "terse:1:"
"""What every key begins with: the 1 is the version of all that is kept, and another one is another memory."""
SECONDS = 0.75
"""How long an answer is waited for, and results wait. `?socket_timeout=2` in the address goes before."""
PAUSE_SECONDS = 1.0
"""After a failure nothing is tried for so long, so that not every result waits for a Redis that is away."""
DEBT_SECONDS = 0.1
MAX_CONNECTIONS = 32
OLDEST = (6, 0)

_Result = TypeVar("_Result")


class Away(Exception):  # noqa: N818 — says where Redis is
    """Redis cannot be asked now. The message says why, in a few words."""


class Unusable(Exception):  # noqa: N818 — says what is wrong with it
    """What is kept there would not be safe. The message says why, and what to do instead."""


class RedisLink:
    """Safe to use from any thread. Nothing is sent twice: what failed may have been done.

    Args:
        url: redis://HOST:PORT/DATABASE, rediss:// with TLS, or unix://PATH.
        password: if it is not in the address; what a list of processes shows is no place for one.
        clock: seconds.

    Raises:
        Unusable: the address is none.
    """

    def __init__(
        self, url: str, *, password: str | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        if urlsplit(url).scheme not in ("redis", "rediss", "unix"):
            raise Unusable("it is no address: write redis://HOST:6379/0, or rediss:// with TLS")
        more = {} if password is None else {"password": password}
        try:
            pool = BlockingConnectionPool.from_url(
                url,
                max_connections=MAX_CONNECTIONS,
                timeout=SECONDS,
                socket_timeout=SECONDS,
                socket_connect_timeout=SECONDS,
                # The older protocol asks for a password in words that people understand.
                protocol=2,
                # A counter that was sent twice would count twice.
                retry=Retry(NoBackoff(), 0),
                **more,
            )
        except ValueError as error:
            raise Unusable(f"it is no address: {error}") from None
        self._client = Redis(connection_pool=pool)
        self._clock = clock
        self._lock = threading.Lock()
        self._scripts: dict[str, Any] = {}
        self._paused_until = float("-inf")
        self._reason = ""
        self._is_checked = False
        self._debts: dict[str, Callable[[], object]] = {}
        self._has_debts = threading.Event()
        self._is_paying = False

    @property
    def state(self) -> str:
        """`ok`, or why it cannot be used."""
        try:
            self.run(lambda client: client.ping())
        except Away as reason:
            return str(reason)
        return "ok"

    def check(self) -> None:
        """
        Raises:
            Away: it cannot be reached.
            Unusable: it is no safe place.
        """
        try:
            self._check()
        except RedisError as error:
            raise Away(_words(error)) from None

    def run(self, work: Callable[[Any], _Result]) -> _Result:
        """What the work gives, done with a client of redis-py.

        Raises:
            Away: it could not be done, or nobody knows whether it was.
        """
        with self._lock:
            if self._clock() < self._paused_until:
                raise Away(self._reason)
        try:
            if not self._is_checked:
                # Also when it is back: it may be another one, or have been set up anew.
                self._check()
            return work(self._client)
        except (RedisError, Unusable) as error:
            reason = str(error) if isinstance(error, Unusable) else _words(error)
            if isinstance(error, (ConnectionError, TimeoutError, Unusable)):
                with self._lock:
                    self._is_checked = False
                    self._paused_until = self._clock() + PAUSE_SECONDS
                    self._reason = reason
            raise Away(reason) from None

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        """What a script in Lua gives: all that it does is done at once, or nothing.

        Raises:
            Away: as `run`.
        """
        return self.run(lambda client: self._script(source, client)(list(keys), list(arguments)))

    def owe(self, name: str, work: Callable[[], object]) -> None:
        """Do something as soon as it can be done; once, if it is owed twice under one name.

        Args:
            work: raises `Away` as long as it cannot.
        """
        with self._lock:
            self._debts[name] = work
            begins = not self._is_paying
            self._is_paying = True
        self._has_debts.set()
        if begins:
            threading.Thread(target=self._pay, daemon=True).start()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()
        self._client.connection_pool.disconnect()

    def _pay(self) -> None:
        while True:
            self._has_debts.wait()
            with self._lock:
                debts = list(self._debts.items())
                self._has_debts.clear()
            for name, work in debts:
                try:
                    work()
                except Away:
                    self._has_debts.set()
                    continue
                with self._lock:
                    if self._debts.get(name) is work:
                        del self._debts[name]
            if self._has_debts.is_set():
                threading.Event().wait(DEBT_SECONDS)

    def _script(self, source: str, client: Any) -> Any:
        found = self._scripts.get(source)
        if found is None:
            found = self._scripts[source] = client.register_script(source)
        return found

    def _check(self) -> None:
        try:
            told: dict[str, Any] = self._client.info()
        except (AuthenticationError, AuthorizationError, NoPermissionError) as error:
            raise Unusable(_words(error)) from None
        version = str(told.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            raise Unusable(f"it is version {version}: take 6.0 or newer")
        if told.get("cluster_enabled"):
            raise Unusable("it is one of a cluster: take a primary that holds all keys")
        if told.get("role") == "slave":
            raise Unusable("it is a copy that cannot be written: give the address of the primary")
        policy = str(told.get("maxmemory_policy", "noeviction"))
        if int(told.get("maxmemory", 0)) and policy != "noeviction":
            raise Unusable(
                f"it drops keys when it is full (maxmemory-policy {policy}), and what was promised to a "
                "client would be lost: set maxmemory-policy noeviction"
            )
        self._is_checked = True


def _words(error: RedisError) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    first = (str(error).splitlines() or ["it cannot be reached"])[0]
    return first.rstrip(".") or "it cannot be reached"
