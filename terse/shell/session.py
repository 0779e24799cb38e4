"""MCP with the process in the background: its session, the tools, a call."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import terse
from terse.shell import place
from terse.shell.background import NotBegun, Running
from terse.shell.exchange import Gone, Late, Lost, Reply, post
from terse.shell.source import Source
from terse.shell.unusable import Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = "2025-11-25"
CLIENT = "terse-cli"
BEGIN_SECONDS = 180.0
"""A first start may download a package, and a login waits for a person."""
NOTICE_SECONDS = 2.0
FOLLOW_SECONDS = 0.2
MAX_PAGES = 1000
RAW = "terse-raw-"
"""A call whose id begins so is answered as the server answers it."""
UNKNOWN_METHOD = -32601
ENDED = "the server has ended"
"""How `terse serve` begins to say so."""
LISTED = "notifications/tools/list_changed"


class Answer:
    """What a request is answered.

    Attributes:
        raw: the message as it came.
        result: its result; None of an error.
        error: what the error says; "" of a result.
        tools_changed: the server said on the way that its tools are other ones now.
    """

    def __init__(self, raw: bytes, message: dict[str, Any], *, tools_changed: bool) -> None:
        self.raw = raw
        result, error = message.get("result"), message.get("error")
        self.result: dict[str, Any] | None = result if isinstance(result, dict) else None
        said = error.get("message") if isinstance(error, dict) else None
        self.error = "" if self.result is not None else str(said or "the server answers with no result")
        if self.error.startswith(ENDED):
            self.error = f"{ENDED}: whether it was done is not known; the next call starts the server anew"
        self.tools_changed = tools_changed


def begin(running: Running) -> bytes:
    """Begin a session, and return the list of tools as JSON.

    Raises:
        NotBegun: the server does not.
    """
    running.session = running.version = ""
    try:
        with _said_meanwhile(running):
            reply = _sent(running, _request("initialize", _introduction()), BEGIN_SECONDS)
            answer = _answer(running, reply, None)
    except (Gone, Lost):
        raise NotBegun("it has ended") from None
    except Late:
        raise NotBegun(f"it did not answer in {BEGIN_SECONDS:g} s") from None
    if answer.result is None:
        raise NotBegun(f"it does not begin: {answer.error}")
    running.session = reply.headers.get("mcp-session-id", "")
    running.version = str(answer.result.get("protocolVersion") or VERSION)
    try:
        _sent(running, {"jsonrpc": "2.0", "method": "notifications/initialized"}, NOTICE_SECONDS).text()
        return listed(running, BEGIN_SECONDS)
    except (Gone, Late, Lost, Unusable) as reason:
        raise NotBegun(f"it does not list its tools{f': {reason}' if str(reason) else ''}") from None


def listed(running: Running, seconds: float) -> bytes:
    """The list of tools, as JSON.

    Raises:
        Gone, Late, Lost: as they say.
        Unusable: the server refuses.
    """
    tools: list[Any] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        answer = asked(running, "tools/list", {} if cursor is None else {"cursor": cursor}, seconds)
        if answer.result is None:
            raise Unusable(answer.error)
        page = answer.result.get("tools")
        tools += page if isinstance(page, list) else []
        cursor = answer.result.get("nextCursor")
        if not isinstance(cursor, str):
            break
    return json.dumps(tools).encode()


def asked(running: Running, method: str, params: dict[str, Any], seconds: float) -> Answer:
    """Make a request.

    Raises:
        Gone, Late, Lost: as they say.
    """
    request = _request(method, params)
    return _answer(running, _sent(running, request, seconds), request["id"])


def called(running: Running, tool: str, arguments: str, seconds: float, *, raw: bool) -> Answer:
    """Call a tool; where nobody waits for the answer any more, the server is told so.

    Args:
        arguments: as JSON text, which is sent as it stands.
        raw: what the server answers is not made smaller.

    Raises:
        Gone, Late, Lost: as they say.
        KeyboardInterrupt: as usual.
    """
    ident = f"{RAW if raw else 'terse-'}{os.urandom(8).hex()}"
    body = (
        f'{{"jsonrpc":"2.0","id":"{ident}","method":"tools/call",'
        f'"params":{{"name":{json.dumps(tool)},"arguments":{arguments}}}}}'
    )
    try:
        return _answer(running, _posted(running, body.encode("utf-8", "surrogatepass"), seconds), ident)
    except (Late, KeyboardInterrupt):
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}
        with suppress(Gone, Late, Lost):
            _sent(running, notice, NOTICE_SECONDS).text()
        raise


def renewed(source: Source, lost: Running) -> Running:
    """A new session of a process that has lost the one it had: its server had ended.

    Raises:
        Lost: there is no such process either, or its server does not begin.
    """
    from terse.shell.background import found

    with place.locked(source.lock):
        facts = found(source.state)
        if facts is None:
            raise Lost
        running = Running(facts)
        if running.session == lost.session and running.token == lost.token:
            try:
                place.write(source.tools, begin(running))
            except NotBegun:
                raise Lost from None
            running.save(source)
        return running


def _introduction() -> dict[str, Any]:
    info = {"name": CLIENT, "version": terse.__version__}
    return {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info}


def _request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": f"terse-{os.urandom(8).hex()}", "method": method, "params": params}


def _sent(running: Running, message: dict[str, Any], seconds: float) -> Reply:
    return _posted(running, json.dumps(message).encode(), seconds)


def _posted(running: Running, body: bytes, seconds: float) -> Reply:
    headers = {
        "Authorization": f"Bearer {running.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    if running.session:
        headers |= {"Mcp-Session-Id": running.session, "Mcp-Protocol-Version": running.version}
    reply = post(running.port, headers, body, seconds)
    if reply.status in (401, 403, 404, 503):
        # Another process has the port; the session is over; the process ends. Nothing was done.
        raise Lost
    return reply


def _answer(running: Running, reply: Reply, ident: str | None) -> Answer:
    """
    Args:
        ident: of the request; None where the first answer is the one.
    """
    tools_changed = False
    for raw in reply.messages():
        try:
            message = json.loads(raw)
        except ValueError:
            raise Gone from None
        if not isinstance(message, dict):
            continue
        method = message.get("method")
        if method is None and (ident is None or message.get("id") in (ident, None)):
            return Answer(raw, message, tools_changed=tools_changed)
        if method == LISTED:
            tools_changed = True
        elif method is not None and "id" in message:
            _refuse(running, message)
    raise Gone


def _refuse(running: Running, message: dict[str, Any]) -> None:
    """A server that asks its client for something would wait for ever."""
    said: dict[str, Any] = {"error": {"code": UNKNOWN_METHOD, "message": "a command line has nobody to ask"}}
    if message["method"] == "ping":
        said = {"result": {}}
    with suppress(Gone, Late, Lost):
        _sent(running, {"jsonrpc": "2.0", "id": message["id"], **said}, NOTICE_SECONDS).text()


@contextmanager
def _said_meanwhile(running: Running) -> Iterator[None]:
    """While a server begins, what terse says of it is for the user: where to log in, for instance."""
    log = running.facts.get("log")
    if not isinstance(log, str):
        yield
        return
    from threading import Event, Thread

    over = Event()
    told = [0]

    def follow(say: Callable[[str], object]) -> None:
        with open(log, "rb") as file:
            while not over.wait(FOLLOW_SECONDS):
                for line in file:
                    told[0] += len(line)
                    if line.startswith(b"terse: "):
                        say(line.decode("utf-8", "replace"))

    following = Thread(target=follow, args=(sys.stderr.write,), daemon=True)
    following.start()
    try:
        yield
    finally:
        over.set()
        following.join(1.0)
        place.write(f"{log.removesuffix('.log')}.told", b"%d" % told[0])
