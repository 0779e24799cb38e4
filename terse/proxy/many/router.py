"""Which server a message is for, and what the client is told in the name of all of them.

The router is the `Upstream` of the client's connection: one server, to whoever stands in front of it. Behind
it each server has a connection of its own, with the rules for that server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Event, RLock, Timer

from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.framing import messages
from terse.proxy.many import merged
from terse.proxy.many.keeper import Keeper
from terse.proxy.many.known import Known
from terse.proxy.many.member import Member
from terse.proxy.many.merged import Answer
from terse.proxy.many.outlet import Outlet
from terse.proxy.many.pending import All, One
from terse.proxy.many.questions import Questions
from terse.proxy.message import Message, read, replaced
from terse.proxy.spans import MALFORMED, Span, encode_string
from terse.proxy.wire import JsonRpcId, request_id

LIMIT_SECONDS = 10.0
"""How long a server may take before the others answer without it. What it says later is told as a change."""

_UNKNOWN_METHOD, _INVALID_PARAMS, _AWAY = -32601, -32602, -32603

_TO_ALL = ("logging/setLevel", "subscriptions/listen", *merged.ITEMS)
_LISTENS = "subscriptions/listen"
_ACKNOWLEDGED = b"notifications/subscriptions/acknowledged"
_CHANGES = ("tools", "prompts", "resources")

Connect = Callable[
    [str, Upstream, Callable[[bytes], None], Callable[[BaseException | None], None]], Connection
]
"""Makes the connection to a server: its name, its upstream, and the `send` and `ended` of `Connection`."""


class Router:
    """Several servers as one.

    INVARIANT: no server that is slow, hung or dead delays what another one has to say.

    Args:
        servers: how each is started, by its name.
        connect: see `Connect`.
        limit: see `LIMIT_SECONDS`.
    """

    def __init__(
        self,
        servers: Mapping[str, Callable[[], Upstream]],
        connect: Connect,
        complaints: Complaints,
        *,
        limit: float = LIMIT_SECONDS,
    ) -> None:
        self._connect = connect
        self._complaints = complaints
        self._limit = limit
        self._lock = RLock()
        self._members = {name: Member(name, start, self._connected) for name, start in servers.items()}
        self._names = tuple(self._members)
        self._outlet = Outlet()
        self._questions = Questions()
        self._pending: dict[JsonRpcId, One | All] = {}
        self._introduction: All | None = None
        self._initialized: bytes | None = None
        self._known = Known()
        self._gone = Event()
        self._keeper = Keeper(self._members.values(), self._lock, self._server_started, self._all_ended)
        self._keeper.start()

    # ---- what an upstream does ---------------------------------------------------------------------

    def send(self, block: bytes) -> None:
        """Take whole messages from the client, and give each to the servers it is for."""
        self._keeper.wait_until_begun()
        for raw in messages(block):
            if not raw.strip():
                continue
            self._take(raw)

    def blocks(self) -> Iterator[bytes]:
        """What the client is told, in blocks of whole messages."""
        return self._outlet.blocks()

    def has_output(self) -> bool:
        """Whether something waits to be read."""
        return self._outlet.has_output()

    def close_input(self) -> None:
        """Let every server see the end of the client's messages."""
        self._keeper.close()

    def close_output(self) -> None:
        """Nobody reads any more: what is said from now on is dropped."""
        self._outlet.drop()
        self._keeper.close()

    def wait(self) -> int:
        """Wait until every server has ended, after the end of the client's messages. Returns 0."""
        self._gone.wait()
        return 0

    def stop(self) -> int:
        """End all servers at once. Returns 0."""
        self._keeper.stop()
        self._all_ended()
        return 0

    def release(self) -> None:
        """Nothing is held once the servers have ended."""

    # ---- from the client -----------------------------------------------------------------------------

    def _take(self, raw: bytes) -> None:
        try:
            message = read(raw)
        except MALFORMED:
            self._take_many(raw)
            return
        with self._lock:
            if message.method is None:
                self._answer_of_client(message)
            elif message.id is None:
                self._notification_of_client(message)
            else:
                self._request(message)

    def _take_many(self, raw: bytes) -> None:
        """What is not one message: the messages of a batch (2025-03-26), or nothing that can be read."""
        import msgspec

        try:
            batch = msgspec.json.decode(raw, type=list[msgspec.Raw])
        except MALFORMED:
            batch = []
        if not batch:
            self._outlet.put(merged.failure(b"null", -32700, "this is not a message that can be read"))
        for each in batch:
            self._take(bytes(each) + b"\n")

    def _request(self, message: Message) -> None:
        method = message.method
        if method == "initialize":
            self._begin(message)
        elif method == "server/discover":
            self._ask_all(message, self._running())
        elif method == "ping":
            self._outlet.put(merged.response(message.raw_id, b"{}"))
        elif method in _TO_ALL:
            self._ask_lists(message)
        elif method in ("tools/call", "prompts/get"):
            self._ask_by_name(message, message.params.get("name"), self._ready())
        elif method == "completion/complete":
            self._complete(message)
        elif method in ("resources/read", "resources/subscribe", "resources/unsubscribe"):
            self._ask_in_turn(message, self._known.server_of(message.param("uri")))
        elif "taskId" in message.params:
            self._ask_in_turn(message, self._known.server_of(message.param("taskId")))
        else:
            self._ask_in_turn(message, None)

    def _begin(self, message: Message) -> None:
        """`initialize`: all servers are introduced to the client anew."""
        retired = [name for name, member in self._members.items() if member.was_discovered]
        for name in retired:
            # It speaks as of 2026-07-28, and for the rest of its life: another one takes its place.
            self._retire(self._members[name])
        self._pending.clear()
        self._questions.forget_tokens()
        self._initialized = None
        for member in self._members.values():
            member.is_introduced = False
        running = self._running()
        asked = All(message, [name for name in self._names if name in running or name in retired])
        self._introduction = asked
        for name in running:
            self._members[name].introducing = asked
        self._wait_for(asked, running)

    def _ask_lists(self, message: Message) -> None:
        names: Sequence[str] = self._ready()
        own: dict[str, bytes] = {}
        cursor = message.params.get("cursor")
        if cursor is not None and message.raw[cursor.start] != ord("n"):
            cursors = merged.cursors_of(message.text(cursor) or "")
            if cursors is None or not cursors.keys() <= self._members.keys():
                self._outlet.put(merged.failure(message.raw_id, _INVALID_PARAMS, "there is no such cursor"))
                return
            names = [name for name in names if name in cursors]
            own = {name: replaced(message.raw, {cursor: encode_string(cursors[name])}) for name in names}
        self._ask_all(message, names, own)

    def _ask_all(
        self, message: Message, names: Sequence[str], own: Mapping[str, bytes] | None = None
    ) -> None:
        """Ask several servers, each with its `own` form of the request where it has one."""
        asked = All(message, names)
        if message.id is not None:
            self._pending[message.id] = asked
        self._wait_for(asked, names, own)

    def _wait_for(self, asked: All, names: Sequence[str], own: Mapping[str, bytes] | None = None) -> None:
        if asked.request.method != _LISTENS:
            asked.timer = Timer(self._limit, self._late, (asked,))
            asked.timer.daemon = True
            asked.timer.start()
        if asked.request.id is not None:
            self._pending[asked.request.id] = asked
        for name in names:
            if not self._members[name].send((own or {}).get(name, asked.request.raw)):
                asked.awaited.discard(name)
        self._answer_if_all(asked)

    def _ask_by_name(self, message: Message, place: Span | None, names: Sequence[str]) -> None:
        """A request about a tool or a prompt, whose shown name begins with its server's."""
        shown = None if place is None else message.text(place)
        if place is None or shown is None:
            self._outlet.put(merged.failure(message.raw_id, _INVALID_PARAMS, "`name` is missing"))
            return
        for name in names:
            connection = self._members[name].connection
            if message.method == "tools/call" and connection is not None and connection.own_tool == shown:
                self._ask(One(message, name, message.raw))
                return
        found = merged.owner(shown, self._names)
        if found is None:
            begins = ", ".join(f"{name}{merged.SEPARATOR}" for name in self._names)
            self._refuse(message, f"There is nothing of the name {shown}: names begin with {begins}.")
            return
        server, own = found
        self._ask(One(message, server, replaced(message.raw, {place: encode_string(own)})))

    def _complete(self, message: Message) -> None:
        about = message.inside(message.params["ref"]) if "ref" in message.params else {}
        if "name" in about:
            self._ask_by_name(message, about["name"], self._ready())
        else:
            uri = message.text(about["uri"]) if "uri" in about else None
            self._ask_in_turn(message, self._known.server_of(uri))

    def _ask_in_turn(self, message: Message, known: str | None) -> None:
        """Ask the server that is known to have it; else one after another, until one does."""
        names = [known] if known is not None else self._ready()
        if not names:
            self._refuse(message, "No server is available now.")
            return
        self._ask(One(message, names[0], message.raw, names[1:]))

    def _ask(self, one: One) -> None:
        member = self._members[one.server]
        if one.request.id is not None:
            self._pending[one.request.id] = one
        if one.server not in self._ready() or not member.send(one.forwarded):
            self._ask_next(one, None)

    def _ask_next(self, one: One, refusal: Message | None) -> None:
        """The server that was asked cannot answer: ask the next one, or pass on what the last one said."""
        while one.others:
            one.server = one.others.pop(0)
            if self._members[one.server].send(one.forwarded):
                return
        self._forget(one.request)
        if refusal is not None:
            self._outlet.put(refusal.raw)
        else:
            self._refuse(one.request, self._away(one.server))

    def _away(self, name: str) -> str:
        member = self._members[name]
        why = member.absence or "it reads nothing"
        again = ""
        if member.next_start is not None:
            seconds = max(member.next_start - time.monotonic(), 0)
            again = f" It is started again in {seconds:.0f} s: call again then."
        return f"The server {name} is not available: {why}.{again}"

    def _refuse(self, message: Message, text: str) -> None:
        """Refuse a request: a call in a way that the model sees."""
        if message.method == "tools/call":
            self._outlet.put(merged.tool_failure(message.raw_id, text))
        else:
            code = _UNKNOWN_METHOD if message.method is None else _AWAY
            self._outlet.put(merged.failure(message.raw_id, code, text))

    def _notification_of_client(self, message: Message) -> None:
        if message.method == "notifications/initialized":
            self._initialized = message.raw
        names: Sequence[str] = self._ready()
        if message.method == "notifications/cancelled" and "requestId" in message.params:
            request = request_id(message.raw, message.params["requestId"])
            # A server that is told need not answer: nobody waits for it.
            waiting = None if request is None else self._pending.pop(request, None)
            if waiting is None:
                return
            names = [waiting.server] if isinstance(waiting, One) else names
        elif message.method == "notifications/progress" and "progressToken" in message.params:
            token = request_id(message.raw, message.params["progressToken"])
            known = self._questions.server_of(token)
            names = names if known is None else [known]
        for name in names:
            self._members[name].send(message.raw)

    def _answer_of_client(self, message: Message) -> None:
        """The client's answer to what a server had asked it goes back under the server's own id."""
        found = self._questions.answered(message)
        if found is not None:
            server, answer = found
            self._members[server].send(answer)

    # ---- from the servers ------------------------------------------------------------------------------

    def _from_server(self, member: Member, upstream: Upstream, block: bytes) -> None:
        told: list[bytes] = []
        for raw in messages(block):
            try:
                message = read(raw)
            except MALFORMED:
                told.append(raw if raw.endswith(b"\n") else raw + b"\n")
                continue
            with self._lock:
                # One that was replaced has nothing more to say.
                passed = self._told(member, message) if member.upstream is upstream else None
            if passed is not None:
                told.append(passed)
        if told:
            self._outlet.put_in_turn(b"".join(told))

    def _told(self, member: Member, message: Message) -> bytes | None:
        """What the client is told of a server's message; None: nothing now."""
        if message.method is None:
            return self._answer_of_server(member, message)
        if message.id is not None:
            return self._questions.shown(member.name, message)
        if message.method == "notifications/cancelled" and "requestId" in message.params:
            return self._questions.withdrawn(member.name, message)
        if _ACKNOWLEDGED in message.raw:
            return self._acknowledgement(message)
        return message.raw

    def _acknowledgement(self, message: Message) -> bytes | None:
        """The client asked once to be told of changes, and is told once that it will be."""
        waiting = [each for each in self._pending.values() if isinstance(each, All)]
        for asked in waiting:
            if asked.request.method == _LISTENS and not asked.acknowledged:
                asked.acknowledged = True
                return message.raw
        return None

    def _answer_of_server(self, member: Member, message: Message) -> bytes | None:
        introduction = self._introduction
        if introduction is not None and message.id == introduction.request.id and not member.is_introduced:
            self._introduced(member, message, introduction)
            return None
        waiting = None if message.id is None else self._pending.get(message.id)
        if waiting is None:
            return None
        if isinstance(waiting, One):
            return self._answer_of_one(waiting, member, message)
        if member.name not in waiting.awaited:
            return None
        waiting.awaited.discard(member.name)
        if "result" in message.members:
            own = member.connection.own_tool if member.connection is not None else None
            waiting.answers[member.name] = Answer(member.name, message, frozenset((own,) if own else ()))
            self._known.learn_listed(waiting.request.method, waiting.answers[member.name])
            member.was_discovered |= waiting.request.method == "server/discover"
        else:
            waiting.failures[member.name] = message
        if waiting.is_answered:
            if waiting.request.method in merged.ITEMS:
                self._tell_changes(member)
            if not waiting.awaited:
                self._forget(waiting.request)
        else:
            self._answer_if_all(waiting)
        return None

    def _answer_of_one(self, one: One, member: Member, message: Message) -> bytes | None:
        if one.server != member.name:
            return None
        if one.others and merged.lacks_it(message):
            self._ask_next(one, message)
            return None
        self._forget(one.request)
        if b'"taskId"' in message.raw[:4096]:
            self._known.learn_task(member.name, message)
        uri = one.request.param("uri")
        if uri is not None and "result" in message.members:
            self._known.learn(uri, member.name)
        return message.raw

    def _introduced(self, member: Member, message: Message, introduction: All) -> None:
        member.is_introduced = "result" in message.members
        if not member.is_introduced:
            member.absence = "it refused to be initialized"
            introduction.failures[member.name] = message
        else:
            member.introduction = message
            introduction.answers[member.name] = Answer(member.name, message)
        introduction.awaited.discard(member.name)
        if not introduction.is_answered:
            self._answer_if_all(introduction)
        elif member.is_introduced:
            if self._initialized is not None:
                member.send(self._initialized)
            self._tell_changes(member)

    def _answer_if_all(self, asked: All) -> None:
        if not asked.awaited and not asked.is_answered:
            self._answer(asked)

    def _late(self, asked: All) -> None:
        with self._lock:
            is_current = asked.request.id is not None and self._pending.get(asked.request.id) is asked
            if is_current and not asked.is_answered:
                for name in asked.awaited:
                    self._complaints.say(
                        f"late {name} {asked.request.method}",
                        f"the server {name} did not answer {asked.request.method} in {self._limit:g} s: "
                        "the others answer without it",
                    )
                self._answer(asked)

    def _answer(self, asked: All) -> None:
        """Give the client the one answer of several servers."""
        asked.is_answered = True
        if asked.timer is not None:
            asked.timer.cancel()
        if not asked.awaited and asked is not self._introduction:
            self._forget(asked.request)
        self._outlet.put(asked.answer(self._absent(), self._complaints))

    def _tell_changes(self, member: Member) -> None:
        """The client's lists lack what the server has."""
        said = member.introduction
        offers = Answer(member.name, said).value("capabilities") if said is not None else None
        for what in _CHANGES:
            if what == "tools" or (isinstance(offers, dict) and what in offers):
                self._outlet.put(
                    b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"}\n' % what.encode()
                )

    # ---- what is remembered ----------------------------------------------------------------------------

    def _forget(self, request: Message) -> None:
        if request.id is not None:
            self._pending.pop(request.id, None)

    def _running(self) -> list[str]:
        return [name for name, member in self._members.items() if member.connection is not None]

    def _ready(self) -> list[str]:
        """Servers that can be asked: those that were introduced, where clients introduce themselves."""
        needed = self._introduction is not None
        return [name for name in self._running() if self._members[name].is_introduced or not needed]

    def _absent(self) -> dict[str, str]:
        return {name: member.absence for name, member in self._members.items() if member.absence}

    # ---- starts and ends -------------------------------------------------------------------------------

    def _connected(self, member: Member, upstream: Upstream) -> Connection:
        return self._connect(
            member.name,
            upstream,
            partial(self._from_server, member, upstream),
            partial(self._server_ended, member, upstream),
        )

    def _all_ended(self) -> None:
        self._outlet.end()
        self._gone.set()

    def _server_started(self, member: Member) -> None:
        with self._lock:
            introduction = self._introduction
            if introduction is not None and member.introducing is not introduction:
                member.introducing = introduction
                member.send(introduction.request.raw)
            if introduction is None:
                self._listen_again(member)

    def _listen_again(self, member: Member) -> None:
        """What the client wants to be told of, it wants to be told by a server that is back, too."""
        for asked in self._pending.values():
            if isinstance(asked, All) and asked.request.method == _LISTENS and member.send(asked.request.raw):
                asked.awaited.add(member.name)
                self._tell_changes(member)

    def _server_ended(self, member: Member, upstream: Upstream, error: BaseException | None) -> None:
        if error is not None:
            self._complaints.say_failed(f"the connection to {member.name}", error)
        with self._lock:
            if member.upstream is upstream and member.connection is not None:
                self._lose(member, member.connection, "it has ended")

    def _retire(self, member: Member) -> None:
        if member.connection is not None:
            self._lose(member, member.connection, "it is being started")
            member.next_start = time.monotonic()

    def _lose(self, member: Member, connection: Connection, why: str) -> None:
        """The server does not run any more: nobody waits for its answers."""
        member.note_end(why)
        if self._keeper.is_closing:
            member.next_start = None
        for waiting in list(self._pending.values()):
            if isinstance(waiting, One) and waiting.server == member.name:
                self._ask_next(waiting, None)
            elif isinstance(waiting, All) and member.name in waiting.awaited:
                waiting.awaited.discard(member.name)
                self._answer_if_all(waiting)
        for cancelled in self._questions.lost(member.name):
            self._outlet.put(cancelled)
        self._keeper.clear_away(connection)
