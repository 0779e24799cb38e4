"""Streamable HTTP: a POST for each message, answers in its body or as events, and a stream for the rest.

Up to 2025-11-25 there is a session with an id, a GET stream for what the server says unasked, and a stream
that broke is taken up again where it ended. Since 2026-07-28 each request stands alone, and says so by naming
its version.
"""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress
from typing import NamedTuple
from uuid import uuid4

import httpx2

from terse.proxy.complaints import Complaints
from terse.proxy.remote.events import Event, EventReader
from terse.proxy.remote.flight import Flight, Problem, Request
from terse.proxy.remote.headers import routing_headers
from terse.proxy.remote.marked import Marked, marked_properties, may_mark, problem_of, without_unusable
from terse.proxy.remote.messages import (
    HEADER_MISMATCH,
    ClientMessage,
    Members,
    answered,
    error_member,
    error_with,
    id_key,
    is_json,
    members,
    read_client_message,
    text,
    value_of,
)
from terse.proxy.remote.old_sse import OldSse
from terse.proxy.remote.transport import Transport
from terse.proxy.remote.web import Web, is_events, status_problem
from terse.proxy.servers import shown_url

RETRY_SECONDS = 1.0
"""Before a broken stream is taken up again, where the server says nothing else."""
MAX_RETRY_SECONDS = 30.0
MAX_RESUMES = 3
"""Attempts in a row, none of which brought an event, to take up the stream of a request."""
REST_SECONDS = 1.0
"""How long the end of a stream may take, once its request is answered."""
MAX_PAGES = 100
"""Pages of a list of tools that are read for the parameters it marks."""
NOT_THIS_TRANSPORT = (400, 404, 405)
"""A server of 2024-11-05 answers the first POST with one of these."""

_LIST = "tools/list"


class _Stream(NamedTuple):
    """Where a stream of events ended: the last id it had, and how long the server asked to wait."""

    last_id: str | None
    retry_seconds: float


_NEVER = _Stream(None, RETRY_SECONDS)
_NOT_NOW = (408, 425, 429)


class _Body(NamedTuple):
    """An answer that is no stream."""

    status: int
    content: bytes
    problem: str


