"""HTTP for one server: headers, login, redirects, retries. What fails is a `Problem` in plain words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.request import getproxies

import httpx2

from terse import __version__
from terse.proxy.remote.flight import Problem
from terse.proxy.remote.one_write import LIMITS, Transport
from terse.proxy.servers import shown_url

CONNECT_SECONDS = 20.0
CONNECT_PAUSES = (0.2, 0.8)
"""Between attempts to connect: a server that is being restarted is back by then. Nothing was sent yet."""
MAX_REDIRECTS = 5
PROBE_BYTES = 300


class Web:
    """Requests to one server.

    Args:
        url: the server's.
        headers: sent with each.
        auth: logs in where the server wants it; None: what it says is told to the client.
        connect_seconds: how long a connection may take to be there.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        auth: httpx2.Auth | None,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        is_plain = url.startswith("http://")
        if getproxies():
            # Which of them is for whom is the library's to sort out.
            transport, mounts = None, None
        elif is_plain:
            transport, mounts = Transport(False), {"https://": _Tls()}
        else:
            transport, mounts = Transport(httpx2.create_ssl_context()), None
        self._client = httpx2.AsyncClient(
            transport=transport,
            mounts=mounts,
            headers={"User-Agent": f"terse/{__version__}", **headers},
            auth=auth,
            # Answers may take any time: how long is the caller's to say.
            timeout=httpx2.Timeout(None, connect=connect_seconds),
            limits=LIMITS,
        )

    @asynccontextmanager
    async def open(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> AsyncIterator[httpx2.Response]:
        """A response, whatever its status, of which nothing was read yet; closed at the end.

        Raises:
            Problem: there is none.
        """
        response = await self._respond(method, url, headers, content)
        try:
            yield response
        except httpx2.HTTPError as error:
            raise Problem(f"the connection to {shown_url(url)} broke ({_said(error)})") from None
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _respond(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> httpx2.Response:
        target = httpx2.URL(url)
        for _ in range(MAX_REDIRECTS):
            response = await self._send(method, target, headers, content)
            place = response.headers.get("location")
            if response.status_code not in (301, 302, 303, 307, 308) or place is None:
                return response
            await response.aclose()
            onward = target.join(place)
            if not _may_follow(target, onward, method, response.status_code):
                # INVARIANT: what is meant for one server (its headers hold tokens) goes to no other.
                raise Problem(
                    f"{shown_url(url)} sends on to {shown_url(str(onward))}: use that address instead"
                )
            target = onward
        raise Problem(f"{shown_url(url)} redirects without end")

    async def _send(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None
    ) -> httpx2.Response:
        for pause in (*CONNECT_PAUSES, None):
            try:
                request = self._client.build_request(method, url, headers=headers, content=content)
                return await self._client.send(request, stream=True, follow_redirects=False)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                if pause is None:
                    raise Problem(f"cannot reach {shown_url(str(url))}: {_said(error)}") from None
            except httpx2.HTTPError as error:
                raise Problem(f"{shown_url(str(url))} did not answer ({_said(error)})") from None
            await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")


class _Tls(httpx2.AsyncBaseTransport):
    """HTTPS beside a server without it: for a login elsewhere.

    To read all certificates takes as long as half of a start, so that waits until it is needed.
    """

    def __init__(self) -> None:
        self._inner: Transport | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2.AsyncBaseTransport`."""
        if self._inner is None:
            # INVARIANT: certificates are checked here as everywhere.
            self._inner = Transport(httpx2.create_ssl_context())
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close its connections."""
        if self._inner is not None:
            await self._inner.aclose()


def is_events(response: httpx2.Response) -> bool:
    """Whether the body is a stream of events."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"


def status_problem(url: str, response: httpx2.Response, body: bytes) -> str:
    """What a status that is no success means, for the client."""
    status, phrase = response.status_code, response.reason_phrase
    said = f"{shown_url(url)} answered {status} {phrase}".rstrip()
    kind = response.headers.get("content-type", "")
    if kind.startswith(("text/plain", "application/json")) and body:
        words = " ".join(body[:PROBE_BYTES].decode("utf-8", "replace").split())
        said += f": {words}"
    if status == 401:
        said += "; give it a token: -H 'Authorization: Bearer ${TOKEN}'"
    return said


def _may_follow(origin: httpx2.URL, onward: httpx2.URL, method: str, status: int) -> bool:
    if method != "GET" and status not in (307, 308):
        return False
    return (origin.scheme, origin.host, origin.port) == (onward.scheme, onward.host, onward.port)


def _said(error: httpx2.HTTPError) -> str:
    """The words of an error of the library's: they name no more than hosts and reasons."""
    return " ".join(str(error).split())[:PROBE_BYTES] or type(error).__name__
