"""Requests of the client under way to the servers, until the client has its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock, Timer

from terse.proxy.complaints import Complaints
from terse.proxy.many import merged
from terse.proxy.many.known import Known
from terse.proxy.many.listening import LISTENS, LISTS, acknowledgement, list_changed, subscription_of
from terse.proxy.many.member import Member
from terse.proxy.many.merged import Answer
from terse.proxy.many.naming import Names
from terse.proxy.many.outlet import Outlet
from terse.proxy.many.pending import All, One
from terse.proxy.many.retrieving import Retrieving
from terse.proxy.many.standing import Standing
from terse.proxy.message import Message
from terse.proxy.wire import JsonRpcId

_AWAY = -32603


class Asking:
    """Who was asked what, and what the client is told. To be used with the lock of the router held.

    Args:
        names: what the client calls the servers' tools.
        retrieving: the tool of ours, if there may be one.
        limit: seconds that servers have before the others answer without them.
        lock: see above; timers take it.
        refused: called with a server that refused `initialize`.

    Attributes:
        introduction: the client's `initialize`; None before it, and of clients that do without.
    """

    def __init__(
        self,
        members: Mapping[str, Member],
        names: Names,
        outlet: Outlet,
        retrieving: Retrieving | None,
        complaints: Complaints,
        limit: float,
        lock: RLock,
        refused: Callable[[Member, Message], None],
    ) -> None:
        self.introduction: All | None = None
        self.known = Known()
        self.standing = Standing()
        self._members = members
        self._names = names
        self._outlet = outlet
        self._retrieving = retrieving
        self._complaints = complaints
        self._limit = limit
        self._lock = lock
        self._refused = refused
        self._pending: dict[JsonRpcId, One | All] = {}

    # ---- asking --------------------------------------------------------------------------------------

    def begin(self, message: Message, names: Sequence[str], to_come: Sequence[str]) -> None:
        """`initialize`: what was asked before is nobody's any more.

        Args:
            names: servers that are given it now.
            to_come: servers that are given it once they run, and are waited for.
        """
        self._pending.clear()
        self.standing.clear()
        awaited = [name for name in self._members if name in names or name in to_come]
        asked = All(message, awaited)
        self.introduction = asked
        for name in names:
            self._members[name].introducing = asked
        self._give(asked, names, {})

    def all(self, message: Message, names: Sequence[str], own: Mapping[str, bytes] | None = None) -> None:
        """Ask several servers, each with its `own` form of the request where it has one."""
        if message.id is None or self._is_taken(message):
            return
        asked = All(message, names)
        self._pending[message.id] = asked
        self._give(asked, names, own or {})

    def one(self, message: Message, server: str, forwarded: bytes, others: Sequence[str] = ()) -> None:
        """Ask one server; then the `others`, one after another, while it has no such thing."""
        if message.id is None or self._is_taken(message):
            return
        one = One(message, server, forwarded, others)
        self._pending[message.id] = one
        if server not in self.ready() or not self._members[server].send(forwarded):
            self._ask_next(one, None)

    def refuse(self, message: Message, text: str, code: int = _AWAY) -> None:
        """Refuse a request: a call in a way that the model sees."""
        if message.method == "tools/call":
            self._outlet.put(merged.tool_failure(message, text))
        else:
            self._outlet.put(merged.failure(message.raw_id, code, text))

    def cancelled(self, request: JsonRpcId | None) -> Sequence[str]:
        """The client does not wait any more; the servers that are to hear of it."""
        # A server that is told need not answer.
        waiting = None if request is None else self._pending.pop(request, None)
        if waiting is None:
            return ()
        return [waiting.server] if isinstance(waiting, One) else sorted(waiting.awaited)

    def listen_again(self, member: Member) -> None:
        """What the client wants to be told of, it wants to be told by a server that is back, too."""
        for asked in list(self._pending.values()):
            if isinstance(asked, All) and asked.request.method == LISTENS and member.send(asked.request.raw):
                asked.awaited.add(member.name)
                self.tell_changes(member)

    def running(self) -> list[str]:
        """Servers that run, in the order of the document."""
        return [name for name, member in self._members.items() if member.connection is not None]

    def ready(self) -> list[str]:
        """Servers that can be asked: those that were introduced, where clients introduce themselves."""
        needed = self.introduction is not None
        return [name for name in self.running() if self._members[name].is_introduced or not needed]

    # ---- answers -------------------------------------------------------------------------------------

    def is_joint(self, message: Message) -> bool:
        """Whether a server's message is an answer that may end the wait for several."""
        return message.method is None and not isinstance(self._pending.get(message.id or b""), One)

    def answered(self, member: Member, message: Message) -> bytes | None:
        """What the client is told of a server's answer; None: nothing, or it was told already."""
        member.is_late = False
        introduction = self.introduction
        if introduction is not None and message.id == introduction.request.id and not member.is_introduced:
            self._introduced(member, message, introduction)
            return None
        if message.id is None:
            # An error about what the server could not read: nobody knows whose it is.
            return message.raw
        waiting = self._pending.get(message.id)
        if isinstance(waiting, One):
            return self._answer_of_one(waiting, member, message)
        if waiting is None or member.name not in waiting.awaited:
            return None
        waiting.awaited.discard(member.name)
        if "result" in message.members:
            waiting.answers[member.name] = Answer(member.name, message)
            self.known.learn_listed(waiting.request.method, waiting.answers[member.name])
        else:
            waiting.failures[member.name] = message
        if not waiting.is_answered:
            self._answer_if_all(waiting)
            if waiting.request.method == LISTENS:
                self._acknowledge_if_all(waiting)
            return None
        if waiting.request.method in merged.ITEMS and "result" in message.members:
            self.tell_changes(member)
        if not waiting.awaited:
            self._forget(waiting.request)
        return None

    def acknowledged(self, member: Member, message: Message) -> bytes | None:
        """The client asked once to be told of changes, and is told once that it will be."""
        asked = self._pending.get(subscription_of(message) or b"")
        if not isinstance(asked, All):
            return message.raw
        if asked.acknowledged is not None:
            asked.acknowledged[member.name] = message
            self._acknowledge_if_all(asked)
        return None

    def lost(self, name: str, *, comes_back: bool = False) -> None:
        """A server runs no more: nobody waits for its answers.

        Args:
            comes_back: it is started anew at once, and introduced then.
        """
        for waiting in list(self._pending.values()):
            if isinstance(waiting, One):
                if waiting.server == name:
                    self._ask_next(waiting, None)
            elif name in waiting.awaited:
                waiting.awaited.discard(name)
                if waiting.request.method != LISTENS:
                    self._answer_if_all(waiting)
                else:
                    # Who listens is told of changes by it again once it is back.
                    self._acknowledge_if_all(waiting)
        if self.introduction is not None and name in self.introduction.awaited and not comes_back:
            self.introduction.awaited.discard(name)
            self._answer_if_all(self.introduction)

    def tell_changes(self, member: Member) -> None:
        """The client's lists lack what the server has."""
        said = member.introduction
        offers = Answer(member.name, said).value("capabilities") if said is not None else None
        for what in LISTS:
            if said is None or what == "tools" or (isinstance(offers, dict) and what in offers):
                self._tell_change(what)

    def _tell_change(self, what: str) -> None:
        listens: list[Message | None] = [None]
        if self.introduction is None:
            found = (each.request for each in self._pending.values() if isinstance(each, All))
            listens = [request for request in found if request.method == LISTENS]
        for request in listens:
            if (changed := list_changed(what, request)) is not None:
                self._outlet.put(changed)

    # ---- within --------------------------------------------------------------------------------------

    def _is_taken(self, message: Message) -> bool:
        """Whether another request of this id is under way: nobody could tell their answers apart."""
        if message.id not in self._pending:
            return False
        self._outlet.put(merged.failure(message.raw_id, -32600, "a request of this id is not answered yet"))
        return True

    def _give(self, asked: All, names: Sequence[str], own: Mapping[str, bytes]) -> None:
        for name in names:
            member = self._members[name]
            member.was_discovered |= asked.request.method == "server/discover"
            if not member.send(own.get(name, asked.request.raw)):
                asked.awaited.discard(name)
        if asked.request.method != LISTENS:
            self._answer_if_all(asked)
        if not asked.is_answered:
            asked.timer = Timer(self._limit, self._late, (asked,))
            asked.timer.daemon = True
            asked.timer.start()

    def _answer_of_one(self, one: One, member: Member, message: Message) -> bytes | None:
        if one.server != member.name:
            return None
        if one.asks_on(message):
            self._ask_next(one, message)
            return None
        self._forget(one.request)
        if "result" in message.members:
            self.known.learn_task(member.name, message)
            self.standing.note_answer(member.name, one.request)
            uri = one.request.param("uri")
            if uri is not None:
                self.known.learn(uri, member.name)
        return message.raw

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
            self.refuse(one.request, self._members[one.server].why_away())

    def _introduced(self, member: Member, message: Message, introduction: All) -> None:
        if "result" not in message.members:
            self._refused(member, message)
            if member.connection is None:
                # It is started anew, and asked again.
                return
            member.absence = "it refused to be initialized"
            introduction.failures[member.name] = message
        else:
            member.is_introduced = True
            member.introduction = message
            introduction.answers[member.name] = Answer(member.name, message)
        introduction.awaited.discard(member.name)
        if not introduction.is_answered:
            self._answer_if_all(introduction)

    def _answer_if_all(self, asked: All) -> None:
        if asked.is_answered:
            return
        # Nobody waits again for one that let a limit pass before, unless there is no other.
        are_late = all(self._members[name].is_late for name in asked.awaited)
        has_others = len(asked.awaited) < len(asked.asked) and asked.request.method != LISTENS
        if not asked.awaited or (are_late and has_others):
            self._answer(asked)

    def _late(self, asked: All) -> None:
        with self._lock:
            is_current = asked is self.introduction or self._pending.get(asked.request.id or b"") is asked
            listens = asked.request.method == LISTENS
            if asked.is_answered or not is_current or (listens and asked.acknowledged is None):
                return
            for name in asked.awaited.difference(asked.acknowledged or ()):
                self._members[name].is_late = True
                self._complaints.say(
                    f"late {name} {asked.request.method}",
                    f"the server {name} did not answer {asked.request.method} in {self._limit:g} s: "
                    "the others answer without it",
                )
            if listens:
                self._acknowledge(asked)
            else:
                self._answer(asked)

    def _answer(self, asked: All) -> None:
        """Give the client the one answer of several servers."""
        asked.is_answered = True
        if asked.timer is not None:
            asked.timer.cancel()
        if not asked.awaited and asked is not self.introduction:
            self._forget(asked.request)
        own = None if self._retrieving is None else self._retrieving.definition()
        said = asked.answer(self._names, self._absent(asked), own, self._complaints)
        note: Callable[[], None] | None = None
        if said.ends_tools and self._retrieving is not None:
            note = self._retrieving.showing(asked.request.id, is_offered=own is not None)
        self._outlet.put(said.message)
        if note is not None:
            note()

    def _acknowledge_if_all(self, asked: All) -> None:
        said = asked.acknowledged
        if said is not None and all(name in said or self._members[name].is_late for name in asked.awaited):
            self._acknowledge(asked)

    def _acknowledge(self, asked: All) -> None:
        """Tell the client what is listened to, once any server does."""
        if asked.acknowledged:
            self._outlet.put(acknowledgement(list(asked.acknowledged.values())))
            asked.acknowledged = None

    def _absent(self, asked: All) -> dict[str, str]:
        """What became of the servers that are not heard in the answer, by name."""
        found: dict[str, str] = {}
        for name, member in self._members.items():
            if member.absence:
                found[name] = member.absence
            elif name in asked.awaited:
                found[name] = f"it has not answered {asked.request.method} yet"
        return found

    def _forget(self, request: Message) -> None:
        if request.id is not None:
            self._pending.pop(request.id, None)
