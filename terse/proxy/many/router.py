"""Which server a message is for, and what the client is told in the name of all of them.

The router is the `Upstream` of the client's connection: one server, to whoever stands in front of it. Behind
it each server has a connection of its own, with the rules for that server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from threading import Event, RLock, Timer

import msgspec

from terse.proxy.complaints import Complaints
from terse.proxy.connection import Connection, Upstream
from terse.proxy.framing import messages
from terse.proxy.many import merged
from terse.proxy.many.asking import Asking
from terse.proxy.many.keeper import Keeper
from terse.proxy.many.listening import ACKNOWLEDGED, LISTENS
from terse.proxy.many.member import Member
from terse.proxy.many.naming import Names
from terse.proxy.many.outlet import Outlet
from terse.proxy.many.questions import Questions
from terse.proxy.many.retrieving import Retrieving
from terse.proxy.message import Message, read, replaced
from terse.proxy.remote.messages import CONNECTION_FAILED
from terse.proxy.spans import MALFORMED, Span, encode_string
from terse.proxy.wire import JsonRpcId, request_id

LIMIT_SECONDS = 8.0
"""How long a server may take before the others answer without it. What it says later is told as a change.
Clients give a server ten seconds to start, or more (Codex's `startup_timeout_sec`)."""

_INVALID_PARAMS = -32602
_TO_ALL = ("logging/setLevel", LISTENS, *merged.ITEMS)
_OF_RESOURCES = ("resources/read", "resources/subscribe", "resources/unsubscribe")
_BATCH = msgspec.json.Decoder(list[msgspec.Raw])

Start = Callable[[], Upstream]
"""Starts a server. OSError: it cannot be started now; `servers.Unusable`: it never can be."""
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
        retrieving: makes the tool of ours, given what tells the client something; None: there is none.

    Raises:
        SameName: see `Names`.
    """

    def __init__(
        self,
        servers: Mapping[str, Start],
        connect: Connect,
        complaints: Complaints,
        *,
        limit: float = LIMIT_SECONDS,
        retrieving: Callable[[Callable[[bytes], None]], Retrieving] | None = None,
    ) -> None:
        self._connect = connect
        self._complaints = complaints
        self._lock = RLock()
        self._members = {name: Member(name, start, self._connected) for name, start in servers.items()}
        self._names = Names(tuple(servers))
        self._outlet = Outlet()
        self._questions = Questions()
        self._retrieving = None if retrieving is None else retrieving(self._outlet.put)
        self._asking = Asking(
            self._members,
            self._names,
            self._outlet,
            self._retrieving,
            complaints,
            limit,
            self._lock,
            self._refused,
        )
        self._limit = limit
        self._initialized: bytes | None = None
        self._held: dict[JsonRpcId, Message] = {}
        self._gone = Event()
        self._keeper = Keeper(
            self._members.values(),
            self._lock,
            self._server_started,
            self._server_failed,
            self._all_ended,
        )
        for server, prefix in self._names.changed().items():
            complaints.say(f"name {server}", f"the server {server} is shown to the client as {prefix}")
        self._keeper.start()

    # ---- what an upstream does ---------------------------------------------------------------------

    def send(self, block: bytes) -> None:
        """Take whole messages from the client, and give each to the servers it is for."""
        self._keeper.wait_until_begun()
        for raw in messages(block):
            if raw.strip():
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
        # No server's thread waits for the client any more.
        self._outlet.drop()
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
            batch = _messages_of_batch(raw)
            if not batch:
                self._outlet.put(merged.failure(b"null", -32700, "this is not a message that can be read"))
            for each in batch:
                self._take(each)
            return
        with self._lock:
            if message.method is None:
                self._answer_of_client(message)
            elif message.id is None:
                self._notification_of_client(message)
            else:
                self._request(message)

    def _request(self, message: Message) -> None:
        method = message.method
        if method == "initialize":
            self._begin(message)
        elif method == "server/discover":
            self._asking.all(message, self._asking.running())
        elif method == "ping":
            self._outlet.put(merged.response(message.raw_id, b"{}"))
        elif method in _TO_ALL:
            self._ask_lists(message)
        elif method in ("tools/call", "prompts/get"):
            self._ask_by_name(message, message.params.get("name"))
        elif method == "completion/complete":
            self._complete(message)
        elif method in _OF_RESOURCES:
            self._ask_in_turn(message, message.param("uri"))
        else:
            self._ask_in_turn(message, message.param("taskId"))

    def _begin(self, message: Message) -> None:
        """`initialize`: all servers are introduced to the client anew."""
        retired = [name for name, member in self._members.items() if member.was_discovered]
        for name in retired:
            # It speaks as of 2026-07-28, and for the rest of its life: another one takes its place.
            self._retire(self._members[name])
        if self._retrieving is not None:
            self._retrieving.begin()
        self._questions.forget_tokens()
        self._held.clear()
        self._initialized = None
        for member in self._members.values():
            member.is_introduced = False
        self._asking.begin(message, self._asking.running(), retired)

    def _ask_lists(self, message: Message, *, waits: bool = True) -> None:
        names: Sequence[str] = self._asking.ready()
        is_list = message.method in merged.ITEMS and message.id is not None
        if is_list and waits and not names and self._asking.running():
            # Nobody could say anything yet: an empty list would be the client's for good.
            assert message.id is not None
            self._held[message.id] = message
            timer = Timer(self._limit, self._ask_held, (message.id,))
            timer.daemon = True
            timer.start()
            return
        own: dict[str, bytes] = {}
        cursor = message.params.get("cursor")
        if message.method == "logging/setLevel":
            self._asking.standing.note_level(message)
        elif cursor is not None and message.raw[cursor.start] != ord("n"):
            cursors = merged.cursors_of(message.text(cursor) or "")
            if cursors is None or not cursors.keys() <= self._members.keys():
                self._asking.refuse(message, "there is no such cursor", _INVALID_PARAMS)
                return
            names = [name for name in names if name in cursors]
            own = {name: replaced(message.raw, {cursor: encode_string(cursors[name])}) for name in names}
        self._asking.all(message, names, own)

    def _ask_held(self, *requests: JsonRpcId) -> None:
        """Ask for lists that waited for a server: one is there now, or the time is over."""
        with self._lock:
            for request in requests:
                message = self._held.pop(request, None)
                if message is not None:
                    self._ask_lists(message, waits=False)

    def _ask_by_name(self, message: Message, place: Span | None) -> None:
        """A request about a tool or a prompt, whose shown name begins with its server's."""
        shown = None if place is None else message.text(place)
        if place is None or shown is None:
            self._asking.refuse(message, "`name` is missing", _INVALID_PARAMS)
            return
        is_call = message.method == "tools/call"
        if is_call and self._retrieving is not None and self._retrieving.take(message):
            return
        found = self._names.owner(shown)
        if found is None:
            said = f"There is nothing of the name {shown}: names begin with {self._names.beginnings()}."
            self._asking.refuse(message, said, _INVALID_PARAMS)
            return
        server, own = found
        self._asking.one(message, server, replaced(message.raw, {place: encode_string(own)}))

    def _complete(self, message: Message) -> None:
        about = message.inside(message.params["ref"]) if "ref" in message.params else {}
        if "name" in about:
            self._ask_by_name(message, about["name"])
        else:
            self._ask_in_turn(message, message.text(about["uri"]) if "uri" in about else None)

    def _ask_in_turn(self, message: Message, about: str | None) -> None:
        """Ask the server that is known to have what the request is about; else one after another, until one
        does."""
        known = self._asking.known.server_of(about)
        names = [known] if known is not None else self._asking.ready()
        if not names:
            self._asking.refuse(message, "No server is available now.")
            return
        self._asking.one(message, names[0], message.raw, names[1:])

    def _notification_of_client(self, message: Message) -> None:
        if message.method == "notifications/cancelled" and "requestId" in message.params:
            cancelled = request_id(message.raw, message.params["requestId"])
            if cancelled is not None:
                self._held.pop(cancelled, None)
            names = self._asking.cancelled(cancelled)
            self._send_to(names, message.raw)
            return
        if message.method == "notifications/progress" and "progressToken" in message.params:
            found = self._questions.progress(message, message.params["progressToken"])
            if found is not None:
                self._send_to(found[:1], found[1])
                return
        if message.method == "notifications/initialized":
            self._initialized = message.raw
        self._send_to(self._asking.ready(), message.raw)

    def _answer_of_client(self, message: Message) -> None:
        """The client's answer to what a server had asked it goes back under the server's own id."""
        found = self._questions.answered(message)
        if found is not None:
            self._send_to(found[:1], found[1])

    def _send_to(self, names: Sequence[str], raw: bytes) -> None:
        for name in names:
            self._members[name].send(raw)

    # ---- from the servers ------------------------------------------------------------------------------

    def _from_server(self, member: Member, upstream: Upstream, block: bytes) -> None:
        told: list[bytes] = []
        for raw in messages(block):
            try:
                found = [read(raw)]
            except MALFORMED:
                batch = _messages_of_batch(raw)
                found = []
                if not batch:
                    told.append(raw if raw.endswith(b"\n") else raw + b"\n")
                for each in batch:
                    try:
                        found.append(read(each))
                    except MALFORMED:
                        told.append(each)
            for message in found:
                if told and self._asking.is_joint(message):
                    # What the server said before comes before the answer of all.
                    self._outlet.put_in_turn(member.name, b"".join(told))
                    told.clear()
                with self._lock:
                    # One that was replaced has nothing more to say.
                    passed = self._told(member, message) if member.upstream is upstream else None
                if passed is not None:
                    told.append(passed)
        if told:
            self._outlet.put_in_turn(member.name, told[0] if len(told) == 1 else b"".join(told))

    def _told(self, member: Member, message: Message) -> bytes | None:
        """What the client is told of a server's message; None: nothing now."""
        if message.method is None:
            return self._answer_of_server(member, message)
        if message.id is not None:
            return self._questions.shown(member.name, message)
        if message.method == "notifications/cancelled" and "requestId" in message.params:
            return self._questions.withdrawn(member.name, message)
        if message.method == ACKNOWLEDGED:
            return self._asking.acknowledged(member, message)
        return message.raw

    def _answer_of_server(self, member: Member, message: Message) -> bytes | None:
        introduction, was_introduced = self._asking.introduction, member.is_introduced
        is_late = introduction is not None and introduction.is_answered
        told = self._asking.answered(member, message)
        if is_late and member.is_introduced and not was_introduced:
            self._take_up(member)
        return told

    def _take_up(self, member: Member) -> None:
        """A server was introduced after the others: it is told what they were told, and the client of it."""
        if self._initialized is not None:
            member.send(self._initialized)
        self._ask_held(*self._held)
        for request in self._asking.standing.requests_for(member.name):
            own_id = encode_string(self._questions.new_id())
            member.send(replaced(request.raw, {request.members["id"]: own_id}))
        self._asking.tell_changes(member)

    def _refused(self, member: Member, message: Message) -> None:
        """A server refused `initialize`: maybe since it was asked as of 2026-07-28 before."""
        if member.was_discovered:
            self._retire(member)
        elif merged.error_code(message) == b"%d" % CONNECTION_FAILED and member.connection is not None:
            # It cannot be reached now, which is no refusal: it is asked again, ever later.
            said = message.text(message.inside(message.members["error"])["message"])
            self._lose(member, member.connection, said or "it cannot be reached")
            self._server_failed(member)

    # ---- starts and ends -------------------------------------------------------------------------------

    def _connected(self, member: Member, upstream: Upstream) -> Connection:
        return self._connect(
            member.name,
            upstream,
            partial(self._from_server, member, upstream),
            partial(self._server_ended, member, upstream),
        )

    def _all_ended(self) -> None:
        if self._retrieving is not None:
            self._retrieving.close()
        self._outlet.end()
        self._gone.set()

    def _server_started(self, member: Member) -> None:
        with self._lock:
            introduction = self._asking.introduction
            if introduction is not None and member.introducing is not introduction:
                member.introducing = introduction
                member.send(introduction.request.raw)
            if introduction is None:
                self._asking.listen_again(member)

    def _server_failed(self, member: Member) -> None:
        self._complaints.say(
            f"failed {member.name} {member.absence}",
            f"the server {member.name} is not available: {member.absence}",
        )

    def _server_ended(self, member: Member, upstream: Upstream, error: BaseException | None) -> None:
        if error is not None:
            self._complaints.say_failed(f"the connection to {member.name}", error)
        with self._lock:
            if member.upstream is upstream and member.connection is not None:
                self._lose(member, member.connection, "it has ended")
                if member.next_start is not None:
                    said = f"the server {member.name} has ended: it is started again"
                    self._complaints.say(f"ended {member.name}", said)

    def _retire(self, member: Member) -> None:
        if member.connection is not None:
            self._lose(member, member.connection, "it is being started", comes_back=True)
            member.next_start = time.monotonic()

    def _lose(self, member: Member, connection: Connection, why: str, *, comes_back: bool = False) -> None:
        """The server does not run any more: nobody waits for its answers."""
        member.note_end(why)
        if self._keeper.is_closing:
            member.next_start = None
        self._asking.lost(member.name, comes_back=comes_back)
        for cancelled in self._questions.lost(member.name):
            self._outlet.put(cancelled)
        self._keeper.clear_away(connection)


def _messages_of_batch(raw: bytes) -> list[bytes]:
    """The messages of a batch, as MCP had them in 2025-03-26; none if it is none."""
    try:
        return [bytes(each) + b"\n" for each in _BATCH.decode(raw)]
    except MALFORMED:
        return []
