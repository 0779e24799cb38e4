"""Connections on which a request is one write: its head and its body leave together.

The library writes them apart: a server then wakes up for the head alone. A call costs a quarter more
processor time that way, and on a busy machine takes three times as long (python -m tests.benchmarks remote).
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import httpcore2
import httpx2
from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

MAX_KEPT_BYTES = 64 * 1024
"""More is written at once: there is nothing to win by joining it."""
LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30)


class Transport(httpx2.AsyncHTTPTransport):
    """The library's, on such connections.

    Args:
        context: says which certificates hold.
    """

    def __init__(self, context: ssl.SSLContext | bool) -> None:
        super().__init__(verify=context, limits=LIMITS)
        # Where the library comes to call it otherwise, requests are two writes again, and a test says so.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context if isinstance(context, ssl.SSLContext) else None,
            max_connections=LIMITS.max_connections,
            max_keepalive_connections=LIMITS.max_keepalive_connections,
            keepalive_expiry=LIMITS.keepalive_expiry,
            network_backend=_Backend(),
        )


class _Backend(AsyncNetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> AsyncNetworkStream:
        return _Stream(await self._inner.connect_tcp(host, port, timeout, local_address, socket_options))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Stream(AsyncNetworkStream):
    """Keeps what is written until somebody reads, or it is much."""

    def __init__(self, inner: AsyncNetworkStream) -> None:
        self._inner = inner
        self._kept = b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._kept += buffer
        if len(self._kept) > MAX_KEPT_BYTES:
            await self._flush(timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # As the library has it: a server that does not take all of a request may have answered it.
        with suppress(httpcore2.WriteError):
            await self._flush(timeout)
        return await self._inner.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> AsyncNetworkStream:
        return _Stream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    async def _flush(self, timeout: float | None) -> None:
        kept, self._kept = self._kept, b""
        if kept:
            await self._inner.write(kept, timeout)
