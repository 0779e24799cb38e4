"""JSON-RPC as bytes in, bytes out: which message from the server answers which call of a tool. No I/O.

Every message is forwarded as it came, but for the answers that `Wire.from_server` gives back. A message that
is not understood (not JSON, a batch, a key that stands twice) is one that is forwarded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple

# `answer` and `spans` need msgspec, which costs more to import than the rest of the proxy: they are
# imported when the first tool is called, after the server was started.
if TYPE_CHECKING:
    from terse.proxy.answer import Answer
    from terse.proxy.retrieval import OwnCall
    from terse.proxy.spans import Span
    from terse.proxy.tool_list import ToolList

MAX_AWAITED = 1024
"""Calls awaiting their answer that are remembered; the answer to a forgotten one is forwarded as it came."""
MAX_AWAITED_BYTES = 32 * 1024 * 1024
"""Bytes of arguments of awaited calls and tasks that are remembered."""
MAX_ID_BYTES = 1024
MAX_TASK_REPLY_BYTES = 64 * 1024
MAX_INTRODUCTION_BYTES = 64 * 1024

LISTS = "tools/list"
LISTENS = "subscriptions/listen"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"

_TRACE_CONTEXT = ("traceparent", "tracestate")
MAX_TRACE_CONTEXT = 1024
"""Characters of each of them that are taken: twice what the W3C asks everybody to pass on."""

JsonRpcId = bytes | str
"""An id as a key: a string by its value, a number by its spelling. `"7"`, `7` and `7.0` are three ids."""


MAX_TOOLS = 4096
"""Tools whose calls are counted: no server has so many."""
MAX_ANSWERED = 64
"""Answered calls that are remembered for a while: the client may still cancel them, and ignore the answer."""


class ToolCall(NamedTuple):
    """What is remembered of a `tools/call` request.

    Attributes:
        number: which call of its tool it is, in the order in which the client asked, from 1.
        asked: when it was forwarded, by `time.monotonic`.
        traceparent, tracestate: the W3C trace context that the request has in its `_meta`.
    """

    tool: str
    arguments: bytes
    number: int
    asked: float = 0.0
    traceparent: str | None = None
    tracestate: str | None = None


class ListRequest(NamedTuple):
    """What is remembered of a `tools/list` request.

    Attributes:
        is_first: it asks for the first page.
    """

    is_first: bool
    arguments: bytes = b""


class Listening(NamedTuple):
    """What is remembered of a request that is told when the list of tools changes (2026-07-28).

    Attributes:
        raw_id: its id as it stands.
    """

    raw_id: bytes
    arguments: bytes = b""


class Wire:
    """Both directions of one connection. One thread may use each direction.

    Attributes:
        client: the client's name as it gave it; None before it did.
        has_begun: the client has begun with `initialize`, as up to 2025-11-25.

    Args:
        rewrites_lists: whether answers to `tools/list` may be rewritten, asked with bytes that hold the
            client's name if it gave one; None if they never are.
        counts: gives what calls of tools are counted in from the client's beginning on, asked at each
            beginning; None: each begins with none.
    """

    def __init__(
        self,
        rewrites_lists: Callable[[bytes], bool] | None = None,
        counts: Callable[[], dict[str, int]] | None = None,
    ) -> None:
        self.client: str | None = None
        self.has_begun = False
        # Not read before a tool is asked for: what reads them is not imported while the server starts.
        self._introductions: deque[bytes] = deque(maxlen=4)
        self._rewrites_lists = rewrites_lists
        self._lock = Lock()
        self._reading = Lock()
        # Requests seen and not yet read. INVARIANT: a request stays here until what it asks for is noted.
        self._unread: deque[bytes] = deque()
        self._awaited: dict[JsonRpcId, ToolCall | ListRequest | Listening | None] = {}
        self._tasks: dict[str, ToolCall] = {}
        self._bytes = 0
        self._counts = counts if counts is not None else dict[str, int]
        self._shares_counts = counts is not None
        self._calls = self._counts()
        self._answered: dict[JsonRpcId, ToolCall] = {}
        self._withdrawn: deque[ToolCall | None] = deque()
        self._failed: deque[ToolCall] = deque(maxlen=MAX_ANSWERED)

    @property
    def awaits_answers(self) -> bool:
        """Whether any message from the server could be an answer: if not, none needs a look."""
        return bool(self._awaited or self._unread)

    def from_client(self, message: bytes) -> None:
        """See a message before it is forwarded: its answer may be quick. `read` is to follow.

        The test by bytes is all that is done here, so that only requests that matter are ever parsed, and
        none is held up by it. A slash may be escaped.
        """
        if (
            b"tools/call" in message
            or b"tools\\/call" in message
            or ((self._tasks or self._unread) and b"tasks" in message)
            or (
                (self.awaits_answers or self._answered)
                and b"notifications" in message
                and b"cancelled" in message
            )
            or ((b"tools/list" in message or b"tools\\/list" in message) and self.may_rewrite_list(message))
            or ((self._calls or self._shares_counts) and b'"initialize"' in message)
            or b"subscriptions/listen" in message
            or b"subscriptions\\/listen" in message
        ):
            self._unread.append(message)
        self.has_begun = self.has_begun or b'"initialize"' in message
        if b'"initialize"' in message and len(message) <= MAX_INTRODUCTION_BYTES:
            self._introductions.append(message)

    def may_rewrite_list(self, request: bytes) -> bool:
        """Whether the answer to a request for a list may be rewritten, for the client as far as known."""
        if self._rewrites_lists is None:
            return False
        known = (self.client or "").encode("utf-8", "replace")
        return self._rewrites_lists(b"\n".join((*self._introductions, known, request)))

    def read(self) -> None:
        """Note what the messages ask for that were seen: to be called once they are forwarded."""
        if self._unread:
            with self._reading:
                while self._unread:
                    self._note(self._unread[0])
                    self._unread.popleft()

    def own_call(self, message: bytes, tool: str) -> OwnCall | None:
        """The call of the proxy's own tool that a message from the client is; None: it is another message."""
        if b"tools/call" not in message and b"tools\\/call" not in message:
            return None
        from terse.proxy.retrieval import own_call

        return own_call(message, tool)

    def from_server(self, message: bytes) -> Answer | ToolList | None:
        """The answer that the message is, if it is one that may be rewritten; None: forward it."""
        if b'"result"' not in message and b'"error"' not in message:
            return None
        self.read()
        if not self._awaited:
            return None
        from terse.proxy.answer import Answer
        from terse.proxy.spans import MALFORMED, envelope

        try:
            structure, found = envelope(message)
            if "id" not in found or "method" in found:
                return None
            request = request_id(message, found["id"])
            call = self._take(request)
            if isinstance(call, Listening):
                return None
            if isinstance(call, ListRequest):
                if "result" not in found or "error" in found:
                    return None
                from terse.proxy.tool_list import ToolList

                return ToolList(message, structure, found["result"], call.is_first, self.client, request)
            if call is not None and request is not None:
                self._note_answered(request, call)
                if "error" in found:
                    self._failed.append(call)
            if call is None or "result" not in found or "error" in found:
                return None
            result = found["result"]
            task = _created_task(structure, result)
        except MALFORMED:
            return None
        if task is not None:
            self._remember_task(task, call)
            return None
        about = call.tool, call.arguments, call.number, self.client, call, request
        return Answer(message, structure, result, *about)

    def failed(self) -> ToolCall | None:
        """The next call that the server answered with an error of the protocol. To be asked until there is
        none.
        """
        return self._failed.popleft() if self._failed else None

    def withdrawn(self) -> ToolCall | Literal[False] | None:
        """The next call whose answer the client will not have read, as it cancelled the call; None: it began
        the session anew, and has nothing; False: there is no news. To be asked until there is none.
        """
        return self._withdrawn.popleft() if self._withdrawn else False

    def _note(self, message: bytes) -> None:
        from terse.proxy.spans import MALFORMED, envelope, members, string

        while self._introductions:
            self._note_introduction(self._introductions.popleft())
        try:
            structure, found = envelope(message)
            if "method" not in found:
                return
            method = string(message, found["method"])
            if method == LISTS:
                self._note_list_request(message, structure, found)
                return
            if method == LISTENS:
                self._note_listening(message, structure, found)
                return
            if "params" not in found:
                return
            if method == "initialize":
                with self._lock:
                    # What was asked before is nobody's any more, and ids may be used again.
                    self._awaited.clear()
                    self._bytes = sum(len(task.arguments) for task in self._tasks.values())
                    self._calls = self._counts()
                    self._answered.clear()
                    self._withdrawn.append(None)
                return
            if method not in ("tools/call", "tasks/result", "tasks/get", "notifications/cancelled"):
                return
            params = members(structure, *found["params"])
            if method == "notifications/cancelled":
                if "requestId" in params:
                    self._withdraw(request_id(message, params["requestId"]))
                return
            request = request_id(message, found["id"]) if "id" in found else None
            if request is None:
                return
            if method == "tools/call":
                self._note_client_of_request(message, structure, params)
                span = params.get("arguments")
                arguments = b"{}" if span is None else message[span.start : span.end]
                tool = string(message, params["name"])
                trace = _trace_context(message, structure, params)
                self._await(request, ToolCall(tool, arguments, self._number(tool), monotonic(), *trace))
            else:
                task = self._tasks.get(string(message, params["taskId"]))
                if task is not None:
                    self._await(request, task)
        except (*MALFORMED, KeyError):
            return

    def listening(self) -> list[bytes]:
        """The ids, as they stand, of requests of the client that are told when its list of tools changes."""
        with self._lock:
            return [each.raw_id for each in self._awaited.values() if isinstance(each, Listening)]

    def _note_listening(self, message: bytes, structure: bytes, found: dict[str, Span]) -> None:
        from terse.proxy.spans import members

        request = request_id(message, found["id"]) if "id" in found else None
        wanted = members(structure, *members(structure, *found["params"])["notifications"])
        if request is not None and message[slice(*wanted["toolsListChanged"])] == b"true":
            self._await(request, Listening(message[slice(*found["id"])]))

    def _note_list_request(self, message: bytes, structure: bytes, found: dict[str, Span]) -> None:
        from terse.proxy.spans import members

        is_null = "params" in found and message[found["params"].start] == ord("n")
        params = members(structure, *found["params"]) if "params" in found and not is_null else {}
        self._note_client_of_request(message, structure, params)
        request = request_id(message, found["id"]) if "id" in found else None
        if request is not None:
            cursor = params.get("cursor")
            self._await(request, ListRequest(cursor is None or message[cursor.start] == ord("n")))

    def _note_client_of_request(self, message: bytes, structure: bytes, params: dict[str, Span]) -> None:
        """Since 2026-07-28 there is no `initialize`: each request may say who asks."""
        from terse.proxy.spans import members

        if "_meta" in params and structure.find(b"clientInfo", *params["_meta"]) != -1:
            meta = members(structure, *params["_meta"])
            if CLIENT_INFO in meta:
                self._note_client(message, {"clientInfo": meta[CLIENT_INFO]})

    def _note_introduction(self, message: bytes) -> None:
        from terse.proxy.spans import MALFORMED, envelope, members, string

        try:
            structure, found = envelope(message)
            if "method" in found and string(message, found["method"]) == "initialize" and "params" in found:
                self._note_client(message, members(structure, *found["params"]))
        except MALFORMED:
            return

    def _note_client(self, message: bytes, params: dict[str, Span]) -> None:
        from terse.proxy.spans import members, string

        if "clientInfo" in params:
            info = members(message, *params["clientInfo"])
            if "name" in info:
                self.client = string(message, info["name"])

    def _number(self, tool: str) -> int:
        """Which call of the tool the one is that is just being made."""
        number = self._calls.get(tool, 0) + 1
        if number > 1 or len(self._calls) < MAX_TOOLS:
            self._calls[tool] = number
        return number

    def _withdraw(self, request: JsonRpcId | None) -> None:
        with self._lock:
            if request is None:
                return
            call = self._forget(request) or self._answered.pop(request, None)
            if isinstance(call, ToolCall):
                self._withdrawn.append(call)

    def _note_answered(self, request: JsonRpcId, call: ToolCall) -> None:
        with self._lock:
            self._answered.pop(request, None)
            self._answered[request] = call
            while len(self._answered) > MAX_ANSWERED:
                del self._answered[next(iter(self._answered))]

    def _await(self, request: JsonRpcId, call: ToolCall | ListRequest | Listening) -> None:
        with self._lock:
            if request in self._awaited:
                # Two calls under one id: nobody can tell their answers apart, so neither is touched.
                self._forget(request)
                self._awaited[request] = None
                return
            self._awaited[request] = call
            self._bytes += len(call.arguments)
            while len(self._awaited) > MAX_AWAITED or self._bytes > MAX_AWAITED_BYTES:
                if self._tasks:
                    self._bytes -= len(self._tasks.pop(next(iter(self._tasks))).arguments)
                else:
                    self._forget(next(iter(self._awaited)))

    def _take(self, request: JsonRpcId | None) -> ToolCall | ListRequest | Listening | None:
        with self._lock:
            return None if request is None else self._forget(request)

    def _forget(self, request: JsonRpcId) -> ToolCall | ListRequest | Listening | None:
        call = self._awaited.pop(request, None)
        if call is not None:
            self._bytes -= len(call.arguments)
        return call

    def _remember_task(self, task: str, call: ToolCall) -> None:
        with self._lock:
            old = self._tasks.pop(task, None)
            self._bytes += len(call.arguments) - (len(old.arguments) if old else 0)
            self._tasks[task] = call
            while len(self._tasks) > MAX_AWAITED:
                self._bytes -= len(self._tasks.pop(next(iter(self._tasks))).arguments)


