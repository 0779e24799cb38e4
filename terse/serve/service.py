"""The service: who may ask, how much, and which part of it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from terse.proxy.complaints import Complaints
from terse.serve.access import Access, Refusal
from terse.serve.attached import Open
from terse.serve.handshake import SESSION, VERSIONS, Handshake
from terse.serve.issuer import WELL_KNOWN, Issuer
from terse.serve.limits import Limits
from terse.serve.replies import AWAY, INVALID, JSON, PARSE, messages_in, refused
from terse.serve.standalone import META, Standalone
from terse.serve.threads import Threads

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from terse.serve.counts import Counts
    from terse.serve.replicas import Replicas
    from terse.serve.tally import Tally

PATH = "/mcp"
VERSION = "mcp-protocol-version"
SWEEP_SECONDS = 1.0
DRAIN_STEP_SECONDS = 0.02


@dataclass(frozen=True)
class Servers:
    """How the servers behind are reached.

    Attributes:
        for_session: starts one for a session, and
        to_share: one for requests that belong to none.
        kind: see `Standalone`.
    """

    for_session: Open
    to_share: Open
    kind: Callable[[str | None], str] = lambda name: ""


class Service:
    """MCP over HTTP. To be used in the event loop.

    Args:
        tally: what was sent, for `/metrics` to say, which need prometheus_client; None: there are none.
        replicas: others that serve the same clients; None: this is the only one.

    Attributes:
        handshake, standalone: what answers clients of each era.
        under_way: how many POSTs are not answered to their end.
    """

    def __init__(
        self,
        servers: Servers,
        access: Access,
        limits: Limits,
        *,
        tally: Tally | None = None,
        replicas: Replicas | None = None,
    ) -> None:
        self.under_way = 0
        self._access = access
        self._limits = limits
        self._threads = Threads()
        self._replicas = replicas
        self.handshake = (
            Handshake(servers.for_session, limits, self._threads)
            if replicas is None
            else self._replicated(replicas)
        )
        self.standalone = Standalone(servers.to_share, servers.kind, limits, self._threads)
        self._is_draining = False
        self._complaints = Complaints()
        self._counts: Counts | None = None
        if tally is not None:
            from terse.serve.counts import Counts

            self._counts = Counts(self.handshake.__len__, self.standalone.__len__, tally)
            if replicas is not None:
                self._counts.add_replicas(replicas)

    def _replicated(self, replicas: Replicas) -> Handshake:
        # What it needs is not installed everywhere.
        from terse.serve.replicated import ReplicatedHandshake

        return ReplicatedHandshake(replicas, self._limits, self._threads)

    def application(self) -> ASGIApp:
        """The ASGI application."""
        routes = [
            Route(PATH, self._endpoint, methods=["GET", "POST", "DELETE"]),
            Route("/healthz", self._health, methods=["GET"]),
            Route("/readyz", self._ready, methods=["GET"]),
        ]
        if self._counts is not None:
            routes.append(Route("/metrics", self._metrics, methods=["GET"]))
        if any(isinstance(keys, Issuer) for keys in self._access.keys):
            for path in (WELL_KNOWN, f"{WELL_KNOWN}{{path:path}}"):
                routes.append(Route(path, self._resource, methods=["GET"]))
        middleware = []
        if self._access.origins:
            middleware.append(
                Middleware(
                    CORSMiddleware,
                    allow_origins=self._access.origins,
                    allow_methods=["GET", "POST", "DELETE"],
                    allow_headers=["*"],
                    expose_headers=[SESSION, "WWW-Authenticate"],
                )
            )
        return self._counting(Starlette(routes=routes, lifespan=self._lifespan, middleware=middleware))

    async def drain(self, hurry: asyncio.Event) -> None:
        """Refuse what is new, and wait for what is under way: as long as the limits say, or until `hurry`."""
        self._is_draining = True
        until = time.monotonic() + self._limits.grace
        while self.under_way and time.monotonic() < until and not hurry.is_set():
            await asyncio.sleep(DRAIN_STEP_SECONDS)
        self.handshake.end_streams()
        self.standalone.end_streams()

    @asynccontextmanager
    async def _lifespan(self, application: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self._sweep())
        yield
        sweeping.cancel()
        self.handshake.close()
        self.standalone.close()
        await self._threads.finish()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._limits.idle, self._limits.request_seconds))
            now = time.monotonic()
            self.handshake.sweep(now)
            self.standalone.sweep(now)

    def _counting(self, application: ASGIApp) -> ASGIApp:
        """The application, with its requests counted until the last byte of their answers."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await application(scope, receive, send)
                return
            is_asked = scope["method"] == "POST"
            began = time.monotonic()

            async def noted(message: Message) -> None:
                if message["type"] == "http.response.start" and self._counts is not None:
                    took = time.monotonic() - began if is_asked else None
                    self._counts.answer(scope["method"], message["status"], took)
                await send(message)

            self.under_way += is_asked
            if is_asked and self._counts is not None:
                self._counts.begin()
            try:
                await application(scope, receive, noted)
            except Exception as error:
                # Its client has been told by then that something failed.
                self._complaints.say_fault("a request", error, "it was answered with an error")
            finally:
                self.under_way -= is_asked
                if is_asked and self._counts is not None:
                    self._counts.end()

        return counted

    # ---- what is answered without a server -----------------------------------------------------------------

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok", **await self._redis()})

    async def _ready(self, request: Request) -> Response:
        if self._is_draining:
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok", **await self._redis()})

    async def _redis(self) -> dict[str, str]:
        # No reason not to be asked: all that is there still works, and what is elsewhere would be away, too.
        return {} if self._replicas is None else {"redis": await asyncio.to_thread(self._replicas.state)}

    async def _metrics(self, request: Request) -> Response:
        assert self._counts is not None
        from terse.serve.counts import CONTENT_TYPE

        page = await asyncio.to_thread(self._counts.page)
        return Response(page, media_type=CONTENT_TYPE)

    async def _resource(self, request: Request) -> Response:
        issuer = next(keys for keys in self._access.keys if isinstance(keys, Issuer))
        return JSONResponse(issuer.metadata, headers={"Access-Control-Allow-Origin": "*"})

    # ---- MCP -----------------------------------------------------------------------------------------------

    async def _endpoint(self, request: Request) -> Response:
        caller = await self._access.caller(request.headers)
        if isinstance(caller, Refusal):
            challenge = {"WWW-Authenticate": caller.challenge} if caller.challenge else None
            return JSONResponse({"error": caller.text}, caller.status, challenge)
        version = request.headers.get(VERSION)
        if request.method == "POST":
            return await self._post(request, caller, version)
        if version is not None and version not in VERSIONS:
            return Response(status_code=405, headers={"Allow": "POST"})
        if request.method == "DELETE":
            return await self.handshake.delete(request, caller)
        return await self.handshake.get(request, caller)

    async def _post(self, request: Request, caller: str, version: str | None) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            return refused(415, INVALID, f"the body has to be {JSON}")
        try:
            async with asyncio.timeout(self._limits.arrival):
                body = await self._body(request)
        except TimeoutError:
            return refused(408, INVALID, "the body did not come in time")
        except ClientDisconnect:
            return Response(status_code=400)
        if body is None:
            return refused(413, INVALID, f"a request may have {self._limits.body_bytes:,} bytes")
        found = messages_in(body)
        if not found:
            return refused(400, PARSE, "the body is no message of JSON-RPC")
        if any(each.method is not None and "id" in each.members for each in found):
            if self._is_draining:
                return refused(503, AWAY, "the service is stopping")
            if self.under_way > self._limits.requests:
                return refused(503, AWAY, "too many requests are under way: try again later")
        # A request may say itself that it stands alone, though no header does.
        is_alone = any(each.meta(f"{META}protocolVersion") is not None for each in found)
        if is_alone or (version is not None and version not in VERSIONS):
            return await self.standalone.post(request, caller, body, found)
        return await self.handshake.post(request, caller, body, found)

    async def _body(self, request: Request) -> bytes | None:
        """The body; None if it is longer than it may be."""
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > self._limits.body_bytes:
            return None
        pieces, size = [], 0
        async for piece in request.stream():
            size += len(piece)
            if size > self._limits.body_bytes:
                return None
            pieces.append(piece)
        return b"".join(pieces)