class Streamable(Transport):
    """See `Transport`.

    Args:
        older: what takes over where the server turns out to know only that; None: it is not tried.
    """

    def __init__(
        self,
        url: str,
        web: Web,
        flight: Flight,
        complaints: Complaints,
        timeout: float | None,
        older: OldSse | None = None,
    ) -> None:
        super().__init__(flight, complaints, timeout)
        self._url = url
        self._web = web
        self._older = older
        self._session: str | None = None
        self._renewing = asyncio.Lock()
        self._listener: asyncio.Task[None] | None = None
        self._marked: dict[str, Marked] = {}

    # ---- requests --------------------------------------------------------------------------------

    async def _exchange(self, request: Request) -> None:
        message = request.message
        is_renewed = is_refreshed = False
        if message.method == "initialize":
            self._stop_listening()
            self._session = None
        while not request.is_done:
            session = self._session
            outcome = await self._post(message, request)
            if isinstance(outcome, _Stream):
                await self._resume(request, outcome)
                return
            if message.method == "initialize" and outcome.status in NOT_THIS_TRANSPORT:
                if self._older is not None and await _answers(self._older):
                    self.hand_over(self._older)
                    await self._older._exchange(request)
                    return
            elif session is not None and not is_renewed and _is_gone(outcome):
                is_renewed = True
                await self._renew(session)
                continue
            is_list_needed = message.method == "tools/call" and message.version is not None
            if is_list_needed and not is_refreshed and _error_code(outcome) == HEADER_MISMATCH:
                is_refreshed = True
                await self._refresh_marked(message)
                continue
            await self._take_body(request, outcome)
            return

    async def _post(self, message: ClientMessage, request: Request | None = None) -> _Stream | _Body:
        """Send a message. Events of its stream are delivered, if it is for a request."""
        sent = self._headers(message)
        async with self._web.open("POST", self._url, sent, message.raw) as response:
            if message.method == "initialize" and response.is_success:
                self._session = response.headers.get("mcp-session-id")
            if response.is_success and is_events(response):
                return await self._read(response, request)
            content = await response.aread()
            return _Body(response.status_code, content, status_problem(self._url, response, content))

    def _headers(self, message: ClientMessage | None) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        if message is not None and message.version is not None:
            tool = message.text("name") if message.method == "tools/call" else None
            return headers | routing_headers(message, self._marked.get(tool or "", {}))
        if message is not None and message.method == "initialize":
            return headers
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        if self.opening.version is not None:
            headers["MCP-Protocol-Version"] = self.opening.version
        return headers

    async def _take_body(self, request: Request, body: _Body) -> None:
        """Deliver the answer that the body is, or raise `Problem` with what it is instead."""
        is_success = 200 <= body.status < 300
        if not is_json(body.content):
            if not is_success:
                raise Problem(body.problem)
            what = "nothing" if not body.content.strip() else "no JSON"
            raise Problem(f"{shown_url(self._url)} answered {body.status} with {what} in it")
        keys = [id_key(each) for each in answered(body.content)[0]]
        if any(key in request.waiting for key in keys):
            await self._deliver(body.content, request.flight)
            return
        error = error_member(body.content)
        if error is not None:
            # The server could not read the request, so it names no id.
            await request.flight.refuse(request, lambda identifier: error_with(identifier, error))
            return
        raise Problem("the server's answer is for no request" if is_success else body.problem)

    # ---- streams ---------------------------------------------------------------------------------

    async def _read(
        self, response: httpx2.Response, request: Request | None, last_id: str | None = None
    ) -> _Stream:
        """Deliver the events of a stream until it ends, breaks, or the request is answered."""
        reader = EventReader()
        # Where it breaks is as where it ends too early: what was not delivered comes with the next stream.
        with suppress(httpx2.HTTPError, TimeoutError):
            async with asyncio.timeout(None) as rest:
                async for piece in response.aiter_bytes():
                    for event in reader.feed(piece):
                        last_id = event.id if event.id is not None else last_id
                        await self._take_event(event, request)
                    if request is not None and request.is_done and rest.when() is None:
                        # Read to its end, a connection can be used again.
                        rest.reschedule(asyncio.get_running_loop().time() + REST_SECONDS)
        return _Stream(last_id, RETRY_SECONDS if reader.retry_seconds is None else reader.retry_seconds)

    async def _take_event(self, event: Event, request: Request | None) -> None:
        if request is not None:
            request.note_sign_of_life()
        if event.kind != "message" or not event.data:
            return
        if is_json(event.data):
            await self._deliver(event.data, self.flight if request is None else request.flight)
        else:
            self.complaints.say("no message", "the server sent an event that is no message: dropped")

    async def _deliver(self, data: bytes, flight: Flight) -> None:
        if flight is self.flight and may_mark(data):
            data = self._usable(data)
        for request, found in await flight.deliver(data):
            if "result" not in found or flight is not self.flight:
                continue
            if request.message.method == "initialize":
                self.opening.version = text(members(bytes(found["result"])).get("protocolVersion"))
            elif request.message.method == _LIST and may_mark(data):
                self._note_marked(found)

    async def _resume(self, request: Request, stream: _Stream) -> None:
        """Take up a request's stream where it ended, until the request is answered.

        Raises:
            Problem: that cannot be done.
        """
        failures = 0
        while not request.is_done:
            if stream.last_id is None or request.message.version is not None or failures == MAX_RESUMES:
                raise Problem(f"the stream from {shown_url(self._url)} ended before the answer came")
            await asyncio.sleep(_pause(stream.retry_seconds, failures))
            before = stream.last_id
            with suppress(Problem):
                stream = await self._reopen(stream, request)
            failures = failures + 1 if stream.last_id == before else 0

    async def _reopen(self, stream: _Stream, request: Request | None) -> _Stream:
        """Read a stream that goes on after another one; where that ended. Its id is None if it never will.

        Raises:
            Problem: not now.
        """
        headers = self._headers(None) | {"Accept": "text/event-stream"}
        if stream.last_id is not None:
            headers["Last-Event-ID"] = stream.last_id
        async with self._web.open("GET", self._url, headers) as response:
            if response.is_success and is_events(response):
                return await self._read(response, request, stream.last_id)
            if response.is_success or response.status_code in _NOT_NOW or response.status_code >= 500:
                raise Problem(status_problem(self._url, response, b""))
            return _NEVER

    async def _listen(self) -> None:
        """Read what the server says unasked, for as long as it has the session."""
        stream = _Stream(None, RETRY_SECONDS)
        failures = 0
        while stream is not _NEVER:
            try:
                stream = await self._reopen(stream, None)
                failures = 0
            except Problem:
                failures += 1
            except Exception as error:
                self.complaints.say_fault("the server's stream", error, "it was ended")
                return
            await asyncio.sleep(_pause(stream.retry_seconds, failures))

    def _start_listening(self) -> None:
        self._stop_listening()
        self._listener = asyncio.ensure_future(self._listen())

    def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            self._listener = None

    # ---- the session -----------------------------------------------------------------------------

    async def _tell(self, message: ClientMessage) -> None:
        session = self._session
        outcome = await self._post(message)
        if isinstance(outcome, _Body):
            if session is not None and _is_gone(outcome):
                # Whatever it was about is gone with the session.
                return
            if message.method is None and error_member(outcome.content) is not None:
                # Not understood here, nor there: the server's own words.
                await self._deliver(outcome.content, self.flight)
            elif not 200 <= outcome.status < 300:
                raise Problem(outcome.problem)
        if message.method == "notifications/initialized" and message.version is None:
            self._start_listening()

    async def _renew(self, gone: str) -> None:
        """Begin a session anew, in place of one that the server forgot.

        Raises:
            Problem: that cannot be done.
        """
        async with self._renewing:
            if self._session != gone:
                return
            self._stop_listening()
            self._session = None
            try:
                await self.opening.replay(self._ask, self._tell)
            except BaseException:
                # The next request tries again.
                self._session = self._session or gone
                raise
            self.complaints.say("renewed", f"{shown_url(self._url)} forgot the session: a new one was begun")

    async def _ask(self, message: ClientMessage) -> bytes:
        """Send a request that the client does not know of; the answer.

        Raises:
            Problem: there is none.
        """
        answers: list[bytes] = []

        async def keep(line: bytes) -> None:
            if answered(line)[0]:
                answers.append(line)

        request = Flight(keep).begin(message)
        async with request.limited(self._timeout):
            outcome = await self._post(message, request)
            if isinstance(outcome, _Body):
                if not 200 <= outcome.status < 300:
                    raise Problem(outcome.problem)
                await self._take_body(request, outcome)
        if not answers:
            raise Problem(f"{shown_url(self._url)} did not answer {message.method}")
        return answers[-1]

    async def _leave(self) -> None:
        self._stop_listening()
        if self._session is None:
            return
        async with self._web.open("DELETE", self._url, self._headers(None)):
            pass

    # ---- marked parameters -----------------------------------------------------------------------

    def _usable(self, data: bytes) -> bytes:
        """A list of tools as a client of 2026-07-28 may show it; all else as it came."""
        ids, _ = answered(data)
        request = self.flight.of(ids[0]) if len(ids) == 1 else None
        if request is None or request.message.method != _LIST or request.message.version is None:
            return data
        data, unusable = without_unusable(data)
        for tool, problem in unusable:
            self.complaints.say(f"mark {tool}", f"the tool {tool!a} cannot be called over HTTP: {problem}")
        return data

    def _note_marked(self, found: Members) -> None:
        result = value_of(found["result"])
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                schema = tool.get("inputSchema")
                self._marked[tool["name"]] = {} if problem_of(schema) else marked_properties(schema)

    async def _refresh_marked(self, message: ClientMessage) -> None:
        """Read the list of tools again, as the client would: it may have marked other parameters since."""
        self._marked.clear()
        cursor: object = None
        for _ in range(MAX_PAGES):
            answer = await self._ask(_list_request(message, cursor))
            found = members(answer)
            if "result" not in found:
                return
            self._note_marked(found)
            result = value_of(found["result"])
            cursor = result.get("nextCursor") if isinstance(result, dict) else None
            if cursor is None:
                return