def request_id(message: bytes, span: Span) -> JsonRpcId | None:
    """The id at the span as a key, None if it is none that a request can have."""
    from terse.proxy.spans import string

    if span.end - span.start > MAX_ID_BYTES:
        return None
    first = message[span.start]
    if first == ord('"'):
        return string(message, span)
    if first in b"-0123456789":
        return message[span.start : span.end]
    return None


def _trace_context(
    message: bytes, structure: bytes, params: dict[str, Span]
) -> tuple[str | None, str | None]:
    """`traceparent` and `tracestate` of a request's `_meta`, where MCP has them."""
    from terse.proxy.spans import MALFORMED, members, string

    if "_meta" not in params or structure.find(b"traceparent", *params["_meta"]) == -1:
        return None, None
    try:
        meta = members(structure, *params["_meta"])
        found = [string(message, meta[key]) if key in meta else None for key in _TRACE_CONTEXT]
    except MALFORMED:
        return None, None
    parent, state = (None if one is None or len(one) > MAX_TRACE_CONTEXT else one for one in found)
    return parent, state


def _created_task(structure: bytes, result: Span) -> str | None:
    """The id of the task that a result says was made instead of an answer, if it says so.

    `{"task": {"taskId": …}}` in 2025-11-25, `{"resultType": "task", "taskId": …}` in the tasks extension of
    2026-07-28 (some servers nest it there too).
    """
    from terse.proxy.spans import members, string

    if result.end - result.start > MAX_TASK_REPLY_BYTES or structure.find(b'"taskId"', *result) == -1:
        return None
    found = members(structure, *result)
    if "content" in found:
        return None
    if "task" in found:
        found = members(structure, *found["task"])
    elif "resultType" not in found or string(structure, found["resultType"]) != "task":
        return None
    return string(structure, found["taskId"]) if "taskId" in found else None
