"""HTTP with SSE, the transport of 2024-11-05: one stream for all that the server says; it begins with the
address to POST to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

import httpx2

from terse.proxy.complaints import Complaints
from terse.proxy.remote.events import EventReader
from terse.proxy.remote.flight import Flight, Problem, Request
from terse.proxy.remote.messages import ClientMessage, answered, id_key, is_json, members, text
from terse.proxy.remote.transport import Transport
from terse.proxy.remote.web import Web, is_events, status_problem
from terse.proxy.servers import shown_url

BEGIN_SECONDS = 20.0
"""How long the stream may take to say where to POST to."""


class OldSse(Transport):
    """See `Transport`. A stream that broke is opened again with the next message, and the session with it."""

    def __init__(
        self, url: str, web: Web, flight: Flight, complaints: Complaints, timeout: float | None
    ) -> None:
        super().__init__(flight, complaints, timeout)
        self._url = url
        self._web = web
        self._endpoint: asyncio.Future[str] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()
        # Requests of ours, that the client does not know of.
        self._own: dict[bytes | str, asyncio.Future[bytes]] = {}

    async def connect(self, *, begins: bool) -> str:
        """Open the stream, if it is not; the address to POST to.

        Args:
            begins: a session is to begin now; otherwise, the one that was lost is begun anew.

        Raises:
            Problem: the server has no such stream.
        """
        async with self._connecting:
            if self._endpoint is not None and self._reader is not None and not self._reader.done():
                return await self._endpoint
            self._endpoint = asyncio.get_running_loop().create_future()
            self._reader = asyncio.ensure_future(self._read(self._endpoint))
            try:
                async with asyncio.timeout(BEGIN_SECONDS):
                    endpoint = await asyncio.shield(self._endpoint)
            except TimeoutError:
                self._reader.cancel()
                raise Problem(f"{shown_url(self._url)} did not say where to send messages to") from None
            if not begins and self.opening.version is not None:
                try:
                    await self.opening.replay(
                        lambda message: self._ask(message, endpoint),
                        lambda message: self._post(message, endpoint),
                    )
                except BaseException:
                    # INVARIANT: a stream that is open has the session; the next message tries again.
                    self._reader.cancel()
                    raise
                self.complaints.say("renewed", f"{shown_url(self._url)} was lost: a new session was begun")
            return endpoint

    async def _exchange(self, request: Request) -> None:
        endpoint = await self.connect(begins=request.message.method == "initialize")
        if not request.is_done:
            await self._post(request.message, endpoint)
            await request.wait()

    async def _tell(self, message: ClientMessage) -> None:
        await self._post(message, await self.connect(begins=False))

    async def _leave(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _post(self, message: ClientMessage, endpoint: str) -> None:
        headers = {"Content-Type": "application/json"}
        if self.opening.version is not None:
            headers["MCP-Protocol-Version"] = self.opening.version
        async with self._web.open("POST", endpoint, headers, message.raw) as response:
            if not response.is_success:
                raise Problem(status_problem(self._url, response, await response.aread()))

    async def _ask(self, message: ClientMessage, endpoint: str) -> bytes:
        key = id_key(message.ids[0])
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._own[key] = answer
        try:
            await self._post(message, endpoint)
            async with asyncio.timeout(self._timeout or BEGIN_SECONDS):
                return await answer
        except TimeoutError:
            raise Problem(f"{shown_url(self._url)} did not answer {message.method}") from None
        finally:
            del self._own[key]

    async def _read(self, endpoint: asyncio.Future[str]) -> None:
        """Deliver what the stream says until it ends; then nobody need wait for an answer any more."""
        problem = Problem(f"the stream from {shown_url(self._url)} ended before the answer came")
        try:
            async with self._web.open("GET", self._url, {"Accept": "text/event-stream"}) as response:
                if not response.is_success or not is_events(response):
                    body = b"" if response.is_success else await response.aread()
                    raise Problem(status_problem(self._url, response, body))
                reader = EventReader()
                with suppress(httpx2.HTTPError):
                    async for piece in response.aiter_bytes():
                        for event in reader.feed(piece):
                            if event.kind == "endpoint" and not endpoint.done():
                                endpoint.set_result(self._checked(event.data.decode("utf-8", "replace")))
                            elif event.kind == "message" and is_json(event.data):
                                await self._deliver(event.data)
        except Problem as failure:
            problem = failure
        except Exception as error:
            self.complaints.say_fault("the server's stream", error, "it was ended")
        if not endpoint.done():
            endpoint.set_exception(problem)
            # Whether or not anybody still waits for it.
            endpoint.exception()
            return
        for request in self.flight.all():
            await self.flight.fail(request, str(problem), problem.code)

    def _checked(self, place: str) -> str:
        """The whole address.

        Raises:
            Problem: it is another server's. INVARIANT: headers with tokens go to the server they are for.
        """
        endpoint = urljoin(self._url, place.strip())
        if urlsplit(endpoint)[:2] != urlsplit(self._url)[:2]:
            raise Problem(f"{shown_url(self._url)} wants messages sent to another server: refused")
        return endpoint

    async def _deliver(self, data: bytes) -> None:
        ids, found = answered(data)
        own = self._own.get(id_key(ids[0])) if len(ids) == 1 else None
        if own is not None:
            if not own.done():
                own.set_result(data)
            return
        for request, _ in await self.flight.deliver(data):
            if request.message.method == "initialize" and "result" in found:
                self.opening.version = text(members(bytes(found["result"])).get("protocolVersion"))