def _list_request(message: ClientMessage, cursor: object) -> ClientMessage:
    """A request for a page of the tools, made as the client made the message: with its version and itself."""
    meta = members(bytes(message.params["_meta"]))
    own = {key: value_of(value) for key, value in meta.items() if key.startswith("io.modelcontextprotocol/")}
    params = {"_meta": own} if cursor is None else {"_meta": own, "cursor": cursor}
    request = {"jsonrpc": "2.0", "id": f"terse-{uuid4().hex}", "method": _LIST, "params": params}
    return read_client_message(json.dumps(request).encode())


async def _answers(older: OldSse) -> bool:
    try:
        await older.connect(begins=True)
    except Problem:
        return False
    return True


def _is_gone(body: _Body | _Stream) -> bool:
    """Whether the server does not know the session: 404 by the protocol, 400 with many servers."""
    if isinstance(body, _Stream):
        return False
    return body.status == 404 or (body.status == 400 and b"session" in body.content.lower())


def _error_code(body: _Body) -> object:
    error = error_member(body.content)
    return None if error is None else value_of(members(error)["code"])


def _pause(seconds: float, failures: int) -> float:
    """Longer after each failure, and never the same for all clients of a server that comes back."""
    longer = min(seconds * 2.0 ** min(failures, 16), max(seconds, MAX_RETRY_SECONDS))
    return longer * random.uniform(1.0, 1.2) if failures else longer
