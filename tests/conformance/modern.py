"""The bridge for 2026-07-28: every request stands alone, and one server process answers them all.

Clients number their requests as they like, so ids and progress tokens are given anew on the way to the
server and put back on the way out; so is the subscription id, which is the id of the request that listens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    validate_mcp_param_headers,
)
from mcp_types.jsonrpc import HEADER_MISMATCH, INVALID_REQUEST, METHOD_NOT_FOUND
from mcp_types.methods import CLIENT_REQUESTS, SPEC_CLIENT_METHODS
from starlette.requests import Request
from starlette.responses import Response

from tests.conformance.child import Child, Message
from tests.conformance.sse import Stream, as_json, refused, streamed, until_ended

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@dataclass(eq=False)
class _Asked:
    """A request under way: what its client calls it, and what has come for it."""

    ident: Any
    token: Any
    stream: Stream = field(default_factory=asyncio.Queue)
    answered: bool = False


class Modern:
    """The server of a bridge.

    Args:
        command: starts it, with the first request.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._numbers = count(1)
        self._asked: dict[int, _Asked] = {}

    async def answer(self, request: Request, message: Message) -> Response:
        """Answer a POST."""
        if "id" not in message:
            return Response(status_code=202)
        ident = message["id"]
        if (
            not isinstance(message.get("method"), str)
            or isinstance(ident, (bool, dict, list))
            or ident is None
        ):
            return refused(400, INVALID_REQUEST, "Invalid Request")
        doubled = find_duplicated_routing_header(request.headers.items())
        if doubled is not None:
            return refused(400, HEADER_MISMATCH, f"{doubled} header appears more than once", ident)
        route = classify_inbound_request(message, headers=request.headers)
        if isinstance(route, InboundLadderRejection):
            return _rejected(route, ident)
        method = message["method"]
        if method in SPEC_CLIENT_METHODS and (method, route.protocol_version) not in CLIENT_REQUESTS:
            return refused(404, METHOD_NOT_FOUND, f"{method} is no method of {route.protocol_version}", ident)
        await self._start()
        if method == "tools/call":
            rejection = await self._compare_headers(message["params"], request.headers)
            if rejection is not None:
                return _rejected(rejection, ident)
        return await self._forward(request, message)

    async def stop(self) -> None:
        """End the server."""
        if self._child is not None:
            await self._child.stop()

    async def _start(self) -> None:
        async with self._starting:
            if self._child is None:
                child = Child(self._received, self._ended)
                await child.start(self._command)
                self._child = child

    async def _forward(self, request: Request, message: Message) -> Response:
        number, asked = await self._send(message)
        first = await self._first(request, asked)
        if first is None:
            await self._cancel(number)
            return Response(status_code=499)
        if asked.answered and asked.stream.qsize() <= 1:
            answer = json.loads(first)
            code = answer["error"]["code"] if "error" in answer else None
            return as_json(answer, ERROR_CODE_HTTP_STATUS.get(code, 200))
        return streamed(self._stream(number, asked, first))

    async def _send(self, message: Message) -> tuple[int, _Asked]:
        number = next(self._numbers)
        params = message.get("params", {})
        meta = params.get("_meta", {})
        asked = _Asked(message["id"], meta.get("progressToken"))
        if asked.token is not None:
            params = {**params, "_meta": {**meta, "progressToken": number}}
        self._asked[number] = asked
        assert self._child is not None
        await self._child.send(json.dumps({**message, "id": number, "params": params}).encode())
        return number, asked

    async def _first(self, request: Request, asked: _Asked) -> bytes | None:
        """The first message for the request; None if its client, or the server, is gone before it came."""
        waiting = asyncio.ensure_future(asked.stream.get())
        leaving = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
            return waiting.result() if waiting.done() else None
        finally:
            for each in (waiting, leaving):
                each.cancel()
                with suppress(asyncio.CancelledError):
                    await each

    async def _stream(self, number: int, asked: _Asked, first: bytes) -> AsyncIterator[bytes]:
        try:
            yield first
            async for message in until_ended(asked.stream):
                yield message
        finally:
            if not asked.answered:
                await self._cancel(number)

    async def _cancel(self, number: int) -> None:
        """A client that closes its stream cancels: on stdio that is a notification."""
        if self._asked.pop(number, None) is not None and self._child is not None:
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            await self._child.send(json.dumps(note).encode())

    async def _compare_headers(
        self, params: Mapping[str, Any], headers: Mapping[str, str]
    ) -> InboundLadderRejection | None:
        """What is wrong with the `Mcp-Param-*` headers of a call, by the schema that the server lists."""
        arguments = params.get("arguments") or {}
        if not isinstance(arguments, dict):
            return None
        if not arguments and not any(name.startswith("mcp-param-") for name in headers):
            return None
        listing = {
            "jsonrpc": "2.0",
            "id": "tools",
            "method": "tools/list",
            "params": {"_meta": params["_meta"]},
        }
        _, asked = await self._send(listing)
        line = await asked.stream.get()
        tools = json.loads(line or b"{}").get("result", {}).get("tools", [])
        schema = next((tool["inputSchema"] for tool in tools if tool["name"] == params.get("name")), None)
        return None if schema is None else validate_mcp_param_headers(schema, arguments, headers)

    def _received(self, message: Message, line: bytes) -> None:
        if "method" not in message:
            asked = self._asked.pop(message.get("id"), None)  # type: ignore[arg-type]
            if asked is not None:
                asked.answered = True
                asked.stream.put_nowait(_line({**message, "id": asked.ident}))
                asked.stream.put_nowait(None)
            return
        params = message.get("params", {})
        meta = params.get("_meta", {})
        if message["method"] == "notifications/progress":
            asked = self._asked.get(params.get("progressToken"))
            if asked is not None:
                params = {**params, "progressToken": asked.token}
        elif SUBSCRIPTION in meta:
            asked = self._asked.get(meta[SUBSCRIPTION])
            if asked is not None:
                params = {**params, "_meta": {**meta, SUBSCRIPTION: asked.ident}}
        else:
            # A log line names no request: the newest one has it.
            asked = next(reversed(self._asked.values()), None)
        if asked is not None:
            asked.stream.put_nowait(_line({**message, "params": params}))

    def _ended(self) -> None:
        for asked in self._asked.values():
            asked.stream.put_nowait(None)


def _line(message: Message) -> bytes:
    return json.dumps(message).encode()


def _rejected(rejection: InboundLadderRejection, ident: Any) -> Response:
    status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
    return refused(status, rejection.code, rejection.message, ident, rejection.data)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
